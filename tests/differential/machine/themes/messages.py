# SPDX-License-Identifier: MPL-2.0
"""The life of messages: made, copied, moved, sent, received, closed."""

from __future__ import annotations

from machine.program import Program
from machine.themes.exchange import PAIRS, prepare

PROPERTIES = ("Socket-Type", "Routing-Id", "Identity", "User-Id", "Peer-Address", "X-key", "nothing", "Resource")


def messages(p: Program) -> None:
    first, second = p.pick(PAIRS)
    sockets = [p.open(first), p.open(second)]
    for socket in sockets:
        prepare(p, socket)
        if p.chance(0.2) and not p.stays_inside:
            p.say("set", socket, "METADATA", "text", "X-key:value")
    if second == "SUB":
        p.say("set", sockets[1], "SUBSCRIBE", "text")
    p.join(*sockets)
    names = ("g0", "g1", "g2")
    for _ in range(p.random.randint(10, 30)):
        step(p, names, sockets)
    p.drain(sockets)
    for name in names:
        p.say("msg_close", name)
    p.settle()
    for socket in list(p.types):
        p.close(socket)
    p.settle()
    p.say("frees")


def step(p: Program, names: tuple[str, ...], sockets: list[str]) -> None:
    name, other, socket = p.pick(names), p.pick(names), p.pick(sockets)
    choice = p.random.random()
    if choice < 0.25:
        p.say(*p.pick((("msg", name), ("msg_size", name, p.size()), ("msg_size", name, p.size()), ("msg_foreign", name, p.size()))))
    elif choice < 0.4 and name != other:
        p.say(p.pick(("msg_copy", "msg_move")), name, other)
    elif choice < 0.55:
        p.say("msg_send", name, socket, *p.pick((("dontwait",), ("dontwait",), ("dontwait", "more"), ("flag=5",))))
        if not p.stays_inside:
            p.settle()
    elif choice < 0.7:
        p.say("msg_recv", name, socket, "dontwait")
    elif choice < 0.8:
        p.say("msg_show", name)
    elif choice < 0.86:
        p.say("msg_gets", name, p.pick(PROPERTIES))
    elif choice < 0.9:
        p.say("msg_get", name, p.pick((0, 1, 2, 3, 4, -1)))
    elif choice < 0.92:
        p.say("msg_set", name, p.pick((0, 1, 2, 3)), p.pick((0, 1)))
    else:
        p.say("msg_close", name)
