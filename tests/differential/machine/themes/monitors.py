# SPDX-License-Identifier: MPL-2.0
"""Monitors: which events come in which order."""

from __future__ import annotations

from machine.program import SETTLE_MS, Program
from machine.themes.exchange import PAIRS

EVENTS = ("CONNECTED", "CONNECT_DELAYED", "CONNECT_RETRIED", "LISTENING", "BIND_FAILED", "ACCEPTED", "CLOSED", "DISCONNECTED",
          "MONITOR_STOPPED", "HANDSHAKE_SUCCEEDED")


def watch(p: Program, socket: str) -> str:
    monitor = p.name("m")
    mask = "ALL" if p.chance(0.7) else "|".join(p.random.sample(EVENTS, p.random.randint(1, 4)))
    version = p.pick(("v1", "v2", "w1")) if p.drafts else "v1"
    words = ["monitor", monitor, socket, version, mask]
    if version != "v1" and p.chance(0.4):
        words.append(p.pick(("PAIR", "PUB", "PUSH", "PULL", "DEALER")))
    p.say(*words)
    return monitor


def monitors(p: Program) -> None:
    sockets = [p.open(kind) for kind in p.pick(PAIRS)]
    if p.chance(0.4):
        sockets.append(p.open(p.pick(("PAIR", "PULL", "DEALER", "REP", "STREAM"))))
    for socket in sockets:
        if not p.stays_inside:
            p.set_int(socket, "RECONNECT_IVL", p.pick((-1, -1, 10000)))
    watching = [watch(p, socket) for socket in sockets if p.chance(0.8)]
    endpoints = [p.endpoint() for _ in range(2)]
    quiet_ms = SETTLE_MS[p.profile]
    for _ in range(p.random.randint(4, 12)):
        socket = p.pick(sockets)
        choice = p.random.random()
        if choice < 0.55:
            p.say(p.pick(("bind", "connect", "connect", "unbind", "disconnect")), socket, p.pick(endpoints))
            p.settle()
        elif choice < 0.65:
            p.traffic(sockets, 2)
        elif choice < 0.8 and watching:
            p.say("heard", p.pick(watching), quiet_ms)
        elif choice < 0.85:
            p.say("unmonitor", socket)
        elif choice < 0.9:
            watching.append(watch(p, socket))
        elif len(sockets) > 1:
            sockets.remove(socket)
            p.close(socket)
            p.settle()
    for monitor in watching:
        p.say("heard", monitor, quiet_ms)
    for socket in list(sockets):
        p.close(socket)
    p.settle()
    for monitor in watching:
        p.say("heard", monitor, quiet_ms)
        p.say("close", monitor)
