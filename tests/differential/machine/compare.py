# SPDX-License-Identifier: MPL-2.0
"""Compares the results of one script, and says how differences resemble each other."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from machine.accepted import Row
from machine.player import Results
from machine.case import Case
from machine.script import Script

ENDED = "(ended before)"


@dataclasses.dataclass(frozen=True)
class Difference:
    """The first line of a script that the libraries answer differently."""

    script: Script
    index: int
    reference: str
    subject: str

    @property
    def line(self) -> str:
        return self.script.lines[self.index]

    @property
    def signature(self) -> tuple[str, str, str]:
        """Differences with the same signature are likely to have the same cause."""
        words = self.line.split(" ")
        verb = words[0]
        if verb in ("set", "get", "ctx_set", "ctx_get") and len(words) > 2:
            verb += " " + words[2]
        return verb, shape(self.reference), shape(self.subject)

    def told(self) -> str:
        return f"{self.line}\n    reference: {self.reference}\n    subject:   {self.subject}"


def shape(result: str) -> str:
    """A result without what varies with the script: numbers, contents, repetitions."""
    if re.fullmatch(r"-1 E\w+|killed by \w+|hang|no object|absent", result):
        return result
    text = re.sub(r"\{host\}|\{dir\}|\d+", "N", result)
    text = re.sub(r"<[^>]*>|[a-z%.:]{12,}", "B", text)
    return text[:24]


def agree(runs: Sequence[Results]) -> bool:
    return all(run == runs[0] for run in runs)


def padded(results: Results, count: int) -> list[str]:
    return [*results, *[ENDED] * (count - len(results))]


def first_difference(script: Script, reference: Results, subject: Results, rows: Sequence[Row]) -> Difference | None:
    """The first line that differs and that no row accepts. After an accepted end of the reference nothing is compared."""
    count = len(script.lines)
    references, subjects = padded(reference, count), padded(subject, count)
    for index, (expected, got) in enumerate(zip(references, subjects)):
        if expected == got:
            continue
        case = Case(script.lines, index, references, subjects)
        row = next((row for row in rows if row.accepts(case)), None)
        if row is None:
            return Difference(script, index, expected, got)
        if row.ends or len(reference) == index + 1:
            return None
    return None
