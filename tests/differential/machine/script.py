# SPDX-License-Identifier: MPL-2.0
"""Scripts: a title and lines, each of which is one API call. The player (player/commands.hpp) knows the words."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path

MARK = "== "


@dataclasses.dataclass(frozen=True)
class Script:
    title: str
    lines: tuple[str, ...]

    def text(self) -> str:
        return "\n".join([MARK + self.title, *self.lines, ""])


def write(scripts: Iterable[Script]) -> str:
    return "".join(script.text() for script in scripts)


def read(path: Path) -> list[Script]:
    """The scripts of a file. Lines before the first title belong to a script with the file's name; '#' begins a remark."""
    return parse(path.read_text(encoding="utf-8").splitlines(), path.stem)


def parse(lines: Sequence[str], name: str) -> list[Script]:
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(MARK):
            found.append((line.removeprefix(MARK), []))
        elif line and not line.startswith("#"):
            if not found:
                found.append((name, []))
            found[-1][1].append(line)
    return [Script(title, tuple(content)) for title, content in found]
