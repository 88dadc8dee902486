#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Scripted peers on bare sockets against an end of the library under test.

    raw_peers.py --subject DIR --program interop_end CASE
    raw_peers.py --self --program interop_end CASE          against the reference libzmq

Cases: zmtp30, zmtp20 (older peers exchange the message set), dribble (3.1, a byte at a time), commands (3.1: PING,
unknown properties, SUBSCRIBE), garbage (hostile or broken peers, after each of which a good peer is served),
garbage_server (the same as servers of ends that connect), zmtp10 (the oldest framing), heartbeats, slow_handshakes,
reconnects. show_garbage is for people: it prints what becomes of each connection.
"""

import socket
import struct
import sys

from ends import End, Failure, arguments, run_all
from garbage import garbage, garbage_server, show_garbage
from wire import (
    COMMAND,
    MORE,
    TIMEOUT_S,
    TOPIC,
    Closed,
    Wire,
    answer_all,
    command,
    expect,
    frame,
    greeting,
    message,
    message_set,
    properties,
    ready,
    shake,
    shake_20,
)

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


RECONNECT_IVL, RECONNECT_IVL_MAX = 18, 21


def reconnects(peers, messages):
    """How often an end comes again after its server has gone, within what a loaded machine allows."""
    for options in ((f"{RECONNECT_IVL}=20",), (f"{RECONNECT_IVL}=5", f"{RECONNECT_IVL_MAX}=50")):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(TIMEOUT_S)
            address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
            end = peers.end("DEALER", "connect", address, "serve", *options)
            for turn in range(10):
                wire = Wire(listener.accept()[0])
                if turn % 2:
                    shake(wire, 1, b"ROUTER", b"DEALER")
                    answer_all(wire, messages[:3], [])
                wire.close()
            good = Wire(listener.accept()[0])
            shake(good, 1, b"ROUTER", b"DEALER")
            answer_all(good, messages, [])
            end.tell("stop")
            peers.finish(end, good)

    # -1: never again.
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TIMEOUT_S)
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        end = peers.end("DEALER", "connect", address, "serve", f"{RECONNECT_IVL}=-1")
        wire = Wire(listener.accept()[0])
        shake(wire, 1, b"ROUTER", b"DEALER")
        answer_all(wire, messages[:3], [])
        wire.close()
        listener.settimeout(1)
        try:
            listener.accept()
        except socket.timeout:
            return
        raise Failure("came again although RECONNECT_IVL is -1")


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


CASES = {
    "zmtp30": zmtp30,
    "zmtp20": zmtp20,
    "zmtp10": zmtp10,
    "dribble": dribble,
    "commands": commands,
    "garbage": garbage,
    "garbage_server": garbage_server,
    "heartbeats": heartbeats,
    "slow_handshakes": slow_handshakes,
    "reconnects": reconnects,
    "show_garbage": show_garbage,
}


def main():
    options = arguments(__doc__, case=CASES)

    def run():
        peers = Peers(options.program, options.subject)
        try:
            CASES[options.case](peers, message_set())
        except (Closed, socket.timeout) as failure:
            raise Failure(str(failure) or "the end closed the connection") from failure
        finally:
            peers.kill()

    return run_all([(options.case, run)])


if __name__ == "__main__":
    sys.exit(main())
