# SPDX-License-Identifier: MPL-2.0
"""Hostile and broken peers and servers: what they send, and that an end survives them."""

import random
import socket
import struct

from ends import Failure
from wire import (
    COMMAND,
    MORE,
    SIGNATURE,
    TIMEOUT_S,
    Closed,
    Wire,
    answer_all,
    command,
    frame,
    greeting,
    message,
    ready,
    shake,
)


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


def show_garbage(peers, _):
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
