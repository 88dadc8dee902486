#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Scripted peers on bare sockets against an end of the library under test.

    raw_peers.py --subject DIR --program interop_end CASE
    raw_peers.py --self --program interop_end CASE          against the reference libzmq

Cases: zmtp30, zmtp20 (older peers exchange the message set), dribble (3.1, a byte at a time), commands (3.1: PING,
unknown properties, SUBSCRIBE), garbage (hostile or broken peers, after each of which a good peer is served),
garbage_server (the same as servers of ends that connect), zmtp10 (the oldest framing), heartbeats, slow_handshakes.
"""

import argparse
import os
import random
import re
import socket
import struct
import sys

from ends import End, Failure

TIMEOUT_S = 20
SIGNATURE = b"\xff" + bytes(8) + b"\x7f"
MORE, LONG, COMMAND = 1, 2, 4
TOPIC = b"T"


def message_set():
    """The set of interop_end.c, read from its source so that there is one."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interop_end.c")
    with open(path, encoding="utf-8") as source:
        table = re.search(r"set\[\]\[8\] = \{(.*?)\n\};", source.read(), re.S).group(1)
    rows = [[int(number) for number in row.split(",")][:-1] for row in re.findall(r"\{([^}]*)\}", table)]
    return [
        [
            bytes((message * 7 + frame * 13 + i * 31 + i // 251) & 255 for i in range(size))
            for frame, size in enumerate(sizes)
        ]
        for message, sizes in enumerate(rows)
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


class Peers:
    """What a case needs: the program, the library, and ways to open wires to its ends."""

    def __init__(self, program, library):
        self.program, self.library = program, library
        self.ends = []

    def end(self, kind, how, endpoint, script, *options):
        end = End(self.program, self.library, kind, how, endpoint, script, *options)
        self.ends.append(end)
        return end

    def bound(self, kind, script, *options):
        """A bound end and its port."""
        end = self.end(kind, "bind", "tcp://127.0.0.1:*", script, *options)
        return end, int(end.expect("bound").rsplit(":", 1)[1])

    def wire(self, port, dribble=False):
        return Wire(socket.create_connection(("127.0.0.1", port)), dribble)

    def accepted(self, kind, script, dribble=False):
        """An end that connects to us, and the wire to it."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(TIMEOUT_S)
            end = self.end(kind, "connect", f"tcp://127.0.0.1:{listener.getsockname()[1]}", script)
            return end, Wire(listener.accept()[0], dribble)

    def finish(self, end, wire):
        end.expect("done")
        end.finish()
        wire.close()

    def kill(self):
        for end in self.ends:
            end.kill()


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


def publish_all(wire, messages):
    for frames in messages:
        wire.send(message([b"T-body"] + frames))


def hear_all(wire, messages):
    for frames in messages:
        expect(wire.receive_message(), [b"T-body"] + frames, "publication")


def exchange_30(peers, messages, minor, dribble=False):
    end, port = peers.bound("REP", "answer")
    wire = peers.wire(port, dribble)
    shake(wire, minor, b"REQ", b"REP", Identity=b"me")
    answer_all(wire, messages, [b""])
    peers.finish(end, wire)

    end, wire = peers.accepted("DEALER", "answer", dribble)
    shake(wire, minor, b"ROUTER", b"DEALER", Identity=b"")
    answer_all(wire, messages, [])
    peers.finish(end, wire)

    end, port = peers.bound("PULL", "receive")
    wire = peers.wire(port, dribble)
    shake(wire, minor, b"PUSH", b"PULL")
    for frames in messages:
        wire.send(message(frames))
    peers.finish(end, wire)

    end, port = peers.bound("PUSH", "send")
    wire = peers.wire(port, dribble)
    shake(wire, minor, b"PULL", b"PUSH")
    for frames in messages:
        expect(wire.receive_message(), frames, "message")
    peers.finish(end, wire)


def subscriptions_30(peers, messages):
    # A 3.0 subscriber sends its subscription as a message.
    end, port = peers.bound("XPUB", "publish")
    wire = peers.wire(port)
    shake(wire, 0, b"SUB", b"XPUB")
    wire.send(frame(b"\1" + TOPIC))
    hear_all(wire, messages)
    wire.send(frame(b"\0" + TOPIC))
    peers.finish(end, wire)

    # A 3.0 publisher gets them as messages.
    for kind, name in (("SUB", b"SUB"), ("XSUB", b"XSUB")):
        end, wire = peers.accepted(kind, "subscribe")
        shake(wire, 0, b"PUB", name)
        expect(wire.receive_message(), [b"\1" + TOPIC], "subscription")
        publish_all(wire, messages)
        expect(wire.receive_message(), [b"\0" + TOPIC], "cancellation")
        peers.finish(end, wire)


def zmtp30(peers, messages):
    exchange_30(peers, messages, 0)
    subscriptions_30(peers, messages)


def zmtp20(peers, messages):
    pub, sub, req, rep, dealer, router, pull, push = 1, 2, 3, 4, 5, 6, 7, 8
    xpub = 9
    end, port = peers.bound("REP", "answer")
    wire = peers.wire(port)
    shake_20(wire, req, rep, b"me")
    answer_all(wire, messages, [b""])
    peers.finish(end, wire)

    end, wire = peers.accepted("DEALER", "answer")
    shake_20(wire, router, dealer)
    answer_all(wire, messages, [])
    peers.finish(end, wire)

    end, port = peers.bound("PULL", "receive")
    wire = peers.wire(port)
    shake_20(wire, push, pull)
    for frames in messages:
        wire.send(message(frames))
    peers.finish(end, wire)

    end, port = peers.bound("XPUB", "publish")
    wire = peers.wire(port)
    shake_20(wire, sub, xpub)
    wire.send(frame(b"\1" + TOPIC))
    hear_all(wire, messages)
    wire.send(frame(b"\0" + TOPIC))
    peers.finish(end, wire)

    end, wire = peers.accepted("SUB", "subscribe")
    shake_20(wire, pub, sub)
    expect(wire.receive_message(), [b"\1" + TOPIC], "subscription")
    publish_all(wire, messages)
    expect(wire.receive_message(), [b"\0" + TOPIC], "cancellation")
    peers.finish(end, wire)


def dribble(peers, messages):
    exchange_30(peers, messages, 1, dribble=True)


def commands(peers, messages):
    # Subscriptions as commands in both directions, and a publisher that takes both forms.
    for subscribe, cancel in (
        (command(b"SUBSCRIBE", TOPIC), command(b"CANCEL", TOPIC)),
        (frame(b"\1" + TOPIC), frame(b"\0" + TOPIC)),
    ):
        end, port = peers.bound("XPUB", "publish")
        wire = peers.wire(port)
        shake(wire, 1, b"SUB", b"XPUB")
        wire.send(subscribe)
        hear_all(wire, messages)
        wire.send(cancel)
        peers.finish(end, wire)
    end, wire = peers.accepted("SUB", "subscribe")
    shake(wire, 1, b"PUB", b"SUB")
    expect(wire.receive_command(), (b"SUBSCRIBE", TOPIC), "subscription")
    publish_all(wire, messages)
    expect(wire.receive_command(), (b"CANCEL", TOPIC), "cancellation")
    peers.finish(end, wire)

    # PING is answered with its context, between the messages.
    end, port = peers.bound("REP", "answer")
    wire = peers.wire(port)
    shake(wire, 1, b"REQ", b"REP")
    for frames in messages:
        for context in (b"", b"context", b"0123456789abcdef"):
            wire.send(command(b"PING", struct.pack(">H", 0) + context))
            expect(wire.receive_command(), (b"PONG", context), "answer to a PING")
        answer_all(wire, [frames], [b""])
    peers.finish(end, wire)

    # A later minor version is spoken to as 3.1; properties it knows nothing of are skipped; names compare without case.
    end, port = peers.bound("REP", "answer")
    wire = peers.wire(port)
    wire.send(greeting(7))
    wire.receive(64)
    wire.send(command(b"READY", properties(X_unknown=b"x", **{"socket_TYPE": b"REQ"}, Future=b"")))
    expect(wire.receive_command()[0], b"READY", "command")
    answer_all(wire, messages, [b""])
    peers.finish(end, wire)


def after_ready(*pieces):
    def play(wire):
        shake(wire, 1, *wire.types)
        for piece in pieces:
            wire.send(piece)

    return play


def sends(*pieces):
    return lambda wire: [wire.send(piece) for piece in pieces]


def half_open(wire):
    wire.send(SIGNATURE)


def cut_off(data):
    """Sends and closes without reading."""

    def play(wire):
        wire.send(data)
        wire.close()

    return play


def half_a_message(wire):
    shake(wire, 1, *wire.types)
    wire.send(frame(b"", MORE) + frame(b"half", MORE) + frame(b"abcdef")[:4])
    wire.close()


NOISE = random.Random(4711).randbytes(100000)

# What the library must do by itself: nothing in particular, close the connection, or close it although libzmq does not
# (the specification says so).
ANY, CLOSES, WE_CLOSE = "any", "closes", "we close"

GARBAGE = [
    ("nothing at all", sends(), ANY),
    ("signature, then silence", half_open, ANY),
    ("half a greeting, then silence", sends(greeting(1)[:30]), ANY),
    ("greeting, then silence", sends(greeting(1)), ANY),
    ("half a READY, then silence", sends(greeting(1), ready(b"REQ")[:9]), ANY),
    ("half a message, then silence", after_ready(frame(b"abcdef")[:4]), ANY),
    ("half a multipart message, then the end", half_a_message, ANY),
    ("the end after the greeting", cut_off(greeting(1)), ANY),
    ("the end after the signature", cut_off(SIGNATURE), ANY),
    ("the end at once", cut_off(b""), ANY),
    ("random bytes after a signature", sends(SIGNATURE + b"\3\1" + NOISE), CLOSES),
    ("zeros", sends(bytes(100000)), CLOSES),
    ("an HTTP request", sends(b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n" * 20), ANY),
    ("a TLS hello", sends(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + NOISE[:500]), ANY),
    ("another mechanism", sends(greeting(1, b"PLAIN")), CLOSES),
    ("an unknown mechanism", sends(greeting(1, b"NONSENSE")), CLOSES),
    ("a mechanism without its padding", sends(greeting(1, b"NULL\0garbage")), CLOSES),
    ("a message before READY", sends(greeting(1), frame(b"early")), CLOSES),
    ("another command before READY", sends(greeting(1), command(b"HELLO", b"x")), CLOSES),
    ("READY without a type", sends(greeting(1), command(b"READY")), ANY),
    ("READY with an unknown type", sends(greeting(1), ready(b"NONSENSE")), CLOSES),
    ("READY of an illegal peer", sends(greeting(1), ready(b"PULL")), CLOSES),
    ("READY with a name too long", sends(greeting(1), command(b"READY", b"\xffSocket-Type\0\0\0\3REQ")), CLOSES),
    ("READY with a value too long", sends(greeting(1), command(b"READY", b"\x0bSocket-Type\xff\xff\xff\xffREQ")), CLOSES),
    ("READY cut off in a name", sends(greeting(1), command(b"READY", b"\x0bSock")), CLOSES),
    ("an empty command", sends(greeting(1), frame(b"", COMMAND)), CLOSES),
    ("a command name too long", sends(greeting(1), frame(b"\x20READY", COMMAND)), CLOSES),
    ("a READY of 2^63 - 1 bytes", sends(greeting(1), b"\x06" + struct.pack(">Q", 2**63 - 1)), CLOSES),
    ("ERROR instead of READY", sends(greeting(1), command(b"ERROR", b"\x03bad")), WE_CLOSE),
    ("ERROR with a reason too long", sends(greeting(1), command(b"ERROR", b"\xffbad")), CLOSES),
    ("a length of 2^63", after_ready(b"\x02" + struct.pack(">Q", 2**63)), CLOSES),
    ("a length of 2^64 - 1", after_ready(b"\x02" + struct.pack(">Q", 2**64 - 1)), CLOSES),
    ("reserved bit 3", after_ready(b"\x08\x01x"), WE_CLOSE),
    ("reserved bit 7", after_ready(b"\x80\x01x"), WE_CLOSE),
    ("all reserved bits", after_ready(b"\xf8\x01x"), WE_CLOSE),
    ("a command with MORE", after_ready(b"\x05\x07\x04PING\0\0"), ANY),
    ("a second READY", after_ready(ready(b"REQ")), ANY),
    ("a PING too short", after_ready(command(b"PING", b"\0")), WE_CLOSE),
    ("a PING context too long", after_ready(command(b"PING", b"\0\0" + bytes(200))), ANY),
    ("an unknown command", after_ready(command(b"NONSENSE", b"x")), ANY),
    ("SUBSCRIBE to one that does not publish", after_ready(command(b"SUBSCRIBE", b"x")), ANY),
    ("a request without a delimiter", after_ready(frame(b"no delimiter")), ANY),
    ("ZMTP 2.0 with an unknown type", sends(SIGNATURE + bytes([1, 99]) + frame(b"")), ANY),
    ("ZMTP 2.0 of an illegal peer", sends(SIGNATURE + bytes([1, 7]) + frame(b"")), ANY),
    ("ZMTP 1.0 with a routing id of 2^64 - 1 bytes", sends(b"\xff" + b"\xff" * 8 + b"\0"), CLOSES),
]


def play_garbage(wire, play, must_close):
    try:
        play(wire)
    except Closed:
        return
    if must_close:
        wire.expect_close()


def must_close(rule, library):
    return rule == CLOSES or rule == WE_CLOSE and bool(library)


def garbage(peers, messages):
    """A bound end lives through all of them; silent ones stay connected. A good peer is served after each."""
    end, port = peers.bound("REP", "serve")
    connected = []
    for name, play, rule in GARBAGE:
        wire = peers.wire(port)
        connected.append(wire)
        try:
            play_garbage(wire, play, must_close(rule, peers.library))
            good = peers.wire(port)
            shake(good, 1, b"REQ", b"REP")
            answer_all(good, messages[:1], [b""])
            good.close()
        except (Closed, Failure) as failure:
            raise Failure(f"{name}: {failure or 'the good peer was closed'}") from failure
    good = peers.wire(port)
    shake(good, 1, b"REQ", b"REP")
    answer_all(good, messages, [b""])
    end.tell("stop")
    peers.finish(end, good)
    for wire in connected:
        wire.close()


def meet_garbage_server(peers, messages, play, rule):
    """An end that connects meets a garbage server, then, when it comes again, a good one."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TIMEOUT_S)
        end = peers.end("DEALER", "connect", f"tcp://127.0.0.1:{listener.getsockname()[1]}", "serve")
        wire = Wire(listener.accept()[0])
        wire.types = (b"ROUTER", b"DEALER")
        play_garbage(wire, play, must_close(rule, peers.library))
        wire.close()
        if rule != ANY:
            # After a protocol error libzmq gives the connection up for good; a library may also come again.
            if end.process.poll() is not None:
                raise Failure(f"the end died: {end.process.poll()}")
            end.kill()
            return
        good = Wire(listener.accept()[0])
        shake(good, 1, b"ROUTER", b"DEALER")
        good.send(message(messages[0]))
        # Garbage that makes sense as ZMTP 1.0 is messages to a DEALER (for libzmq a stray SUBSCRIBE too), and their echoes
        # come first.
        while good.receive_frame()[1] != messages[0][0]:
            pass
        end.tell("stop")
        peers.finish(end, good)


def garbage_server(peers, messages):
    for name, play, rule in GARBAGE:
        try:
            meet_garbage_server(peers, messages, play, rule)
        except (Closed, Failure, socket.timeout) as failure:
            raise Failure(f"{name}: {failure or 'the good server was left'}") from failure


def show_garbage(peers):
    """Prints which connections the library closes within a moment."""
    _, port = peers.bound("REP", "serve")
    for name, play, _ in GARBAGE:
        wire = peers.wire(port)
        try:
            play(wire)
            if wire.stream.fileno() >= 0:
                wire.stream.settimeout(0.3)
                wire.expect_close()
            print(f"closed  {name}")
        except Closed:
            print(f"closed  {name}")
        except Failure:
            print(f"open    {name}")


HANDSHAKE_IVL, HEARTBEAT_IVL, HEARTBEAT_TTL, HEARTBEAT_TIMEOUT = 66, 75, 76, 77


def heartbeats(peers, messages):
    """An end that beats: PING with its TTL; answered it stays, unanswered it closes. And one whose peer's TTL runs out."""
    options = (f"{HEARTBEAT_IVL}=100", f"{HEARTBEAT_TIMEOUT}=400", f"{HEARTBEAT_TTL}=2500")
    end, port = peers.bound("REP", "serve", *options)
    wire = peers.wire(port)
    shake(wire, 1, b"REQ", b"REP")
    for _ in range(8):
        name, data = wire.receive_command()
        expect(name, b"PING", "command")
        expect(data[:2], struct.pack(">H", 25), "TTL in tenths of a second")
        wire.send(command(b"PONG", data[2:]))
    wire.expect_close()  # no more answers

    # Traffic is a sign of life too.
    wire = peers.wire(port)
    shake(wire, 1, b"REQ", b"REP")
    pings = 0
    while pings < 8:
        name, _ = wire.receive_command()
        pings += name == b"PING"
        wire.send(message([b"", b"sign of life"]))
        while True:
            flags, body = wire.receive_frame()
            if flags & COMMAND:
                pings += body[1:5] == b"PING"
            elif not flags & MORE:
                break
    wire.close()

    # A peer of 3.0 knows no PING and gets none.
    wire = peers.wire(port)
    shake(wire, 0, b"REQ", b"REP")
    answer_all(wire, messages, [b""])
    end.tell("stop")
    peers.finish(end, wire)

    end, port = peers.bound("REP", "serve")
    wire = peers.wire(port)
    shake(wire, 1, b"REQ", b"REP")
    wire.send(command(b"PING", struct.pack(">H", 3)))
    expect(wire.receive_command(), (b"PONG", b""), "answer")
    wire.expect_close()  # three tenths of a second without a sign of life
    end.tell("stop")
    peers.finish(end, wire)


def slow_handshakes(peers, messages):
    """Handshakes that take longer than HANDSHAKE_IVL are closed, at whatever point they stop."""
    end, port = peers.bound("REP", "serve", f"{HANDSHAKE_IVL}=300")
    whole = greeting(1) + ready(b"REQ")
    for size in (0, 1, 9, 10, 11, 12, 33, 63, 64, 65, 70, len(whole) - 1):
        wire = peers.wire(port)
        wire.send(whole[:size])
        try:
            wire.expect_close()
        except Failure as failure:
            raise Failure(f"stays open after {size} bytes") from failure
    wire = peers.wire(port)
    shake(wire, 1, b"REQ", b"REP")
    answer_all(wire, messages, [b""])
    end.tell("stop")
    peers.finish(end, wire)


def zmtp10(peers, messages):
    """The oldest framing: length (of flags and body), flags, body; a routing id comes first."""

    def frame_10(body, more):
        size = len(body) + 1
        head = bytes([size]) if size < 255 else b"\xff" + struct.pack(">Q", size)
        return head + bytes([more]) + body

    end, port = peers.bound("PULL", "receive")
    wire = peers.wire(port)
    wire.send(frame_10(b"", 0))
    for frames in messages:
        wire.send(b"".join(frame_10(body, int(i + 1 < len(frames))) for i, body in enumerate(frames)))
    peers.finish(end, wire)


CASES = {"zmtp30": zmtp30, "zmtp20": zmtp20, "dribble": dribble, "commands": commands, "garbage": garbage, "garbage_server": garbage_server, "zmtp10": zmtp10,
         "heartbeats": heartbeats, "slow_handshakes": slow_handshakes}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", metavar="DIR", help="directory of the libzmq.so.5 under test")
    parser.add_argument("--self", dest="self_check", action="store_true", help="against the reference")
    parser.add_argument("--show", action="store_true", help="garbage: print what becomes of each connection")
    parser.add_argument("--program", required=True)
    parser.add_argument("case", choices=CASES)
    options = parser.parse_args()
    if bool(options.subject) == options.self_check:
        parser.error("either --subject or --self")
    peers = Peers(options.program, options.subject)
    try:
        if options.show:
            show_garbage(peers)
        else:
            CASES[options.case](peers, message_set())
    except Closed:
        print(f"FAILED  {options.case}: the end closed the connection")
        raise
    except Failure as failure:
        print(f"FAILED  {options.case}: {failure}")
        raise
    finally:
        peers.kill()
    print(f"ok      {options.case}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
