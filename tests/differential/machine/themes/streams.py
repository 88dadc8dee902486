# SPDX-License-Identifier: MPL-2.0
"""STREAM and bare connections: bytes without ZMTP, and peers that do not speak it."""

from __future__ import annotations

from machine.program import SETTLE_MS, Program

GREETING = "%FF%00%00%00%00%00%00%00%01%7F"
BYTES = ("hello", "GET%20/%20HTTP/1.0%0D%0A%0D%0A", "%00", "%01%00", GREETING, GREETING + "%03%00NULL" + "%00" * 48, "%FF", "%7F" * 20)


def streams(p: Program) -> None:
    if p.chance(0.5):
        between_streams(p)
    else:
        against_bare(p)


def between_streams(p: Program) -> None:
    one, other = p.open("STREAM"), p.open("STREAM")
    if p.chance(0.3):
        p.set_int(p.pick((one, other)), "STREAM_NOTIFY", 0)
    if p.chance(0.3):
        p.say("set", other, "CONNECT_ROUTING_ID", "text", p.pick(("A", "B")))
    endpoint = f"tcp:{p.random.randint(1, 9)}"
    p.bind(one, endpoint)
    p.connect(other, endpoint)
    p.settle()
    for _ in range(p.random.randint(4, 12)):
        socket = p.pick((one, other))
        choice = p.random.random()
        if choice < 0.45:
            p.say("recvall", socket, 3)
        elif choice < 0.8:
            p.say("send", socket, f"{p.pick(('@0', '@1', '@2', '=A'))},{p.pick((0, 1, 10, 300, 9000))}", "dontwait")
            p.settle()
        elif choice < 0.9:
            p.say("reply", socket, p.pick((0, 5, 40)))
            p.settle()
        else:
            p.look((one, other))


def against_bare(p: Program) -> None:
    """A socket of any type, a monitor, and a peer that says something else."""
    socket = p.open(p.pick(("STREAM", "ROUTER", "PULL", "REP", "SUB", "PAIR", "XPUB")))
    if p.types[socket] == "ROUTER" and p.chance(0.4):
        p.set_int(socket, "ROUTER_RAW", 1)
    if p.chance(0.5):
        p.set_int(socket, "HANDSHAKE_IVL", p.pick((0, 50)))
    p.say("monitor", "m0", socket, "v1", "ALL")
    endpoint = f"tcp:{p.random.randint(1, 9)}"
    p.bind(socket, endpoint)
    for index in range(p.random.randint(1, 2)):
        p.say("bare", f"n{index}", endpoint)
        p.settle()
    for _ in range(p.random.randint(2, 8)):
        peer = f"n{p.random.randint(0, 1)}"
        choice = p.random.random()
        if choice < 0.4:
            p.say("bare_send", peer, p.pick(BYTES))
            p.settle()
        elif choice < 0.55:
            p.say("bare_recv", peer)
        elif choice < 0.7:
            p.say("recvall", socket, 3)
        elif choice < 0.8:
            p.say("send", socket, f"@0,{p.pick((0, 5, 300))}", "dontwait")
            p.settle()
        elif choice < 0.9:
            p.say("bare_close", peer)
            p.settle()
        else:
            p.look([socket])
    p.say("recvall", socket, 6)
    p.say("heard", "m0", SETTLE_MS[p.profile])
    p.say("close", "m0")
