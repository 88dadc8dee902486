# SPDX-License-Identifier: MPL-2.0
"""Takes lines out of a script as long as the libraries still differ in the same way (delta debugging, in batches)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from machine.script import Script

# Says for each candidate whether it still shows the difference.
Judge = Callable[[Sequence[Script]], list[bool]]


def pieces(count: int, size: int) -> list[tuple[int, int]]:
    return [(begin, min(begin + size, count)) for begin in range(0, count, size)]


def minimise(script: Script, judge: Judge, most_rounds: int = 60) -> Script:
    """A script from which no single line can be taken out, unless the rounds end first."""
    size = max(1, len(script.lines) // 2)
    rounds = 0
    while script.lines and rounds < most_rounds:
        rounds += 1
        parts = pieces(len(script.lines), size)
        candidates = [script.without(begin, end) for begin, end in parts]
        removable = [part for part, still in zip(parts, judge(candidates)) if still]
        smaller = largest_removal(script, removable, judge)
        if smaller is not None:
            script = smaller
            size = max(1, min(size, len(script.lines) // 2))
        elif size > 1:
            size = (size + 1) // 2
        else:
            break
    return script


def largest_removal(script: Script, removable: list[tuple[int, int]], judge: Judge) -> Script | None:
    """The script without as many of the removable pieces as go together: all, the half of them, ..., one."""
    while removable:
        smaller = script
        for begin, end in reversed(removable):
            smaller = smaller.without(begin, end)
        if len(removable) == 1 or judge([smaller])[0]:
            return smaller
        removable = removable[:(len(removable) + 1) // 2]
    return None
