# SPDX-License-Identifier: MPL-2.0
"""A line that the libraries answer differently, and what rules ask about lines."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

RECEIVES = ("recv", "orecv", "recvall", "recv1", "recv_vector", "msg_recv")
SENDS = ("send", "msend", "csend", "osend", "send_vector", "reply", "psend", "gsend", "msg_send", "fill")
Ready = dict[str, set[str]]  # the letters that are reported for each name


@dataclasses.dataclass(frozen=True)
class Case:
    """A line that the libraries answer differently, with all lines and all results of the script."""

    lines: Sequence[str]
    index: int
    references: Sequence[str]
    subjects: Sequence[str]

    @property
    def line(self) -> str:
        return self.lines[self.index]

    @property
    def reference(self) -> str:
        return self.references[self.index]

    @property
    def subject(self) -> str:
        return self.subjects[self.index]

    def type_of(self, socket: str) -> str:
        for line in reversed(self.lines[:self.index]):
            words = line.split(" ")
            if words[0] in ("open", "socket") and words[1] == socket:
                return words[3]
        return ""

    def more_ready(self, letter: str = "i") -> set[str]:
        """The names for which the reference reports this event in addition, if that is the whole difference; otherwise none."""
        expected, got = readiness(self.line, self.reference), readiness(self.line, self.subject)
        if expected is None or got is None:
            return set()
        names = {name for name in expected | got if expected.get(name, set()) != got.get(name, set())}
        whole = all(expected.get(name, set()) - got.get(name, set()) == {letter} and not got.get(name, set()) - expected[name]
                    for name in names if name in expected)
        return names if whole and names <= set(expected) else set()


    def more_writable(self) -> set[str]:
        """The names of the sockets that only the reference can send from, if that is the whole difference; otherwise none."""
        words = self.line.split(" ")
        if words[0] in SENDS:
            return {words[1]} if self.subject == "-1 EAGAIN" and not self.reference.startswith("-1") else set()
        return self.more_ready("o")


def readiness(line: str, result: str) -> Ready | None:
    """The events that a call reports; None if the line is no such call, or failed."""
    words = line.split(" ")
    if words[0] == "events" and not result.startswith("-1"):
        return {words[1]: set(result) - {"-"}}
    if words[:1] == ["get"] and words[2:3] == ["EVENTS"] and result.startswith("0 size 4 "):
        bits = int(result.split(" ")[3])
        return {words[1]: {letter for bit, letter in ((1, "i"), (2, "o")) if bits & bit}}
    if words[0] not in ("poll", "poller_wait", "poller_wait_all") or not re.match(r"\d", result) and result != "-1 EAGAIN":
        return None
    found: Ready = {}
    for token in result.split(" ")[1:]:
        if ":" in token:
            name, letters = token.split(":")[:2]
            found[name] = found.get(name, set()) | (set(letters) - {"-"})
    return found


def socket_of(line: str) -> str:
    """The socket that a line receives from; empty if it receives nothing."""
    words = line.split(" ")
    if words[0] not in RECEIVES:
        return ""
    return words[2] if words[0] == "msg_recv" else words[1]
