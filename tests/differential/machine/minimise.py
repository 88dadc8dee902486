# SPDX-License-Identifier: MPL-2.0
"""Takes lines out of a script as long as the libraries still differ in the same way (delta debugging, in batches).

A line that waits belongs to the line before it. Without it the libraries may differ for another reason: one of them needs
more time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from machine.script import Script

# Says for each candidate whether it still shows the difference.
Judge = Callable[[Sequence[Script]], list[bool]]
Unit = tuple[str, ...]


def units_of(script: Script) -> list[Unit]:
    units: list[Unit] = []
    for line in script.lines:
        if units and line.startswith(("settle ", "sleep ")):
            units[-1] += (line,)
        else:
            units.append((line,))
    return units


def pieces(count: int, size: int) -> list[tuple[int, int]]:
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]


class Smaller:
    """A script on its way to a smaller one."""

    def __init__(self, script: Script, judge: Judge) -> None:
        self.title = script.title
        self.judge = judge
        self.units = units_of(script)

    def script(self, units: Sequence[Unit]) -> Script:
        return Script(self.title, tuple(line for unit in units for line in unit))

    def without(self, parts: Sequence[tuple[int, int]]) -> list[Unit]:
        gone = {index for begin, end in parts for index in range(begin, end)}
        return [unit for index, unit in enumerate(self.units) if index not in gone]

    def judged(self, choices: Sequence[Sequence[tuple[int, int]]]) -> list[bool]:
        return self.judge([self.script(self.without(parts)) for parts in choices])

    def remove(self, size: int) -> bool:
        """Takes out as many pieces of this size as go together: all that can go alone, the half of them, ..., one."""
        parts = pieces(len(self.units), size)
        removable = [part for part, still in zip(parts, self.judged([[part] for part in parts])) if still]
        while removable:
            if len(removable) == 1 or self.judged([removable])[0]:
                self.units = self.without(removable)
                return True
            removable = removable[:(len(removable) + 1) // 2]
        return False


def minimise(script: Script, judge: Judge, most_rounds: int = 60) -> Script:
    """A script from which no single line can be taken out, unless the rounds end first."""
    smaller = Smaller(script, judge)
    size = max(1, len(smaller.units) // 2)
    for _ in range(most_rounds):
        if not smaller.units:
            break
        if smaller.remove(size):
            size = max(1, min(size, len(smaller.units) // 2))
        elif size > 1:
            size = (size + 1) // 2
        else:
            break
    return smaller.script(smaller.units)
