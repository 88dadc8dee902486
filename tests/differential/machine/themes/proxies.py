# SPDX-License-Identifier: MPL-2.0
"""A proxy between clients and workers, steered while messages are on their way."""

from __future__ import annotations

from machine.program import CAN_RECEIVE, CAN_SEND, Program

KINDS = (("ROUTER", "DEALER", "REQ", "REP"), ("XSUB", "XPUB", "PUB", "SUB"), ("PULL", "PUSH", "PUSH", "PULL"),
         ("ROUTER", "DEALER", "DEALER", "REP"))
ORDERS = ("PAUSE", "RESUME", "PAUSE", "RESUME", "TERMINATE")


def proxies(p: Program) -> None:
    front_kind, back_kind, client_kind, worker_kind = p.pick(KINDS)
    front, back = p.open(front_kind), p.open(back_kind)
    near, far = p.endpoint(), p.endpoint()
    p.bind(front, near)
    p.bind(back, far)
    client, worker = p.open(client_kind), p.open(worker_kind)
    handed_over = [front, back]
    if p.chance(0.4):
        capture, listener = p.open("PAIR"), p.open("PAIR")
        p.join(capture, listener)
        handed_over.append(capture)
    p.connect(client, near)
    p.connect(worker, far)
    p.settle()
    p.say("proxy", "x0", "c0", *handed_over)
    for name in handed_over:
        del p.types[name]
    if worker_kind == "SUB":
        p.say("set", worker, "SUBSCRIBE", "text", p.pick(("", "A")))
    p.settle()
    everyone = list(p.types)
    for _ in range(p.random.randint(4, 14)):
        step(p, everyone)
        p.settle()
    p.say("proxy_tell", "x0", "TERMINATE")
    p.say("report", "x0")
    p.drain(everyone)


def step(p: Program, everyone: list[str]) -> None:
    socket = p.pick(everyone)
    kind = p.types[socket]
    if p.chance(0.1):
        p.say("proxy_tell", "x0", p.pick(ORDERS))
    elif kind in CAN_SEND and p.chance(0.5):
        p.send(socket, f"0,{p.size()}" if kind == "DEALER" else "")
    elif kind in CAN_RECEIVE:
        p.say("recv", socket, "dontwait")
    else:
        p.look(everyone)
