# SPDX-License-Identifier: MPL-2.0
"""REQ and REP: who may do what when, with one peer, several and none."""

from __future__ import annotations

from machine.program import Program


def requests(p: Program) -> None:
    askers = [p.open(p.pick(("REQ", "REQ", "DEALER"))) for _ in range(p.random.randint(1, 2))]
    answerers = [p.open(p.pick(("REP", "REP", "ROUTER", "DEALER"))) for _ in range(p.random.randint(1, 3))]
    for asker in askers:
        if p.types[asker] == "REQ":
            for option in ("REQ_RELAXED", "REQ_CORRELATE"):
                if p.chance(0.4):
                    p.set_int(asker, option, 1)
        for answerer in answerers:
            if p.types[asker] == "DEALER" and p.types[answerer] == "DEALER":
                continue
            if p.chance(0.85):
                p.join(asker, answerer)
    for _ in range(p.random.randint(8, 24)):
        step(p, askers, answerers)
    p.settle()
    p.drain((*askers, *answerers))


def step(p: Program, askers: list[str], answerers: list[str]) -> None:
    choice = p.random.random()
    asker, answerer = p.pick(askers), p.pick(answerers)
    if choice < 0.3:
        p.send(asker, request(p) if p.types[asker] == "DEALER" else "")
    elif choice < 0.5:
        p.receive(answerer)
    elif choice < 0.7:
        if p.types[answerer] == "REP":
            p.send(answerer)
        else:
            p.say("reply", answerer, p.size())
    elif choice < 0.85:
        p.receive(asker)
    elif choice < 0.93:
        p.look((*askers, *answerers))
    elif choice < 0.96 and len(answerers) > 1:
        answerers.remove(answerer)
        p.close(answerer)
        p.settle()
    elif p.chance(0.5):
        p.set_int(asker, p.pick(("REQ_RELAXED", "REQ_CORRELATE")), p.pick((0, 1)))
    p.settle()


def request(p: Program) -> str:
    """What a DEALER sends to a REP, well formed or not."""
    return p.pick((f"0,{p.size()}", f"0,{p.size()},{p.size()}", f"=A,0,{p.size()}", str(p.size()), "0", f"=A,=B,{p.size()}", "0,0"))
