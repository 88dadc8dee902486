# SPDX-License-Identifier: MPL-2.0
"""Calls that cannot succeed, and calls of functions that need no socket."""

from __future__ import annotations

from machine.program import STABLE_TYPES, TOPICS, Program

NULL_SOCKET = ("send null 3", "recv null dontwait", "msend null 3", "bind null inproc:a", "connect null inproc:a", "unbind null inproc:a",
               "disconnect null inproc:a", "set null LINGER i4 0", "get null TYPE 4", "close null", "unmonitor null", "recv1 null 5",
               "send_vector null 1,2", "recv_vector null 2", "poll 0 null:i", "ctx_set null BLOCKY 1", "ctx_get null BLOCKY",
               "socket n null PAIR", "shutdown null", "term null")
SMALL = ("has ipc", "has curve", "has inproc", "has nothing", "has IPC", "z85_encode abcd", "z85_encode abc", "z85_encode",
         "z85_encode %00%00%00%00%FF%FF%FF%FF", "z85_decode HelloWorld", "z85_decode Hello", "z85_decode Hell", "z85_decode",
         "z85_decode #####", "z85_decode %7E%7E%7E%7E%7E", "z85_decode %20%20%20%20%20", "curve_keypair", "strerror 11",
         "strerror 156384763", "strerror 156384764", "strerror 156384765", "strerror 156384766", "strerror 156384713", "strerror 0",
         "strerror -1", "strerror 99999", "counter k0", "counter_do k0 inc", "counter_do k0 dec", "counter_do k0 set 5",
         "counter_do k0 value", "sleep 0", "poll 0", "poll 1")


def wrong(p: Program) -> None:
    for _ in range(p.random.randint(2, 8)):
        p.lines.append(p.pick(SMALL))
    for _ in range(p.random.randint(1, 5)):
        p.lines.append(p.pick(NULL_SOCKET))
    sockets = [p.open(p.pick(STABLE_TYPES)) for _ in range(p.random.randint(1, 3))]
    for socket in sockets:
        if p.chance(0.5):
            p.say(p.pick(("bind", "connect")), socket, p.endpoint())
    for _ in range(p.random.randint(6, 18)):
        on_socket(p, p.pick(sockets))


def on_socket(p: Program, socket: str) -> None:
    """Whatever the type is: most of these are not for it."""
    p.say(*p.pick((
        ("send", socket, p.frames(), "dontwait"),
        ("send", socket, "=" + p.pick(TOPICS), "dontwait"),
        ("send", socket, 3, f"flag={p.pick((1, 3, 5, 9, 17, 257))}"),
        ("send_null", socket, 0, "dontwait"),
        ("send_vector", socket, p.frames(), "dontwait"),
        ("recv", socket, "dontwait"),
        ("recv", socket, f"flag={p.pick((1, 3, 5, 9))}"),
        ("recv1", socket, p.pick((0, 10)), "dontwait"),
        ("recv_vector", socket, p.pick((0, 1, 3)), "dontwait"),
        ("set", socket, "SUBSCRIBE", "text", p.pick(TOPICS)),
        ("set", socket, "UNSUBSCRIBE", "text", p.pick(TOPICS)),
        ("get", socket, "EVENTS", 4),
        ("get", socket, "RCVMORE", 4),
        ("get", socket, "LAST_ENDPOINT", p.pick((0, 1, 10, 256))),
        ("events", socket),
        ("poll", 0, f"{socket}:io"),
        ("unmonitor", socket),
        ("unbind", socket, p.pick(("inproc:none", "empty", "nonsense"))),
        ("disconnect", socket, p.pick(("inproc:none", "empty", "nonsense"))),
        ("bind", socket, "inproc:same"),
        ("connect", socket, "inproc:same"),
        ("settle", 2),
    )))
