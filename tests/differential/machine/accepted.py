# SPDX-License-Identifier: MPL-2.0
"""The differences that are wanted: rows of a table in docs/DIFFERENCES.md.

A row is "| id | libzmq | zlink | why | pattern |". The pattern is a list of words in backticks, each "name=regular expression":
line (the call), reference and subject (the two results), before (a call that an earlier line must be), rule (a function of
rules.py). Only line is needed if there is a rule, and line, reference and subject otherwise. With `ends` nothing after such a
line is compared, for what the difference leads to. A bar inside is written "\\|".
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from pathlib import Path

from machine.case import Case
from machine.rules import RULES

EXPRESSIONS = ("line", "reference", "subject", "before")
ANYTHING = re.compile(".*")


class RowError(ValueError):
    """A row that cannot be read; the text says why."""


@dataclasses.dataclass(frozen=True)
class Row:
    identity: str
    line: re.Pattern[str]
    reference: re.Pattern[str] = ANYTHING
    subject: re.Pattern[str] = ANYTHING
    before: re.Pattern[str] | None = None
    rule: str = ""
    ends: bool = False

    def accepts(self, case: Case) -> bool:
        if not (self.line.fullmatch(case.line) and self.reference.fullmatch(case.reference) and self.subject.fullmatch(case.subject)):
            return False
        if self.before is not None and not any(self.before.fullmatch(line) for line in case.lines[:case.index]):
            return False
        return not self.rule or RULES[self.rule](case)


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
    rule = given.pop("rule", "")
    needed = {"line"} if rule else {"line", "reference", "subject"}
    if not needed <= set(given) <= set(EXPRESSIONS):
        raise RowError(f"row {identity}: the pattern needs line, and reference and subject or a rule, and may have before")
    if rule and rule not in RULES:
        raise RowError(f"row {identity}: there is no rule {rule}")
    try:
        patterns = {name: re.compile(text) for name, text in given.items()}
    except re.error as error:
        raise RowError(f"row {identity}: {error}") from None
    return Row(identity, rule=rule, ends="ends" in words, **patterns)
