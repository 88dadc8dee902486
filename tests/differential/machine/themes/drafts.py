# SPDX-License-Identifier: MPL-2.0
"""The draft types among themselves."""

from __future__ import annotations

from machine.program import THREAD_SAFE, Program

PAIRS = (("CLIENT", "SERVER"), ("RADIO", "DISH"), ("SCATTER", "GATHER"), ("CHANNEL", "CHANNEL"), ("PEER", "PEER"))
GROUPS = ("A", "B", "", "g" * 255, "g" * 256)


def draft_types(p: Program) -> None:
    first, second = p.pick(PAIRS)
    ones = [p.open(first) for _ in range(p.pick((1, 1, 2)))]
    others = [p.open(second) for _ in range(p.pick((1, 1, 2)))]
    everyone = ones + others
    for socket in everyone:
        if p.chance(0.2):
            p.set_int(socket, p.pick(("SNDHWM", "RCVHWM")), p.random.randint(1, 4))
        if p.draft_options and p.chance(0.2):
            p.say("set", socket, p.pick(("HELLO_MSG", "DISCONNECT_MSG", "HICCUP_MSG")), "text", p.pick(("hello", "")))
    for one in ones:
        for other in others:
            if first == "PEER" and p.chance(0.8):
                endpoint = p.endpoint()
                p.bind(one, endpoint)
                p.say("connect_peer", other, endpoint)
                p.settle()
            else:
                p.join(one, other)
    for _ in range(p.random.randint(6, 18)):
        step(p, everyone)
    p.settle()
    p.drain(everyone)


def step(p: Program, everyone: list[str]) -> None:
    socket = p.pick(everyone)
    kind = p.types[socket]
    choice = p.random.random()
    if kind == "DISH" and choice < 0.4:
        p.say(p.pick(("join", "join", "leave")), socket, p.pick(GROUPS))
        p.settle()
    elif kind == "RADIO" and choice < 0.6:
        p.say("gsend", socket, p.pick(GROUPS), p.size(), "dontwait")
    elif choice < 0.4 and kind in ("SERVER", "PEER"):
        p.say("psend", socket, p.random.randint(0, 2), p.size(), "dontwait")
    elif choice < 0.4 and kind in THREAD_SAFE:
        p.say(*p.pick((("send", socket, p.size(), "dontwait"), ("send", socket, f"{p.size()},{p.size()}", "dontwait"))))
    elif choice < 0.75:
        p.say("recvall", socket, p.random.randint(1, 4))
    elif choice < 0.85:
        p.say("reply", socket, p.size())
    elif choice < 0.95:
        p.look(everyone)
    elif len(everyone) > 2:
        everyone.remove(socket)
        p.close(socket)
        p.settle()
    if not p.stays_inside:
        p.settle()
