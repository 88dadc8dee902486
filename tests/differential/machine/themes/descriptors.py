# SPDX-License-Identifier: MPL-2.0
"""ZMQ_FD: when it becomes readable, and which calls make it silent again.

Each step is followed by a pause, because libzmq looks for news at most once in a while when it sends.
"""

from __future__ import annotations

from machine.program import CAN_RECEIVE, CAN_SEND, SETTLE_MS, Program
from machine.themes.exchange import PAIRS, prepare


def descriptors(p: Program) -> None:
    one, other = (p.open(kind) for kind in p.pick(PAIRS))
    for each in (one, other):
        prepare(p, each)
        if p.types[each] == "SUB":
            p.say("set", each, "SUBSCRIBE", "text")
    watched = [one, other] if p.chance(0.7) else [p.pick((one, other))]
    if p.chance(0.5):
        look(p, watched)
    endpoint = p.join(one, other)
    for _ in range(p.random.randint(6, 20)):
        step(p, one, other, endpoint)
        p.say("sleep", SETTLE_MS[p.profile])
        look(p, watched)


def look(p: Program, watched: list[str]) -> None:
    for socket in watched:
        p.say("fd_readable", socket)


def step(p: Program, one: str, other: str, endpoint: str) -> None:
    socket = p.pick((one, other))
    kind = p.types[socket]
    choice = p.random.random()
    if choice < 0.4 and kind in CAN_SEND:
        p.send_by_type(socket, kind)
    elif choice < 0.65 and kind in CAN_RECEIVE:
        verb, size = p.pick(("recv", "recv1", "recvall")), p.pick((1, 2, 100))
        # A part of an id that the library made up is another one in every process.
        p.say(verb, socket, 100 if verb == "recv1" and kind == "ROUTER" else size, "dontwait")
    elif choice < 0.75:
        p.say("reply", socket, p.size())
    elif choice < 0.85:
        p.say("events", socket)
    elif choice < 0.93:
        p.say("poll", 0, f"{socket}:{p.pick(('i', 'o', 'io'))}")
    elif choice < 0.96:
        p.say("set", socket, p.pick(("LINGER", "SNDTIMEO")), "i4", 0)
    elif p.chance(0.3):
        p.say(p.pick(("disconnect", "unbind")), socket, endpoint)
        if not p.stays_inside:
            p.settle()  # libzmq ends a connection with the next call on the socket
