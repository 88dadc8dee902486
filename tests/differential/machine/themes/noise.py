# SPDX-License-Identifier: MPL-2.0
"""Lines that disturb a script: calls that its theme did not think of.

The library gets time after a call that another socket hears of: libzmq takes notice of it at a time of its own.
"""

from __future__ import annotations

import re

from machine import options
from machine.program import SETTLE_MS, Program

HEARD = re.compile(r"(close|bind|connect) |set \w+ (UN)?SUBSCRIBE ")


def disturb(p: Program) -> None:
    """Puts a few lines between the others. A socket that is not open there gives "no object" on every library."""
    sockets = sorted({line.split(" ")[1] for line in p.lines if line.startswith(("open ", "socket "))})
    if not sockets:
        return
    for _ in range(p.random.randint(1, 5)):
        where = p.random.randint(1, len(p.lines))
        if where < len(p.lines) and HEARD.match(p.lines[where - 1]) and p.lines[where].startswith("settle "):
            where += 1
        line = noise(p, p.pick(sockets))
        pause = f"settle {SETTLE_MS[p.profile]}"
        before = [pause] if line.startswith("close ") and not p.stays_inside else []  # what a socket with linger 0 has sent leaves first
        p.lines[where:where] = [*before, line, pause] if HEARD.match(line) else [line]


def noise(p: Program, socket: str) -> str:
    option = p.pick(options.HARMLESS)
    size = 8 if option == "MAXMSGSIZE" else 4
    few = not p.stays_inside and ("HWM" in option or option == "MAXMSGSIZE")
    value = p.pick((-1, 100) if few else (-1, 0, 1, 2, 5))
    return p.pick((
        f"set {socket} {option} i{size} {value}",
        f"get {socket} {option} {size}",
        f"get {socket} EVENTS 4",
        f"get {socket} LAST_ENDPOINT 256",
        f"get {socket} RCVMORE 4",
        f"poll 0 {socket}:io",
        f"recv {socket} dontwait",
        f"send {socket} {p.size()} dontwait",
        f"send {socket} {p.size()},{p.size()} dontwait",
        f"unbind {socket} inproc:nowhere",
        f"disconnect {socket} inproc:nowhere",
        f"set {socket} SUBSCRIBE text {p.pick(('', 'A', 'B'))}",
        f"set {socket} UNSUBSCRIBE text {p.pick(('', 'A', 'B'))}",
        f"set {socket} ROUTING_ID text {p.pick(('A', 'B', 'C'))}",
        f"close {socket}",
        f"bind {socket} inproc:noise",
        f"connect {socket} inproc:noise",
        f"settle {1 if p.stays_inside else 20}",
    ))
