# SPDX-License-Identifier: MPL-2.0
"""What is delivered, kept and lost when connections, endpoints, sockets and contexts end."""

from __future__ import annotations

from machine.program import SETTLE_MS, Program

PAIRS = (("PUSH", "PULL"), ("PAIR", "PAIR"), ("PUB", "SUB"), ("DEALER", "DEALER"), ("DEALER", "ROUTER"), ("REQ", "REP"))


def joined(p: Program) -> tuple[str, str, str, str, str]:
    """Two sockets and the endpoint between them, and which of them bound."""
    one, other = (p.open(kind) for kind in p.pick(PAIRS))
    if p.types[other] == "SUB":
        p.say("set", other, "SUBSCRIBE", "text")
    endpoint = p.endpoint()
    bound, connected = (one, other) if p.chance(0.5) else (other, one)
    if not p.stays_inside:
        p.set_int(connected, "RECONNECT_IVL", p.pick((-1, 10)))
    p.bind(bound, endpoint)
    p.connect(connected, endpoint)
    p.settle()
    return one, other, endpoint, bound, connected


def endings(p: Program) -> None:
    p.calm = True
    one, other, endpoint, bound, connected = joined(p)
    p.traffic((one, other), p.random.randint(2, 8))
    for _ in range(p.random.randint(1, 3)):
        p.settle()  # libzmq notes at the next call that all of a connection that has ended was read
        choice = p.random.random()
        if choice < 0.35:
            p.say("disconnect", connected, endpoint)
        elif choice < 0.6:
            p.say("unbind", bound, endpoint)
        elif choice < 0.75:
            gone = p.pick((one, other))
            p.say("close", gone)
            if p.chance(0.6):
                p.settle()
                p.say("open", gone, "c0", p.types[gone], p.wait_ms)
                p.say("bind" if gone == bound else "connect", gone, endpoint)
        elif choice < 0.85:
            p.connect(connected, endpoint)
        else:
            p.bind(bound, endpoint)
        p.settle()
        p.traffic((one, other), p.random.randint(2, 8))
    p.settle()
    p.drain((one, other))
    p.look((one, other))


def linger(p: Program) -> None:
    """Messages on their way when the sender is closed; the context's end waits for them."""
    context = p.context()
    receiving = p.context() if p.profile in ("tcp", "ipc") and p.chance(0.6) else context
    first, second = p.pick((("PUSH", "PULL"), ("PAIR", "PAIR"), ("DEALER", "DEALER"), ("PUB", "SUB")))
    sender, receiver = p.open(first, context), p.open(second, receiving)
    if second == "SUB":
        p.say("set", receiver, "SUBSCRIBE", "text")
    linger_ms = p.pick((-1, 200, 200, 0))
    p.set_int(sender, "LINGER", linger_ms)
    p.join(sender, receiver)
    for _ in range(p.random.randint(1, 6)):
        p.send(sender)
    if linger_ms == 0 and not p.stays_inside: # else it depends on the time how much has left
        p.settle()
    p.close(sender)
    if receiving != context:
        p.say("term", context)
        p.contexts.remove(context)
    p.settle()
    p.say("recvall", receiver, 10)
    p.say("events", receiver)


def two_contexts(p: Program) -> None:
    p.calm = True
    contexts = [p.context(), p.context()]
    first, second = p.pick(PAIRS)
    sockets = [p.open(kind, context) for kind in (first, second) for context in contexts]
    for socket in sockets:
        if p.types[socket] == "SUB":
            p.say("set", socket, "SUBSCRIBE", "text")
    endpoint = p.endpoint()
    for socket in sockets:
        p.say("bind" if p.types[socket] == first else "connect", socket, endpoint)
        p.settle()
    p.traffic(sockets, p.random.randint(4, 14))
    p.say("shutdown", contexts[1])
    p.settle()
    p.traffic(sockets, p.random.randint(3, 8))
    p.say("settle", SETTLE_MS[p.profile])
    p.drain(sockets)
    if p.chance(0.5):
        p.say("socket", "late", contexts[1], first)
