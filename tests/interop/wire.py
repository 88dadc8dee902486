# SPDX-License-Identifier: MPL-2.0
"""ZMTP on a bare socket: frames, commands, handshakes, and the message set; shared by the scripted peers."""

import functools
import os
import re
import socket
import struct

from ends import Failure

TIMEOUT_S = 20
SIGNATURE = b"\xff" + bytes(8) + b"\x7f"
MORE, LONG, COMMAND = 1, 2, 4
TOPIC = b"T"


def message_sizes():
    """The set of interop_end.c, read from its source so that there is one: the sizes of the frames of each message."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interop_end.c")
    with open(path, encoding="utf-8") as source:
        table = re.search(r"set\[\]\[8\] = \{(.*?)\n\};", source.read(), re.S).group(1)
    return [[int(number) for number in row.split(",")][:-1] for row in re.findall(r"\{([^}]*)\}", table)]


@functools.lru_cache
def message_set(text=None):
    """The bodies of the set, or of another one: "5;10,0,3"."""
    chosen = message_sizes() if text is None else [[int(size) for size in sizes.split(",")] for sizes in text.split(";")]
    return [
        [
            bytes((message * 7 + frame * 13 + i * 31 + i // 251) & 255 for i in range(size))
            for frame, size in enumerate(sizes)
        ]
        for message, sizes in enumerate(chosen)
    ]


def greeting(minor, mechanism=b"NULL", as_server=0):
    return SIGNATURE + bytes([3, minor]) + mechanism.ljust(20, b"\0") + bytes([as_server]) + bytes(31)


def frame(body, flags=0):
    if len(body) > 255:
        return bytes([flags | LONG]) + struct.pack(">Q", len(body)) + body
    return bytes([flags, len(body)]) + body


def message(frames):
    return b"".join(frame(body, MORE if i + 1 < len(frames) else 0) for i, body in enumerate(frames))


def command(name, data=b""):
    return frame(bytes([len(name)]) + name + data, COMMAND)


def properties(**values):
    pairs = b""
    for name, value in values.items():
        name = name.replace("_", "-").encode()
        pairs += bytes([len(name)]) + name + struct.pack(">I", len(value)) + value
    return pairs


def ready(socket_type, **more):
    return command(b"READY", properties(Socket_Type=socket_type, **more))


class Closed(Exception):
    """The other side has closed the connection."""


class Wire:
    """A stream with exact reads. Sends a byte at a time when it dribbles."""

    def __init__(self, stream, dribble=False):
        self.stream = stream
        self.stream.settimeout(TIMEOUT_S)
        self.stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.dribble = dribble
        self.types = (b"REQ", b"REP")  # ours and theirs, for the garbage peers

    def send(self, data):
        try:
            if self.dribble and len(data) <= 4096:
                for i in range(len(data)):
                    self.stream.sendall(data[i : i + 1])
            else:
                self.stream.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed() from error

    def receive(self, size):
        data = b""
        while len(data) < size:
            try:
                piece = self.stream.recv(size - len(data))
            except ConnectionResetError as error:
                raise Closed() from error
            except socket.timeout:
                raise Failure(f"nothing came for {TIMEOUT_S} s, {len(data)} of {size} bytes are there") from None
            if not piece:
                raise Closed()
            data += piece
        return data

    def receive_frame(self):
        flags = self.receive(1)[0]
        if flags & ~7:
            raise Failure(f"reserved bits in flags {flags:#x}")
        size = struct.unpack(">Q", self.receive(8))[0] if flags & LONG else self.receive(1)[0]
        return flags, self.receive(size)

    def receive_message(self):
        frames = []
        while True:
            flags, body = self.receive_frame()
            if flags & COMMAND:
                raise Failure(f"a command instead of a message: {body[:20]!r}")
            frames.append(body)
            if not flags & MORE:
                return frames

    def receive_command(self):
        flags, body = self.receive_frame()
        if not flags & COMMAND:
            raise Failure(f"a message instead of a command: {body[:20]!r}")
        return body[1 : 1 + body[0]], body[1 + body[0] :]

    def expect_close(self):
        """Reads on until the other side closes."""
        try:
            while True:
                self.receive(1)
        except Closed:
            self.close()

    def close(self):
        self.stream.close()


def expect(value, wanted, what):
    if value != wanted:
        raise Failure(f"{what}: {str(value)[:100]} instead of {str(wanted)[:100]}")


def shake(wire, minor, socket_type, peer_type, **more):
    """The NULL handshake of version 3; checks what the peer says of itself."""
    wire.send(greeting(minor))
    theirs = wire.receive(64)
    expect((theirs[0], theirs[9] & 1, theirs[10]), (0xFF, 1, 3), "greeting")
    expect(theirs[12:32].rstrip(b"\0"), b"NULL", "mechanism")
    wire.send(ready(socket_type, **more))
    name, data = wire.receive_command()
    expect(name, b"READY", "command")
    if properties(Socket_Type=peer_type) not in data:
        raise Failure(f"READY says {data!r}")


def shake_20(wire, kind, peer_kind, identity=b""):
    """The ZMTP 2.0 greeting: signature, revision, socket type, routing id."""
    wire.send(SIGNATURE + bytes([1, kind]) + frame(identity))
    theirs = wire.receive(11)
    expect((theirs[0], theirs[9] & 1), (0xFF, 1), "signature")
    if theirs[10] == 0:
        raise Failure("revision 0")
    expect(wire.receive(1)[0], peer_kind, "socket type")
    expect(wire.receive_frame()[0], 0, "flags of the routing id")


def answer_all(wire, messages, delimiter):
    """Plays the asking side against an end that echoes."""
    for frames in messages:
        whole = delimiter + frames
        wire.send(message(whole))
        expect(wire.receive_message(), whole, "echo")
