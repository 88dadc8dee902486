# SPDX-License-Identifier: MPL-2.0
"""What a row of docs/DIFFERENCES.md cannot say with a regular expression. A rule returns true if the difference is the one it is named after."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Sequence

from machine.case import RECEIVES, SENDS, Case, readiness, socket_of
from machine.id_rules import gone_stream, id_of_a_gone_peer, metadata_of_an_id, newest_behind_an_id, probe_of_a_late_binder
from machine.monitor_rules import (closed_in_another_order, connected_to_itself, heard_more, monitor_stopped, old_peer_stays,
                                   refused_peer_is_disconnected, stopped_later, types_over_ipc)

ORDERS = re.compile(r"\[(PAUSE|RESUME|TERMINATE|STATISTICS)\]")


def malformed_is_not_readable(case: Case) -> bool:
    """libzmq reports ZMQ_POLLIN for a REQ or REP that has only a message with a wrong envelope. A receive then finds nothing."""
    names = case.more_ready()
    return bool(names) and all(case.type_of(name) in ("REQ", "REP") and nothing_received(case, name) for name in names)


def nothing_received(case: Case, socket: str) -> bool:
    """Does the reference receive nothing from this socket before anything else is sent?"""
    for line, result in zip(case.lines[case.index + 1:], case.references[case.index + 1:]):
        if line.split(" ")[0] in (*SENDS, "settle", "close", "proxy"):
            return True
        if socket_of(line) == socket:
            return result.startswith("-1 E")
    return True


def captured_order(case: Case) -> bool:
    """libzmq's steerable proxy sends the orders that it gets to the capture socket too."""
    captures = [line.split(" ") for line in case.lines[:case.index] if re.match(r"proxy \w+ \w+ \w+ \w+ \w+", line)]
    if not captures or not any(line.startswith("proxy_tell ") for line in case.lines[:case.index]):
        return False
    if ORDERS.search(case.reference) and case.type_of(socket_of(case.line)) == "PAIR":
        return True
    names = case.more_ready()
    return bool(names) and all(case.type_of(name) == "PAIR" for name in names)


def shared_body(case: Case) -> bool:
    """libzmq hands the body of a message of 34 bytes over inproc by reference; the receiver's message then says that it is shared."""
    size = re.match(r"\d+", case.reference)
    if case.line.startswith("msg_show "):
        return size is not None and int(size[0]) > 33 and case.reference.removesuffix("shared 1") == case.subject.removesuffix("shared 0")
    return re.fullmatch(r"msg_get \w+ 3", case.line) is not None and (case.reference, case.subject) == ("1", "0")


def half_sent_request(case: Case) -> bool:
    """A peer goes in the middle of a message: libzmq may refuse the next frame, and zlink drops it with the rest."""
    words = case.line.split(" ")
    if words[0] in RECEIVES or case.subject == "-1 EFSM":
        return reply_to_a_half_sent_request(case)
    if words[0] not in SENDS or case.type_of(words[1]) not in ("REQ", "DEALER", "PUSH") or case.reference != "-1 EAGAIN" or case.subject.startswith("-1"):
        return False
    sent = [line for line in case.lines[:case.index] if line.split(" ")[0] in SENDS and line.split(" ")[1] == words[1]]
    return bool(sent) and "more" in sent[-1].split(" ")


def reply_to_a_half_sent_request(case: Case) -> bool:
    """A blocking send of a REQ has sent the rest: with libzmq no reply is waited for then, and the next request may be sent."""
    socket = socket_of(case.line) or case.line.split(" ")[1]
    results = ("-1 EFSM", "-1 EAGAIN") if socket_of(case.line) else (case.reference, "-1 EFSM")
    if case.type_of(socket) != "REQ" or (case.reference, case.subject) != results or (case.reference.startswith("-1") and not socket_of(case.line)):
        return False
    sent = [index for index, line in enumerate(case.lines[:case.index]) if line.split(" ")[0] in SENDS and line.split(" ")[1] == socket]
    if len(sent) < 2 or "more" not in case.lines[sent[-2]].split(" ") or {"more", "dontwait"} & set(case.lines[sent[-1]].split(" ")):
        return False
    return any(sent[-2] < index < sent[-1] for index in endings(case))


def received_before_the_end(case: Case) -> bool:
    """With ZMQ_RECONNECT_IVL -1 libzmq drops what it had received when the connection ends; zlink delivers it."""
    less, more = case.reference, case.subject
    socket = socket_of(case.line)
    if not socket:
        names = dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
        return bool(names) and all(given_up(case, name) for name in names)
    return given_up(case, socket) and "-1 EAGAIN" in less and more.startswith(less.split("-1 EAGAIN")[0]) and not more.startswith("-1")


def given_up(case: Case, socket: str) -> bool:
    """Had the socket a connection that ended and was not to be made again?"""
    before = case.lines[:case.index]
    return (f"set {socket} RECONNECT_IVL i4 -1" in before and any(line.startswith(f"connect {socket} ") for line in before)
            and any(line.startswith(("unbind ", "close ", "disconnect ")) for line in before))


def given_up_when_refused(case: Case) -> bool:
    """The authenticator refuses a peer with 300, which does not connect again: with libzmq it stays connected and takes messages."""
    names = case.more_writable()
    refused = any(re.fullmatch(r"zap \w+ \w+ 300", line) for line in case.lines[:case.index])
    return refused and bool(names) and all(f"set {name} RECONNECT_IVL i4 -1" in case.lines[:case.index] for name in names)


def over_network(case: Case, socket: str) -> bool:
    """Has the socket bound or connected over a network?"""
    return any(re.match(rf"(bind|connect) {socket} (tcp|ipc):", line) for line in case.lines[:case.index])


def conflated_topics(case: Case) -> bool:
    """A SUB with ZMQ_CONFLATE tells a peer only the last of its topics with libzmq."""
    before = case.lines[:case.index]
    conflating = {line.split(" ")[1] for line in before if re.match(r"set \w+ CONFLATE i4 [1-9]", line)}
    several = {name for name in conflating if sum(line.startswith(f"set {name} SUBSCRIBE ") for line in before) > 1}
    if not several:
        return False
    if case.type_of(socket_of(case.line)) == "XPUB":
        return not case.subject.startswith("-1") and "%01" in case.subject or case.line.startswith("recv1 ")
    return socket_of(case.line) in several and case.reference.startswith("-1 EAGAIN") and not case.subject.startswith("-1")


def lost_with_the_connection(case: Case) -> bool:
    """A socket with ZMQ_IMMEDIATE has disconnected an endpoint with an unread message: with libzmq the connection stays, and takes
    the next message, which is lost."""
    socket = socket_of(case.line)
    before = case.lines[:case.index]
    ended = any(line.startswith((f"unbind {socket} ", f"disconnect {socket} ")) for line in before)
    return (bool(socket) and ended and f"set {socket} IMMEDIATE i4 1" in before and over_network(case, socket)
            and not case.subject.startswith("-1") and len(case.reference) <= len(case.subject))


def reply_behind_an_authenticator(case: Case) -> bool:
    """A REQ that asks an authenticator about its peers gets no reply with libzmq: the connection ends."""
    before = case.lines[:case.index]
    asked = any(re.fullmatch(r"zap \w+ \w+ 200", line) for line in before)
    asking = {line.split(" ")[1] for line in before if re.match(r"set \w+ (ZAP_DOMAIN|PLAIN_SERVER|CURVE_SERVER) ", line)}
    if case.line.startswith("heard "):
        name = next((line.split(" ")[2] for line in before if line.startswith(f"monitor {case.line.split(' ')[1]} ")), "")
        more = heard_more(dataclasses.replace(case, references=case.subjects, subjects=case.references))
        found = bool(more) and "DISCONNECTED" in more
        return asked and found and any(case.type_of(each) == "REQ" and over_network(case, each) for each in asking | {name})
    names = {socket_of(case.line)} - {""} or dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
    less = not socket_of(case.line) or case.reference.startswith("-1 EAGAIN") and not case.subject.startswith("-1")
    return asked and less and bool(names) and all(case.type_of(name) == "REQ" and name in asking and over_network(case, name) for name in names)


def conflated_before_the_end(case: Case) -> bool:
    """The end of a connection takes the place of the message that a socket with ZMQ_CONFLATE keeps; zlink delivers the message."""
    socket = socket_of(case.line)
    names = {socket} if socket else dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
    nothing = not socket or case.reference.startswith("-1 EAGAIN") and not case.subject.startswith("-1")
    return (bool(names) and nothing and all(f"set {name} CONFLATE i4 1" in case.lines[:case.index] for name in names)
            and any(line.startswith(("close ", "disconnect ", "unbind ")) for line in case.lines[:case.index]))


def second_peer_of_pair(case: Case) -> bool:
    """A PAIR has a peer, and another one connects: libzmq leaves that one connected and never hears it; zlink refuses it."""
    words = case.line.split(" ")
    if words[0] == "heard":
        words = [words[0], next((line.split(" ")[2] for line in case.lines[:case.index] if line.startswith(f"monitor {words[1]} ")), "")]
    names = {words[1], *(item.split(":")[0] for item in words[2:])} if len(words) > 1 else set()
    return any(case.type_of(name) == "PAIR" for name in names) and any(count > 1 for count in pairs(case).values())


def pairs(case: Case) -> dict[str, int]:
    """How many connections each PAIR has, or tries to have, if one of them is over a network."""
    calls = [line.split(" ") for line in case.lines[:case.index] if line.startswith(("bind ", "connect "))]
    bound = [(words[2], words[1]) for words in calls if words[0] == "bind"]
    ends = [(name, words[2].startswith("inproc")) for words in calls if words[0] == "connect"
            for name in (words[1], *(name for endpoint, name in bound if endpoint == words[2]))]
    names = [name for name, _ in ends]
    return {name: names.count(name) for name, inside in ends if not inside and case.type_of(name) == "PAIR"}


def reserved_bits(case: Case) -> bool:
    """A bare peer sends a frame whose flags have bits without a meaning: libzmq ignores them, zlink closes the connection."""
    sent = [line.split(" ") for line in case.lines[:case.index] if line.startswith("bare_send ")]
    later = {words[1] for index, words in enumerate(sent)
             if words[2].startswith(("%FF", "%7F", "hello", "GET")) and any(words[1] == before[1] and "NULL" in before[2] for before in sent[:index])}
    more = heard_more(case)
    closed = case.line.startswith("bare_recv ") and case.subject == f"{case.reference} end".strip()
    another = case.line.startswith("heard ") and case.reference.replace("PROTOCOL(268435457 ", "PROTOCOL(268435456 ") == case.subject
    return bool(later) and (closed or another or bool(more) and more <= {"HANDSHAKE_FAILED_PROTOCOL", "DISCONNECTED"})


def reply_before_the_option(case: Case) -> bool:
    """ZMQ_REQ_CORRELATE is switched while a reply is there: zlink has taken it, if it was asked for ZMQ_EVENTS before; libzmq drops it."""
    socket = socket_of(case.line)
    mine = [line for line in case.lines[:case.index] if line.split(" ")[1:2] == [socket]]
    switched = [index for index, line in enumerate(mine) if line.startswith(f"set {socket} REQ_CORRELATE ")]
    results = sorted((case.reference, case.subject), key=lambda result: not result.startswith("-1 EAGAIN"))
    return (case.type_of(socket) == "REQ" and results[0].startswith("-1 EAGAIN") and not results[1].startswith("-1")
            and any(line.split(" ")[0] in SENDS for index in switched for line in mine[:index]))


def mismatch_over_ipc(case: Case) -> bool:
    """Two mechanisms over ipc: both ends find that they do not fit. libzmq's connecting end hears first that the other has closed."""
    before = case.lines[:case.index]
    named = (case.line.split(" ") + [""])[1]
    monitored = next((line.split(" ")[2] for line in before if named and line.startswith(f"monitor {named} ")), "")
    over_ipc = any(re.match(rf"connect {monitored} ipc:", line) for line in before)
    names = case.more_writable()
    if names:
        return all(has_another_mechanism(before, name) for name in names)
    return (case.line.startswith("heard ") and over_ipc and "HANDSHAKE_FAILED_NO_DETAIL(EPIPE ipc" in case.reference
            and "HANDSHAKE_FAILED_PROTOCOL(285212674 ipc" in case.subject)


def has_another_mechanism(lines: Sequence[str], socket: str) -> bool:
    """Has the socket connected over a network to one that has another security mechanism?"""
    endpoints = {line.split(" ")[2] for line in lines if re.match(rf"connect {socket} (ipc|tcp):", line)}
    bound = {line.split(" ")[1] for line in lines if line.startswith("bind ") and line.split(" ")[2] in endpoints}
    return any(mechanism_of(lines, socket) != mechanism_of(lines, name) for name in bound)


def mechanism_of(lines: Sequence[str], socket: str) -> str:
    options = [line.split(" ")[2] for line in lines if line.startswith(f"set {socket} ")]
    return next((option.split("_")[0] for option in reversed(options) if option.startswith(("PLAIN_", "CURVE_"))), "NULL")


def not_yet_a_peer(case: Case) -> bool:
    """Bytes came that are no handshake: libzmq takes their sender for a peer of ZMTP 1.0 at once, zlink when its id is there."""
    sent: dict[str, str] = {}
    for words in (line.split(" ") for line in case.lines[:case.index] if line.startswith("bare_send ")):
        sent[words[1]] = sent.get(words[1], "") + words[2]
    return bool(case.more_writable()) and any("NULL" not in text and text != "%FF" for text in sent.values())


def request_of_an_ended_endpoint(case: Case) -> bool:
    """A REP has given up an endpoint, or a connection, with an unread request of it; the next receive ends the process with libzmq."""
    socket = socket_of(case.line) or (case.line.split(" ")[1] if case.line.startswith("reply ") else "")
    ended = any(line.startswith((f"unbind {socket} ", f"disconnect {socket} ")) for line in case.lines[:case.index]) or given_up(case, socket)
    return case.type_of(socket) == "REP" and ended and case.reference == "killed by SIGABRT"


def request_in_a_message(case: Case) -> bool:
    """A XSUB sends a subscription as the last frame of a message, and the topic has a subscriber: for the XPUB's application the
    message has no last frame with libzmq; with zlink it ends before."""
    sent = [line.split(" ") for line in case.lines[:case.index] if line.split(" ")[0] in SENDS and case.type_of(line.split(" ")[1]) == "XSUB"]
    sent.sort(key=lambda words: words[1])  # the calls of each socket stay in their order
    inside = any(re.search(r",=%0[01]", words[2]) for words in sent) or any(
        before[1] == words[1] and before[-1] == "more" and words[2].startswith(("=%00", "=%01")) for before, words in zip(sent, sent[1:]))
    less, more = case.reference, case.subject
    vector = re.fullmatch(r"-1 EAGAIN (count \d+)", less)
    joined = less.replace("|-1 EAGAIN", "] -1 EAGAIN") == more or re.sub(r"\|", "] [", less) == re.sub(r"\|", "] [", more)
    unended = (joined or less == f"{more} more" or vector is not None and re.match(rf"\d+ {vector[1]}\b", more) is not None
               or "|-1 EAGAIN]" in less and more.startswith(less.split("|-1 EAGAIN]")[0] + "]") or received_more(case) is not None
               or case.line.startswith("recv_vector ") and more.startswith(less.rsplit(" ", 1)[0]))
    names = dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
    if names:
        return inside and all(case.type_of(name) == "XPUB" for name in names)
    return case.type_of(socket_of(case.line)) == "XPUB" and inside and unended


def cut_message(case: Case) -> bool:
    """zmq_disconnect or zmq_unbind cuts a message that is half received with libzmq; zlink gives it to its end."""
    socket = socket_of(case.line)
    if not any(line.startswith(("disconnect ", "unbind ")) for line in case.lines[:case.index]):
        return False
    if not socket:
        names = dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
        return bool(names) and all(half_received(case, name) for name in names)
    vector = re.fullmatch(r"-1 EAGAIN count ([1-9]\d*)", case.reference)
    if vector is not None:
        more = re.match(r"\d+ count (\d+)", case.subject)
        return more is not None and int(more[1]) > int(vector[1])
    whole = re.match(r"(.*\[[^\]]*\|)-1 EAGAIN$", case.reference)
    if whole is not None:
        return case.subject.startswith(whole[1]) and not case.subject.startswith(case.reference)
    if case.reference == "killed by SIGABRT" and found_by_a_router(case, socket):
        return not case.subject.startswith("-1")
    if found_by_a_router(case, socket) and "|" in case.reference and case.subject.startswith(case.reference.split("|")[0] + "|"):
        return True
    return case.reference.startswith(("-1 EAGAIN", "killed by SIGABRT")) and not case.subject.startswith("-1") and half_received(case, socket)


def found_by_a_router(case: Case, socket: str) -> bool:
    """Had a look found a message of several frames for this ROUTER, which was not received before zmq_disconnect?"""
    before = case.lines[:case.index]
    ends = [index for index, line in enumerate(before) if line.startswith((f"disconnect {socket} ", f"unbind {socket} "))]
    received = [index for index, line in enumerate(before) if line.split(" ")[0] in RECEIVES and socket_of(line) == socket]
    looks = [index for index, line in enumerate(before) if line.split(" ")[0] in ("settle", "events", "poll", "poller_wait", "poller_wait_all")]
    last = received[-1] if received else -1
    return case.type_of(socket) == "ROUTER" and any(last < look < end for look in looks for end in ends)


def half_received(case: Case, socket: str) -> bool:
    """Was the last thing that the reference received from this socket a part of a message?"""
    results = [(line, result) for line, result in zip(case.lines[:case.index], case.references)
               if socket_of(line) == socket and not result.startswith("-1")]
    return bool(results) and (results[-1][1].endswith(" more") or results[-1][0].startswith("recv_vector "))


def endings(case: Case) -> list[int]:
    """Which lines before this one have ended something."""
    return [index for index, line in enumerate(case.lines[:case.index]) if line.startswith(("disconnect ", "unbind ", "close "))]


def received_more(case: Case) -> str | None:
    """What only the subject has received, where the reference found nothing or stopped before it; None: it is another difference."""
    begin, found, rest = case.reference.partition("-1 EAGAIN")
    return case.subject[len(begin):] if found and not rest and case.subject.startswith(begin) and case.subject != case.reference else None


def pair_is_free_at_once(case: Case) -> bool:
    """A PAIR whose connection was ended has another one: libzmq refused that, since the end was not known everywhere."""
    ends = endings(case)
    changes = [line.split(" ") for line in case.lines[ends[0] + 1:case.index]] if ends else []
    words = case.line.split(" ")
    if words[0] == "disconnect":
        return (case.reference, case.subject) == ("-1 ENOENT", "0") and case.type_of(words[1]) == "PAIR" and connected_early(case, words[1], words[2])
    if words[0] in SENDS:
        names = {words[1]} if case.reference == "-1 EAGAIN" and not case.subject.startswith("-1") else set()
    elif socket_of(case.line):
        names = {socket_of(case.line)} if received_more(case) is not None else set()
    else:
        expected, got = readiness(case.line, case.reference) or {}, readiness(case.line, case.subject) or {}
        names = {name for name in got if expected.get(name, set()) != got[name]}
        names = names if all(expected.get(name, set()) < got[name] for name in names) else set()
    again = {change[1] for change in changes if change[0] in ("connect", "bind") and change[2].startswith("inproc:")}
    return bool(names) and all(case.type_of(name) == "PAIR" for name in names) and names <= again


def connected_early(case: Case, socket: str, name: str) -> bool:
    """Had another socket connected to the inproc name before this one, and gone before anybody was bound?"""
    lines = case.lines[:case.index]
    binds = [index for index, line in enumerate(lines) if re.fullmatch(rf"bind \w+ {re.escape(name)}", line)]
    if not name.startswith("inproc:") or not binds or f"connect {socket} {name}" not in lines[:binds[0]]:
        return False
    early = {line.split(" ")[1] for line in lines[:lines.index(f"connect {socket} {name}")] if re.fullmatch(rf"connect \w+ {re.escape(name)}", line)}
    return any(f"close {other}" in lines[:binds[0]] or f"disconnect {other} {name}" in lines[:binds[0]] for other in early - {socket})


def conflated_message(case: Case) -> bool:
    """With ZMQ_CONFLATE libzmq loses the message of a peer that goes, and all of a connection made before the name was bound."""
    conflating = {line.split(" ")[1] for line in case.lines[:case.index] if re.match(r"set \w+ CONFLATE i4 [1-9]", line)}
    bound = [line.split(" ")[2] for line in case.lines[:case.index] if line.startswith("bind ")]
    calls = [line.split(" ") for line in case.lines[:case.index] if line.startswith(("bind ", "connect "))]
    early = any(words[0] == "connect" and words[1] in conflating and words[2] in bound
                and not any(before[0] == "bind" and before[2] == words[2] for before in calls[:index])
                for index, words in enumerate(calls))
    if not conflating or not (early or endings(case)):
        return False
    if socket_of(case.line):
        return received_more(case) is not None or not (case.subject + case.reference).startswith("-1") and "-1" not in case.reference
    return bool(dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready())


def cancelled_at_once(case: Case) -> bool:
    """An XPUB hears of the topics of a subscriber that has gone; with libzmq both sockets have to make calls before."""
    more = received_more(case)
    names = dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
    if names:
        return bool(endings(case)) and all(case.type_of(name) == "XPUB" for name in names)
    return (case.type_of(socket_of(case.line)) == "XPUB" and bool(endings(case)) and more is not None
            and re.match(r"\[%00|\d+ %00", more) is not None)


def fd_after_the_end(case: Case) -> bool:
    """The last connection of the script has ended: nothing can come any more, but libzmq's sockets tell each other of it in turns."""
    ends = endings(case)
    return bool(ends) and not any(line.startswith(("bind ", "connect ")) for line in case.lines[ends[-1]:case.index])


def fd_after_a_dropped_request(case: Case) -> bool:
    """A look of a REP has dropped a message without a right envelope; libzmq drops it in the receive, and tells the sender of that."""
    quiet = ("sleep ", "settle ", "fd_readable ", "events ")
    last = next((index for index in reversed(range(case.index)) if not case.lines[index].startswith(quiet)), 0)
    line = case.lines[last]
    if line.split(" ")[0] not in RECEIVES or case.type_of(socket_of(line)) != "REP" or case.type_of(case.line.split(" ")[1]) not in ("DEALER", "ROUTER"):
        return False
    return case.references[last].startswith("-1 EAGAIN") and case.subjects[last].startswith("-1 EAGAIN")


def frames_sent(case: Case, socket: str) -> list[list[str]]:
    """The messages that a socket has sent, each as its frames."""
    messages: list[list[str]] = [[]]
    for words in (line.split(" ") for line in case.lines[:case.index]):
        if words[0] in SENDS and words[1] == socket:
            messages[-1] += (words + ["", ""])[2].split(",")
            if "more" not in words:
                messages.append([])
    return [frames for frames in messages if frames]


def turn_behind_malformed(case: Case) -> bool:
    """A peer of a REP has sent messages without an envelope, and then one with ids in it: zlink has looked at that one before."""
    socket = socket_of(case.line)
    peers = [name for name in {line.split(" ")[1] for line in case.lines[:case.index] if line.startswith("open ")} if case.type_of(name) == "DEALER"]
    unclear = [frames for name in peers for frames in frames_sent(case, name) if frames[0] != "0" or len(frames) == 1]
    found = [result for result in (case.reference, case.subject) if not result.startswith("-1")]
    correlated = any(re.match(r"set \w+ REQ_CORRELATE i4 [1-9]", line) for line in case.lines[:case.index])  # its requests begin with an id
    return case.type_of(socket) == "REP" and len(unclear) + correlated > 1 and len(found) == 2


def reply_behind_malformed(case: Case) -> bool:
    """A REP had a message without an envelope of a peer that has gone: libzmq loses the reply to the next request."""
    types = {case.type_of(words[1]) for words in (line.split(" ") for line in case.lines[:case.index]) if words[0] in SENDS}
    names = [name for name in {line.split(" ")[1] for line in case.lines[:case.index] if line.startswith("open ")} if case.type_of(name) == "DEALER"]
    malformed = any("0" not in frames[:-1] for name in names for frames in frames_sent(case, name))
    return ("REP" in types and malformed and bool(endings(case)) and case.type_of(socket_of(case.line)) in ("DEALER", "REQ")
            and received_more(case) is not None)


def other_connection_stays(case: Case) -> bool:
    """A socket with ZMQ_RECONNECT_IVL -1 has connected twice to an endpoint: libzmq gives up both connections when one ends."""
    names = dataclasses.replace(case, references=case.subjects, subjects=case.references).more_writable()
    before = case.lines[:case.index]
    twice = {line.split(" ")[1] for line in before if re.match(r"connect \w+ (tcp|ipc):", line) and before.count(line) > 1}
    return bool(names) and all(name in twice and f"set {name} RECONNECT_IVL i4 -1" in before for name in names)


def message_to_two_peers(case: Case) -> bool:
    """A socket with three peers has sent a part of a message, and another peer than its target goes: libzmq may send the rest to a third one."""
    lines = case.lines[:case.index]
    begun: dict[str, int] = {}
    cut: set[str] = set()
    for index, words in enumerate(line.split(" ") for line in lines):
        if words[0] in SENDS and "more" in words:
            begun[words[1]] = index
        elif words[0] in SENDS and words[1] in begun:
            if any(begun[words[1]] < end < index for end in endings(case)):
                cut.add(words[1])
            del begun[words[1]]
    several = [name for name in cut if case.type_of(name) in ("PUSH", "DEALER") and sum(
        bool(re.match(rf"(bind|connect) {name} ", line)) for line in lines) > 2]
    return bool(several) and case.type_of(socket_of(case.line)) in ("PULL", "DEALER", "ROUTER", "REP") and not case.subject.startswith("-1 EF")


def subscriptions_beyond_the_mark(case: Case) -> bool:
    """A subscriber with a low ZMQ_SNDHWM has connected to a name without a bound socket: with libzmq it tells as many topics as fit."""
    before = case.lines[:case.index]
    marked = {line.split(" ")[1] for line in before if re.match(r"set \w+ SNDHWM i4 [1-9]", line)}
    many = any(sum(line.startswith(f"set {name} SUBSCRIBE ") for line in before) > 1 and any(
        line.startswith(f"connect {name} inproc:") for line in before) for name in marked)
    names = dataclasses.replace(case, references=case.subjects, subjects=case.references).more_ready()
    kinds = {case.type_of(name) for name in names or {socket_of(case.line)}}
    return many and kinds <= {"XPUB", "SUB", "XSUB"} and (bool(names) or received_more(case) is not None)


RULES: dict[str, Callable[[Case], bool]] = {each.__name__: each for each in (
    malformed_is_not_readable, captured_order, shared_body, half_sent_request, received_before_the_end, second_peer_of_pair,
    closed_in_another_order, refused_peer_is_disconnected, reserved_bits, connected_to_itself,
    given_up_when_refused, conflated_topics, lost_with_the_connection, reply_behind_an_authenticator, probe_of_a_late_binder,
    metadata_of_an_id, reply_before_the_option, mismatch_over_ipc, cut_message, not_yet_a_peer, request_of_an_ended_endpoint,
    request_in_a_message, id_of_a_gone_peer, gone_stream, conflated_before_the_end,
    monitor_stopped, pair_is_free_at_once, stopped_later, conflated_message, cancelled_at_once, fd_after_the_end,
    fd_after_a_dropped_request, types_over_ipc, old_peer_stays, newest_behind_an_id, turn_behind_malformed,
    other_connection_stays, message_to_two_peers, subscriptions_beyond_the_mark,
    reply_behind_malformed)}
