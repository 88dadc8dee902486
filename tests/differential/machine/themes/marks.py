# SPDX-License-Identifier: MPL-2.0
"""High-water marks and conflation: how many messages fit, and what happens to one more."""

from __future__ import annotations

from machine.program import CAN_RECEIVE, Program

PAIRS = (("PUSH", "PULL"), ("PAIR", "PAIR"), ("DEALER", "ROUTER"), ("DEALER", "DEALER"), ("PUB", "SUB"), ("XPUB", "XSUB"),
         ("ROUTER", "DEALER"), ("REQ", "ROUTER"))

MANY = 400


def marks(p: Program) -> None:
    first, second = p.pick(PAIRS)
    sender = p.open(first)
    receivers = [p.open(second) for _ in range(p.pick((1, 1, 1, 2, 3)))]
    for socket in (sender, *receivers):
        # Even ones: libzmq gives room back in halves.
        p.set_int(socket, "SNDHWM", p.pick((2, 4, 8)) if p.chance(0.9) else p.pick((-1, 20)))
        p.set_int(socket, "RCVHWM", p.pick((2, 4, 8)) if p.chance(0.9) else p.pick((-1, 20)))
    for socket in receivers:
        if second in ("SUB", "DEALER"):
            p.say("set", socket, "SUBSCRIBE" if second == "SUB" else "ROUTING_ID", "text", "" if second == "SUB" else p.pick("AB"))
    if first in ("PUB", "XPUB") and p.chance(0.5):
        p.set_int(sender, "XPUB_NODROP", 1)
    if first == "ROUTER" and p.chance(0.6):
        p.set_int(sender, "ROUTER_MANDATORY", 1)
    if not p.stays_inside:
        before_there_is_a_peer(p, sender, receivers)
        return
    for receiver in receivers:
        p.join(sender, receiver)
        if second == "XSUB":
            p.say("send", receiver, "=%01")
            p.settle()
    for _ in range(p.random.randint(1, 3)):
        cycle(p, sender, receivers)
    p.say("fill", sender, p.pick((1, 3, 10, 30)), p.pick((0, 33)))
    p.settle()
    p.look((sender, *receivers))
    p.drain((sender, *receivers))


def before_there_is_a_peer(p: Program, sender: str, receivers: list[str]) -> None:
    """Over a network how much fits depends on the time, unless the connections come about later."""
    endpoints = [p.endpoint() for _ in receivers]
    p.set_int(sender, "RECONNECT_IVL", 10)
    for endpoint in endpoints:
        p.connect(sender, endpoint)
    p.settle()
    p.say("fill", sender, MANY, p.pick((0, 1, 33, 64, 1000)))
    p.look((sender, *receivers))
    for endpoint, receiver in zip(endpoints, receivers):
        p.bind(receiver, endpoint)
        p.settle()
    p.settle()
    for receiver in receivers:
        if p.types[receiver] in CAN_RECEIVE:
            p.say("recvall", receiver, MANY, "wait")  # how many are there at a time depends on the time
    p.settle()
    p.look((sender, *receivers))


def cycle(p: Program, sender: str, receivers: list[str]) -> None:
    """Fills the queues to the brim and empties them: how room shows after less than that is each library's own affair."""
    if p.types[sender] == "ROUTER":
        for _ in range(MANY // 10):
            p.say("send", sender, f"={p.pick('AB')},{p.pick((0, 1, 40))}", "dontwait")
    else:
        p.say("fill", sender, MANY, p.pick((0, 1, 33, 64, 1000)))
    p.settle()
    p.look((sender, *receivers))
    for receiver in receivers:
        if p.types[receiver] in CAN_RECEIVE:
            p.say("recvall", receiver, MANY)
    p.settle()
    p.look((sender, *receivers))


def conflate(p: Program) -> None:
    first, second = p.pick((("PUSH", "PULL"), ("PUB", "SUB"), ("DEALER", "DEALER"), ("PAIR", "PAIR")))
    sender, receiver = p.open(first), p.open(second)
    for socket in (sender, receiver):
        if p.chance(0.7):
            p.set_int(socket, "CONFLATE", 1)
        if p.types[socket] == "SUB":
            p.say("set", socket, "SUBSCRIBE", "text")
    p.join(sender, receiver)
    for _ in range(p.random.randint(2, 5)):
        for _ in range(p.random.randint(1, 4)):
            p.send(sender, str(p.size()) if p.chance(0.8) else "")
            if not p.stays_inside:
                p.settle()  # which one a thread of the library finds depends on the time
        p.settle()
        p.say("recvall", receiver, 4)
        p.look((sender, receiver))
