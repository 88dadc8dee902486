# SPDX-License-Identifier: MPL-2.0
"""Contexts: their options, how many sockets they hold, and their end."""

from __future__ import annotations

from machine.program import STABLE_TYPES, Program

OPTIONS = ("IO_THREADS", "MAX_SOCKETS", "SOCKET_LIMIT", "THREAD_PRIORITY", "THREAD_SCHED_POLICY", "MAX_MSGSZ", "MSG_T_SIZE",
           "THREAD_NAME_PREFIX", "IPV6", "BLOCKY", "0", "11", "41", "43", "69", "71", "-1", "1000")
VALUES = (-2147483648, -1, 0, 1, 2, 3, 8, 100, 1023, 65535, 65536, 2147483647)
# Values of these start threads with rights that a test does not have, or bind them to processors.
NOT_SET = ("THREAD_PRIORITY", "THREAD_SCHED_POLICY", "SOCKET_LIMIT", "MSG_T_SIZE")


def contexts(p: Program) -> None:
    context = p.context()
    for _ in range(p.random.randint(2, 10)):
        option = p.pick(OPTIONS)
        if p.chance(0.6) and option not in NOT_SET:
            value = p.pick(VALUES)
            if option == "IO_THREADS":
                value = min(value, 3)
            p.say("ctx_set", context, option, value)
        p.say("ctx_get", context, option)
        if p.drafts and p.chance(0.2):
            p.say("ctx_get_ext", context, option, p.pick((0, 3, 4, 8, 20)))
    names = [p.name("s") for _ in range(p.random.randint(1, 5))]
    if p.chance(0.3):
        p.say("ctx_set", context, "MAX_SOCKETS", p.random.randint(1, 4))
    for name in names:
        p.say("socket", name, p.pick((context, context, context, "null")), p.pick((*STABLE_TYPES, "99", "-1", "21")))
        for option in ("LINGER", "IPV6"):
            if p.chance(0.3):
                p.say("get", name, option, 4)
    for option in ("IO_THREADS", "MAX_SOCKETS", "BLOCKY"):
        if p.chance(0.3):
            p.say("ctx_set", context, option, p.pick((0, 1, 2, 5)))
            p.say("ctx_get", context, option)
    endpoint = p.endpoint()
    for name in names:
        p.say(p.pick(("bind", "connect")), name, endpoint)
    the_end(p, context, names)


def the_end(p: Program, context: str, names: list[str]) -> None:
    if p.chance(0.6):
        p.say("shutdown", context)
        p.settle()
        for name in names:
            p.say(*p.pick((("recv", name, "dontwait"), ("send", name, 3, "dontwait"), ("events", name), ("bind", name, "inproc:x"),
                           ("get", name, "TYPE", 4), ("poll", 0, f"{name}:io"), ("set", name, "SNDHWM", "i4", 3),
                           ("connect", name, "inproc:x"), ("unbind", name, "inproc:x"))))
        p.say("socket", "late", context, "PAIR")
        p.say("ctx_get", context, "MAX_SOCKETS")
        p.say("ctx_set", context, "BLOCKY", 0)
        if p.chance(0.3):
            p.say("shutdown", context)
    for name in names:
        p.say("close", name)
    if p.chance(0.8):
        p.say("term", context)
        p.contexts.remove(context)
    if p.chance(0.2):
        p.say(p.pick(("shutdown", "term")), "null")
