# SPDX-License-Identifier: MPL-2.0
"""ROUTER: who is known by which name, and what happens to messages for nobody."""

from __future__ import annotations

from machine.program import Program

NAMES = ("A", "B", "C", "%01x", "n" * 255)


def routers(p: Program) -> None:
    router = p.open("ROUTER")
    reconnect_soon(p, router)
    if p.chance(0.6):
        p.set_int(router, "ROUTER_MANDATORY", 1)
    if p.chance(0.35):
        p.set_int(router, "ROUTER_HANDOVER", 1)
    if p.chance(0.2):
        p.set_int(router, "PROBE_ROUTER", 1)
    if p.chance(0.3):
        p.say("set", router, "ROUTING_ID", "text", p.pick(NAMES))
    if p.draft_options and p.chance(0.3):
        p.set_int(router, "ROUTER_NOTIFY", p.random.randint(1, 3))
    endpoint = p.endpoint()
    p.bind(router, endpoint)
    peers: list[str] = []
    for _ in range(p.random.randint(1, 4)):
        add_peer(p, router, peers, endpoint)
    for _ in range(p.random.randint(6, 18)):
        step(p, router, peers, endpoint)
    p.settle()
    p.drain((router, *peers))


def reconnect_soon(p: Program, socket: str) -> None:
    """A REQ ends the connection of a ROUTER that sends it something else than a reply. It should be there again after a pause."""
    if not p.stays_inside:
        p.set_int(socket, "RECONNECT_IVL", 10)


def add_peer(p: Program, router: str, peers: list[str], endpoint: str) -> None:
    ends_connections = not p.stays_inside and f"set {router} PROBE_ROUTER i4 1" in p.lines  # a REQ, at every probe
    peer = p.open(p.pick(("DEALER", "DEALER", "DEALER" if ends_connections else "REQ", "REP", "ROUTER")))
    reconnect_soon(p, peer)
    if p.chance(0.65):
        p.say("set", peer, "ROUTING_ID", "text", p.pick(NAMES))
    if p.chance(0.25) and p.types[peer] != "REP":
        p.set_int(peer, "PROBE_ROUTER", 1)
    if p.chance(0.15):
        other = p.endpoint()
        p.bind(peer, other)
        p.say("set", router, "CONNECT_ROUTING_ID", "text", p.pick(NAMES))
        p.connect(router, other)
    else:
        p.connect(peer, endpoint)
    p.settle()
    peers.append(peer)


def step(p: Program, router: str, peers: list[str], endpoint: str) -> None:
    choice = p.random.random()
    peer = p.pick(peers)
    if choice < 0.3:
        to = p.pick(("@0", "@1", "=A", "=B", "=C", "=nobody", "0", "=%01x"))
        p.send(router, f"{to},{p.frames()}" if p.chance(0.95) else to)
    elif choice < 0.55 and p.types[peer] != "ROUTER":
        p.send(peer)
    elif choice < 0.7:
        p.receive(router)
        if p.chance(0.5):
            p.say("reply", router, p.size())
    elif choice < 0.8:
        p.receive(peer)
    elif choice < 0.86:
        p.look((router, *peers))
    elif choice < 0.92 and len(peers) > 1:
        peers.remove(peer)
        p.close(peer)
        p.settle()
    elif choice < 0.96 and len(peers) < 5:
        add_peer(p, router, peers, endpoint)
    elif p.drafts:
        p.say("peer_state", router, p.pick(("=A", "=B", "@0")))
    p.settle()
