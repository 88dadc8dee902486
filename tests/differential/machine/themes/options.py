# SPDX-License-Identifier: MPL-2.0
"""Options: every one, in every type, with right and wrong sizes and values."""

from __future__ import annotations

from machine import options
from machine.program import DRAFT_TYPES, STABLE_TYPES, Program
from machine.themes.exchange import PAIRS, prepare


def sweep(p: Program) -> None:
    kinds = STABLE_TYPES + DRAFT_TYPES if p.drafts else STABLE_TYPES
    p.context()
    socket = p.name("s")
    p.say("socket", socket, "c0", p.pick(kinds))
    for _ in range(p.random.randint(10, 30)):
        choice = p.random.random()
        if choice < 0.4:
            set_integer(p, socket)
        elif choice < 0.6:
            set_text(p, socket)
        else:
            option = p.pick((*options.integers(p.draft_options), *options.WIDE, *options.texts(p.draft_options), *options.UNKNOWN))
            room = p.pick((4, 8, 256)) if p.chance(0.5) else p.pick(options.ROOMS)
            p.say("get", socket, option, room)
    p.say("close", socket)


def set_integer(p: Program, socket: str) -> None:
    option = p.pick((*options.integers(p.draft_options), *options.WIDE, *options.UNKNOWN))
    value = p.pick(options.VALUES)
    if option == "USE_FD":
        value = p.pick((-2, -1))
    size = 8 if option in options.WIDE else 4
    if p.chance(0.2):
        size = p.pick((0, 1, 2, 3, 4, 5, 8))
    p.say("set", socket, option, f"i{size}", value)
    if p.chance(0.6):
        p.say("get", socket, option, 8 if option in options.WIDE else 4)


def set_text(p: Program, socket: str) -> None:
    option = p.pick(options.texts(p.draft_options))
    if p.chance(0.1):
        p.say("set", socket, option, "null", 0)
    else:
        p.say("set", socket, option, "text", p.pick(options.TEXT_VALUES))
    if p.chance(0.6):
        p.say("get", socket, option, p.pick((256, 32, 41, 300)))


def matters(p: Program) -> None:
    """An exchange in which options are changed before, between and after."""
    one, other = (p.open(kind) for kind in p.pick(PAIRS))
    p.calm = True  # low marks, ZMQ_REQ_RELAXED: what there is room for, and which reply is there, depends on the time
    for each in (one, other):
        prepare(p, each)

    def change() -> None:
        for _ in range(p.random.randint(1, 3)):
            option = p.pick(options.HARMLESS)
            wide = option == "MAXMSGSIZE"
            value = p.pick((0, 100)) if "HWM" in option and not p.stays_inside else p.pick((0, 1, 1, 1, 2, 3, 50))
            if wide and not p.stays_inside:
                value = p.pick((-1, 100, 1000, 20000))  # libzmq counts the handshake too
            p.say("set", p.pick((one, other)), option, "i8" if wide else "i4", value)
    change()
    endpoint = p.join(one, other)
    p.traffic((one, other), p.random.randint(5, 12))
    change()
    if p.chance(0.3):
        p.say(p.pick(("unbind", "disconnect")), p.pick((one, other)), endpoint)
        p.settle()
        p.join(one, other)
    p.traffic((one, other), p.random.randint(5, 12))
    p.settle()
    p.drain((one, other))
