# SPDX-License-Identifier: MPL-2.0
"""Rules about what monitors hear. See rules.py."""

from __future__ import annotations

import re

from machine.case import Case


def monitored_by(case: Case) -> str:
    """The socket of the monitor that a line asks; empty if it asks none."""
    words = case.line.split(" ")
    return next((line.split(" ")[2] for line in case.lines[:case.index] if words[0] == "heard" and line.startswith(f"monitor {words[1]} ")), "")


def closed_in_another_order(case: Case) -> bool:
    """A socket with several endpoints is closed: libzmq closes them in the order of their places in memory."""
    expected, got = events_of(case.reference), events_of(case.subject)
    if got[-1:] == ["MONITOR_STOPPED(0 )"] and expected[-1:] != got[-1:] and inside(case):  # see monitor_stopped
        got.pop()
    others = [[event for event in events if not event.startswith("CLOSED(")] for events in (expected, got)]
    return case.line.startswith("heard ") and sorted(expected) == sorted(got) and others[0] == others[1]


def types_over_ipc(case: Case) -> bool:
    """Two types that do not fit, over ipc: libzmq's accepting end hears also that the other has closed first."""
    bound = {line.split(" ")[2] for line in case.lines[:case.index] if line.startswith(f"bind {monitored_by(case)} ipc:")}
    connected = any(line.startswith("connect ") and line.split(" ")[2] in bound for line in case.lines[:case.index])
    others = [event for event in events_of(case.reference) if not event.startswith("HANDSHAKE_FAILED_NO_DETAIL(EPIPE ipc")]
    return case.line.startswith("heard ") and connected and others == events_of(case.subject)


def old_peer_stays(case: Case) -> bool:
    """libzmq ends a connection of ZMTP 1.0 after ZMQ_HANDSHAKE_IVL, although the peer's routing id has come."""
    before = case.lines[:case.index]
    timed = any(re.match(r"set \w+ HANDSHAKE_IVL i4 [1-9]", line) for line in before)
    old = any(re.match(r"bare_send \w+ (?!%FF)", line) for line in before)
    less = [event for event in events_of(case.reference) if not event.startswith(("HANDSHAKE_FAILED_NO_DETAIL(EAGAIN ", "DISCONNECTED("))]
    heard = case.line.startswith("heard ") and less == [event for event in events_of(case.subject) if event != "nothing)"]
    ended = case.line.startswith("bare_recv ") and case.reference == f"{case.subject} end".replace("nothing end", "end").strip()
    return timed and old and (heard or ended)


def events_of(heard: str) -> list[str]:
    return [event + ")" for event in heard.rstrip(")").split(") ")]


def heard_more(case: Case) -> set[str] | None:
    """The kinds of the events that only the subject has; None if the reference has others, or in another order."""
    if not case.line.startswith("heard "):
        return None
    rest = iter(events_of(case.subject))
    more: list[str] = []
    for event in [] if case.reference == "nothing" else events_of(case.reference):
        for got in rest:
            if got == event:
                break
            more.append(got)
        else:
            return None
    return {event.split("(")[0] for event in [*more, *rest]}


def inside(case: Case) -> bool:
    """Had the monitored socket an inproc name?"""
    return any(line.startswith((f"connect {monitored_by(case)} inproc:", f"bind {monitored_by(case)} inproc:")) for line in case.lines[:case.index])


def monitor_stopped(case: Case) -> bool:
    """A socket ends that has an inproc connection: libzmq's monitor hears of the end when the peer has done its part, if there is one."""
    before = "" if case.reference == "nothing" else f"{case.reference} "
    return case.line.startswith("heard ") and case.subject == f"{before}MONITOR_STOPPED(0 )" and inside(case)


def stopped_later(case: Case) -> bool:
    """libzmq told a monitor of the end of its socket only when somebody was bound to the name that the socket had connected to."""
    told = [result for line, result in zip(case.lines[:case.index], case.subjects) if line.split(" ")[:2] == case.line.split(" ")[:2]]
    return case.reference == "MONITOR_STOPPED(0 )" and case.subject == "nothing" and any("MONITOR_STOPPED" in result for result in told)


def connected_to_itself(case: Case) -> bool:
    """A socket that is connected to itself has the events of both ends, which come from two objects of the library."""
    calls = [line.split(" ") for line in case.lines[:case.index]]
    monitored = next((words[2] for words in calls if words[:2] == ["monitor", case.line.split(" ")[1]]), "")
    bound, made = ({words[2] for words in calls if words[:2] == [verb, monitored]} for verb in ("bind", "connect"))
    expected, got = (sorted(event for event in events_of(heard) if not event.startswith("HANDSHAKE_FAILED_NO_DETAIL("))
                     for heard in (case.reference, case.subject))
    return case.line.startswith("heard ") and bool(bound & made) and expected == got


def refused_peer_is_disconnected(case: Case) -> bool:
    """A peer that the authenticator refuses with 300 stays connected with libzmq; zlink disconnects it."""
    more = heard_more(case)
    refused = any(re.fullmatch(r"zap \w+ \w+ 300", line) for line in case.lines[:case.index])
    return refused and bool(more) and more <= {"DISCONNECTED", "CONNECT_RETRIED", "HANDSHAKE_FAILED_NO_DETAIL"}
