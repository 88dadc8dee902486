# SPDX-License-Identifier: MPL-2.0
"""Endpoints in every form; binding, connecting and the way back, again and again."""

from __future__ import annotations

from machine.program import STABLE_TYPES, Program

INSIDE = ("inproc:a", "inproc:b", "inproc://", "inproc://*", "inproc:%20", "inproc:" + "x" * 255, "inproc:" + "x" * 256,
          "inproc:a/b:c", "INPROC://a", "inproc", "inproc:/a", "", "://", "://a", "a", "a:b", "nothing://a", "inproc://a://b",
          "empty", "%20inproc://a", "inproc://a%20", "tcp", "tcp:", "tcp:/", "ipc:/", "udp", "pgm", "1inproc://a")
OUTSIDE = ("tcp://", "tcp://:", "tcp://*", "tcp://*:", "tcp://:0", "tcp://*:*", "tcp://*:0", "tcp://127.0.0.1:*",
           "tcp://127.0.0.1:0", "tcp://127.0.0.1", "tcp://127.0.0.1:", "tcp://127.0.0.1:x", "tcp://127.0.0.1:-1", "tcp://{host}:5001",
           "tcp://{host}:05001", "tcp://{host}:5001x", "tcp://{host}:%205001", "tcp://{host}:+5001", "tcp://localhost:*",
           "tcp://[::1]:*", "tcp://[::]:*", "tcp://::1:*", "tcp://[::1:*", "tcp://[127.0.0.1]:*", "tcp://lo:*", "tcp://nodevice:*",
           "tcp://256.0.0.1:5001", "tcp://127.1:*", "tcp://*:*:*", "tcp://{host}:5001;127.0.0.1:1", "tcp://127.0.0.1:*;{host}:5001",
           "tcp://{host}:5001/", "tcp://{host}/5001", "tcp://0.0.0.0:*", "tcp:%2F%2F{host}:5001",
           "ipc://", "ipc://*", "ipc://@", "ipc://@{dir}/a", "ipc:1", "ipc:2", "ipc://{dir}", "ipc://{dir}/none/a",
           "ipc://{dir}/" + "y" * 120, "ipc://@" + "y" * 120, "ipc://{dir}/" + "y" * 70, "ipc://{dir}/*", "ipc://{dir}/a%20b",
           "udp://{host}:5001", "udp://127.0.0.1:*", "udp://239.0.0.1:5001", "tcp:1", "tcp:2")


def forms(p: Program) -> None:
    p.context()
    texts = INSIDE if p.stays_inside else (*INSIDE, *OUTSIDE, *OUTSIDE)
    sockets = [p.open(p.pick(STABLE_TYPES)) for _ in range(p.random.randint(1, 3))]
    for socket in sockets:
        if p.chance(0.2):
            p.set_int(socket, "IPV6", 1)
    used: list[str] = []
    for _ in range(p.random.randint(6, 16)):
        socket = p.pick(sockets)
        text = p.pick(used) if used and p.chance(0.35) else p.pick(texts)
        used.append(text)
        verb = p.pick(("bind", "bind", "connect", "connect", "unbind", "disconnect"))
        p.say(verb, socket, text or "empty")
        if p.chance(0.6):
            p.say("get", socket, "LAST_ENDPOINT", 256)
        if verb in ("unbind", "disconnect") and p.chance(0.7):
            p.settle()
        if verb == "bind" and p.chance(0.15):
            p.say(p.pick(("unbind", "disconnect")), socket, f"last:{socket}")
            p.settle()


def rebinding(p: Program) -> None:
    """A few names that sockets of fitting types bind to, connect to, leave and take again."""
    p.calm = True
    first, second = p.pick((("PUSH", "PULL"), ("PAIR", "PAIR"), ("DEALER", "DEALER"), ("PUB", "SUB"), ("REQ", "REP")))
    sockets = [p.open(p.pick((first, second))) for _ in range(p.random.randint(2, 4))]
    for socket in sockets:
        if p.types[socket] == "SUB":
            p.say("set", socket, "SUBSCRIBE", "text")
        if not p.stays_inside:
            p.set_int(socket, "RECONNECT_IVL", p.pick((-1, 10)))
    endpoints = [p.endpoint() for _ in range(p.random.randint(1, 2))]
    for _ in range(p.random.randint(8, 20)):
        socket = p.pick(sockets)
        choice = p.random.random()
        if choice < 0.5:
            p.say(p.pick(("bind", "connect", "connect", "unbind", "disconnect")), socket, p.pick(endpoints))
            p.settle()
        elif choice < 0.55 and len(sockets) > 2:
            sockets.remove(socket)
            p.close(socket)
            p.settle()
        else:
            p.traffic(sockets, 2)
    p.drain(sockets)
