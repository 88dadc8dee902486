# SPDX-License-Identifier: MPL-2.0
"""The differences that are wanted: rows of a table in docs/DIFFERENCES.md.

A row is "| id | libzmq | zlink | why | pattern |". The pattern is a list of words in backticks, each "name=regular expression":
line (the call), reference and subject (the two results), before (a call that an earlier line must be; may be left out). With
`ends` nothing after such a line is compared, for what the difference leads to. A bar inside is written "\\|".
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

NAMES = ("line", "reference", "subject", "before")


class RowError(ValueError):
    """A row that cannot be read; the text says why."""


@dataclasses.dataclass(frozen=True)
class Row:
    identity: str
    line: re.Pattern[str]
    reference: re.Pattern[str]
    subject: re.Pattern[str]
    before: re.Pattern[str] | None = None
    ends: bool = False

    def accepts(self, lines: Sequence[str], index: int, reference: str, subject: str) -> bool:
        if not (self.line.fullmatch(lines[index]) and self.reference.fullmatch(reference) and self.subject.fullmatch(subject)):
            return False
        return self.before is None or any(self.before.fullmatch(line) for line in lines[:index])


def read_rows(path: Path) -> list[Row]:
    return parse_rows(path.read_text(encoding="utf-8")) if path.is_file() else []


def parse_rows(page: str) -> list[Row]:
    """The rows of all tables of the page whose last column is called "pattern"."""
    rows: list[Row] = []
    inside = False
    for line in page.splitlines():
        cells = cells_of(line)
        if not cells:
            inside = False
        elif cells[-1] == "pattern":
            inside = True
        elif inside and not set(cells[0]) <= {"-", ":", " "}:
            rows.append(make_row(cells))
    names = [row.identity for row in rows]
    if len(set(names)) != len(names):
        raise RowError("two rows have the same id")
    return rows


def cells_of(line: str) -> list[str]:
    if not line.startswith("|"):
        return []
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def make_row(cells: Sequence[str]) -> Row:
    if len(cells) != 5 or not all(cells):
        raise RowError(f"a row needs five cells: {' | '.join(cells)}")
    identity = cells[0].strip("`")
    words = re.findall(r"`([^`]+)`", cells[4])
    given = dict(word.split("=", 1) for word in words if "=" in word)
    if not set(given) <= set(NAMES) or not {"line", "reference", "subject"} <= set(given):
        raise RowError(f"row {identity}: the pattern needs line, reference and subject, and may have before")
    try:
        patterns = {name: re.compile(text) for name, text in given.items()}
    except re.error as error:
        raise RowError(f"row {identity}: {error}") from None
    return Row(identity, patterns["line"], patterns["reference"], patterns["subject"], patterns.get("before"), "ends" in words)
