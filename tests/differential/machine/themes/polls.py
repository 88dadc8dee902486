# SPDX-License-Identifier: MPL-2.0
"""zmq_poll and the pollers: what is reported, and in which order."""

from __future__ import annotations

from machine.program import Program
from machine.themes.exchange import PAIRS, prepare

LETTERS = ("i", "o", "io", "e", "p", "ioep", "", "ix")


def some_sockets(p: Program) -> list[str]:
    p.calm = True
    sockets: list[str] = []
    for _ in range(p.random.randint(1, 3)):
        one, other = (p.open(kind) for kind in p.pick(PAIRS))
        for each in (one, other):
            prepare(p, each)
        p.join(one, other)
        sockets += [one, other]
    return sockets


def polls(p: Program) -> None:
    sockets = some_sockets(p)
    descriptors: list[str] = []
    for _ in range(p.random.randint(0, 2)):
        descriptors.append(p.name("f"))
        p.say("fd", descriptors[-1])
    for _ in range(p.random.randint(5, 14)):
        choice = p.random.random()
        if choice < 0.55:
            names = p.random.sample(sockets + descriptors, p.random.randint(0, len(sockets) + len(descriptors)))
            if names and p.chance(0.1):
                names.append(p.pick([*names, "null", "badfd"]))
            if any(name.startswith("s") for name in names) or p.chance(0.2):
                p.say("poll", p.pick((0, 0, 1, 5)), *[f"{name}:{p.pick(LETTERS)}" for name in names])
        elif choice < 0.65 and descriptors:
            p.say(p.pick(("fd_ring", "fd_silence")), p.pick(descriptors))
        elif choice < 0.7 and len(sockets) > 2:
            gone = p.pick(sockets)
            sockets.remove(gone)
            p.close(gone)
            p.settle()
        else:
            p.traffic(sockets, 3)


def pollers(p: Program) -> None:
    sockets = some_sockets(p)
    if p.chance(0.3):
        sockets.append(p.open(p.pick(("CLIENT", "SERVER", "DISH", "SCATTER", "PEER", "CHANNEL"))))
    descriptor = p.name("f")
    p.say("fd", descriptor)
    p.say("poller", "p0")
    for _ in range(p.random.randint(8, 24)):
        step(p, sockets, descriptor)
    p.say("poller_destroy", "p0")


def step(p: Program, sockets: list[str], descriptor: str) -> None:
    socket = p.pick(sockets) if p.chance(0.97) else "null"
    letters = p.pick(("i", "o", "io", "io", "e", "", "ix"))
    choice = p.random.random()
    if choice < 0.3:
        p.say("poller_add", "p0", socket, letters)
    elif choice < 0.4:
        p.say("poller_modify", "p0", socket, letters)
    elif choice < 0.47:
        p.say("poller_remove", "p0", socket)
    elif choice < 0.53:
        p.say("poller_add_fd", "p0", descriptor if p.chance(0.9) else "badfd", letters)
    elif choice < 0.57:
        p.say("poller_modify_fd", "p0", descriptor, letters)
    elif choice < 0.6:
        p.say("poller_remove_fd", "p0", descriptor)
    elif choice < 0.63:
        p.say(p.pick(("fd_ring", "fd_silence")), descriptor)
    elif choice < 0.68:
        p.say(p.pick(("poller_size", "poller_fd")), "p0")
    elif choice < 0.78:
        p.say("poller_wait", "p0", p.pick((0, 1, 5)))
    elif choice < 0.92:
        p.say("poller_wait_all", "p0", p.pick((0, 1, 5)), p.pick((0, 1, 2, 10)))
    else:
        p.traffic(sockets, 3)
