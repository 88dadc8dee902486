# SPDX-License-Identifier: MPL-2.0
"""High-water marks and conflation: how many messages fit, and what happens to one more."""

from __future__ import annotations

from machine.program import CAN_RECEIVE, CAN_SEND, Program

PAIRS = (("PUSH", "PULL"), ("PAIR", "PAIR"), ("DEALER", "ROUTER"), ("DEALER", "DEALER"), ("PUB", "SUB"), ("XPUB", "XSUB"),
         ("ROUTER", "DEALER"), ("REQ", "ROUTER"))

MANY = 400


def marks(p: Program) -> None:
    first, second = p.pick(PAIRS)
    sender = p.open(first)
    receivers = [p.open(second) for _ in range(p.pick((1, 1, 1, 2, 3)))]
    for socket in (sender, *receivers):
        if p.chance(0.9):
            p.set_int(socket, "SNDHWM", p.pick((0, 1, 2, 3, 5, 8)) if p.chance(0.9) else p.pick((-1, 100)))
            p.set_int(socket, "RCVHWM", p.pick((0, 1, 2, 3, 5, 8)) if p.chance(0.9) else p.pick((-1, 100)))
    for socket in receivers:
        if second in ("SUB", "DEALER"):
            p.say("set", socket, "SUBSCRIBE" if second == "SUB" else "ROUTING_ID", "text", "" if second == "SUB" else p.pick("AB"))
    if first in ("PUB", "XPUB") and p.chance(0.5):
        p.set_int(sender, "XPUB_NODROP", 1)
    if first == "ROUTER" and p.chance(0.6):
        p.set_int(sender, "ROUTER_MANDATORY", 1)
    for receiver in receivers:
        p.join(sender, receiver)
        if second == "XSUB":
            p.say("send", receiver, "=%01")
            p.settle()
    for _ in range(p.random.randint(3, 7)):
        step(p, sender, receivers)
    p.drain((sender, *receivers))


def step(p: Program, sender: str, receivers: list[str]) -> None:
    choice = p.random.random()
    kind = p.types[sender]
    if choice < 0.4:
        if kind == "ROUTER":
            for _ in range(p.random.randint(2, 6)):
                p.say("send", sender, f"={p.pick('AB')},{p.size()}", "dontwait")
        else:
            p.say("fill", sender, p.pick((3, 10, 30)), p.pick((0, 1, 33, 64, 1000)))
        p.settle()
    elif choice < 0.5 and kind in CAN_SEND and kind != "ROUTER":
        p.say("send", sender, p.frames(), p.flags())
    elif choice < 0.6:
        p.look((sender, *receivers))
    elif choice < 0.65:
        p.set_int(p.pick((sender, *receivers)), p.pick(("SNDHWM", "RCVHWM")), p.pick((0, 1, 4, 9)))
    else:
        # All of them: when the room for a few shows is each library's own affair.
        for receiver in receivers:
            if p.types[receiver] in CAN_RECEIVE:
                p.say("recvall", receiver, MANY)
        p.settle()


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
        p.settle()
        p.say("recvall", receiver, 4)
        p.look((sender, receiver))
