# SPDX-License-Identifier: MPL-2.0
"""Rules about routing ids, and about sockets that send by them. See rules.py."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from machine.case import SENDS, Case, socket_of


def id_of_a_gone_peer(case: Case) -> bool:
    """Two peers of a ROUTER or REP have the same id, one after the other: libzmq never hears the second one while something of the
    first is unread, and sends it nothing."""
    before = case.lines[:case.index]
    named = [line.split(" ") for line in before if re.match(r"set \w+ ROUTING_ID text ", line)]
    if not taken_again(case, named) or not any(re.match(r"open \w+ \w+ (ROUTER|REP) ", line) for line in before):
        return False
    socket = socket_of(case.line)
    changed = dataclasses.replace(case, references=case.subjects, subjects=case.references)
    if case.line.split(" ")[0] in SENDS:
        return case.reference.startswith("-1 EHOSTUNREACH") and not case.subject.startswith("-1")
    if not socket:
        return bool(changed.more_ready() or changed.more_ready("o"))
    more = iter(case.subject.split("] "))
    heard = case.type_of(socket) in ("ROUTER", "REP") or socket in {words[1] for words in named}
    return heard and "-1 EAGAIN" in case.reference and (
        case.reference == "-1 EAGAIN" or all(message in more for message in case.reference.split("] ")))


def taken_again(case: Case, named: Sequence[Sequence[str]]) -> bool:
    """Has a peer gone, and another one come with its id?"""
    before = case.lines[:case.index]
    ids = [words[4] for words in named if len(words) > 4]
    ended = ("close ", "disconnect ", "unbind ")
    probed = any(re.fullmatch(r"set \w+ (PROBE_ROUTER|ROUTER_HANDOVER) i4 [1-9]\d*", line) and case.type_of(line.split(" ")[1]) == "ROUTER" for line in before)
    again = any(re.match(rf"(disconnect|unbind) {words[1]} ", line) for words in named for line in before)
    several = any(sum(line.startswith((f"connect {words[1]} ", f"bind {words[1]} ")) for line in before) > 1 for words in named)
    gone = any(line.startswith(ended) for line in before)
    return again or several and (gone or probed) or len(set(ids)) != len(ids) and (probed or gone)


def metadata_of_an_id(case: Case) -> bool:
    """libzmq loses the metadata of a ROUTER's id frame if ZMQ_EVENTS was asked for before the receive."""
    words = case.line.split(" ")
    received = [line.split(" ") for line in case.lines[:case.index] if line.startswith(f"msg_recv {words[1]} ")]
    return bool(received) and case.type_of(received[-1][2]) == "ROUTER"


def newest_behind_an_id(case: Case) -> bool:
    """A ROUTER has given the id of a peer with ZMQ_CONFLATE: libzmq has read the message with it, zlink reads the newest one."""
    conflating = any(re.match(r"set \w+ CONFLATE i4 [1-9]", line) for line in case.lines[:case.index])
    return (conflating and case.type_of(socket_of(case.line)) == "ROUTER" and not case.reference.startswith("-1")
            and not case.subject.startswith("-1"))


def probe_of_a_late_binder(case: Case) -> bool:
    """A ROUTER has connected to an inproc name before it was bound: libzmq takes the binder's probe for its routing id."""
    before = case.lines[:case.index]
    early = {line.split(" ")[1] for index, line in enumerate(before) if re.match(r"connect \w+ inproc:", line)
             and not any(each.startswith("bind ") and each.split(" ")[2] == line.split(" ")[2] and not case.references[at].startswith(("-1", "no "))
                         for at, each in enumerate(before[:index]))}
    probing = any(re.fullmatch(r"set \w+ PROBE_ROUTER i4 [1-9]\d*", line) for line in before)
    socket = socket_of(case.line)
    names = {socket} - {""} or dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
    more = not socket or re.search(r"\[[^\]|]+\|\]", case.subject) is not None and len(case.subject) >= len(case.reference.removesuffix("-1 EAGAIN"))
    return probing and more and bool(names) and all(case.type_of(name) == "ROUTER" and name in early for name in names)


def gone_stream(case: Case) -> bool:
    """A send to a raw connection that has gone while something of it is unread."""
    words = case.line.split(" ")
    return (words[0] in SENDS and (case.type_of(words[1]) == "STREAM" or f"set {words[1]} ROUTER_RAW i4 1" in case.lines[:case.index])
            and (case.reference, case.subject) == ("-1 EAGAIN", "-1 EHOSTUNREACH")
            and any(line.startswith(("bare_close ", "close ", "disconnect ", "unbind ")) or ends_a_stream(case, line)
                    for line in case.lines[:case.index]))


def ends_a_stream(case: Case, line: str) -> bool:
    """Does the line send an empty message to a raw connection, which ends it?"""
    words = line.split(" ")
    empty = words[0] == "reply" and words[2:3] == ["0"] or words[0] in SENDS and re.fullmatch(r"[@=]\w+,0", (words + ["", ""])[2]) is not None
    return empty and case.type_of(words[1]) == "STREAM"
