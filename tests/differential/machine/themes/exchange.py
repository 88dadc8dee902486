# SPDX-License-Identifier: MPL-2.0
"""Messages between sockets whose types fit."""

from __future__ import annotations

from machine.program import TOPICS, Program

PAIRS = (("PAIR", "PAIR"), ("PUSH", "PULL"), ("PUB", "SUB"), ("PUB", "XSUB"), ("XPUB", "SUB"), ("XPUB", "XSUB"), ("REQ", "REP"),
         ("REQ", "ROUTER"), ("DEALER", "REP"), ("DEALER", "ROUTER"), ("DEALER", "DEALER"), ("ROUTER", "ROUTER"))


def prepare(p: Program, socket: str) -> None:
    """What a socket of this type needs before it can take part."""
    kind = p.types[socket]
    if kind == "SUB":
        for _ in range(p.random.randint(0, 3)):
            p.say("set", socket, "SUBSCRIBE", "text", p.pick(TOPICS))
    elif kind in ("DEALER", "REQ", "ROUTER", "REP") and p.chance(0.4):
        p.say("set", socket, "ROUTING_ID", "text", p.pick(("A", "B", "C", "longer-name")))
    if p.chance(0.1):
        # Over a network it depends on the time whether one more fits.
        p.set_int(socket, p.pick(("SNDHWM", "RCVHWM")), p.random.randint(1, 4) if p.stays_inside else 200)


def subscribe_xsub(p: Program, socket: str) -> None:
    if p.types[socket] == "XSUB":
        for _ in range(p.random.randint(1, 2)):
            p.say("send", socket, "=%01" + p.pick(TOPICS))
        p.settle()


def exchange(p: Program) -> None:
    """Two sockets."""
    one, other = (p.open(kind) for kind in p.pick(PAIRS))
    for each in (one, other):
        prepare(p, each)
    p.join(one, other)
    for each in (one, other):
        subscribe_xsub(p, each)
    p.traffic((one, other), p.random.randint(6, 24))
    p.settle()
    p.drain((one, other))


def crowd(p: Program) -> None:
    """Several sockets of each type, joined by chance."""
    p.calm = True
    first, second = p.pick(PAIRS)
    ones = [p.open(first) for _ in range(p.random.randint(1, 3))]
    others = [p.open(second) for _ in range(p.random.randint(1, 3))]
    for each in ones + others:
        prepare(p, each)
    for one in ones:
        for other in others:
            if p.chance(0.8):
                p.join(one, other)
    for each in ones + others:
        subscribe_xsub(p, each)
    everyone = ones + others
    for _ in range(p.random.randint(1, 3)):
        p.traffic(everyone, p.random.randint(6, 16))
        if len(everyone) > 2 and p.chance(0.4):
            gone = p.pick(everyone)
            everyone.remove(gone)
            p.close(gone)
            p.settle()
    p.settle()
    p.drain(everyone)
