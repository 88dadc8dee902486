# SPDX-License-Identifier: MPL-2.0
"""The measuring loop: run by run, cell by cell, library after library, with a line of progress for every cell."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from comparison.model import PROCESSOR_TIME, Cell, Column, Results
from comparison.programs import CostFailed, RunFailed

T = TypeVar("T")
Measure = Callable[[Column, Cell], dict[str, float]]
Say = Callable[[str], None]


@dataclasses.dataclass(frozen=True)
class Turn:
    """One library with one set of settings: the name for the line of progress, how to measure it, where the values go."""

    name: str
    column: Column
    measure: Measure
    results: Results


def rotated(turns: Sequence[T], by: int) -> list[T]:
    """The turns, beginning with another one. Thus no library is always first, or always after the same other one."""
    by %= max(len(turns), 1)
    return [*turns[by:], *turns[:by]]


def measure_all(cells: Sequence[Cell], turns: Sequence[Turn], runs: int, say: Say) -> None:
    begin = time.monotonic()
    total = runs * len(cells)
    done = 0
    for run in range(runs):
        for index, cell in enumerate(cells):
            told = {turn.name: measure_one(cell, turn.column, run, turn.measure, turn.results)
                    for turn in rotated(turns, run + index) if not turn.column.lacks(cell.transport)}
            done += 1
            left_s = (time.monotonic() - begin) / done * (total - done)
            line = " | ".join(f"{turn.name} {told[turn.name]}" for turn in turns if turn.name in told)
            say(f"[{done:{len(str(total))}}/{total}, {left(left_s)} left] run {run + 1} {cell}: {line}")


def measure_one(cell: Cell, column: Column, run: int, measure: Measure, results: Results) -> str:
    if results.failed(cell, column.name):
        return "failed before"  # it counts as failed anyway; a hang need not be waited for in every run
    try:
        measured = measure(column, cell)
    except RunFailed as failure:
        results.fail(cell, column.name, run + 1, str(failure), of_cost=isinstance(failure, CostFailed))
        return f"FAILED ({failure})"
    results.add(cell, column.name, measured)
    told = [rate(measured["throughput"])] if "throughput" in measured else []
    if "latency" in measured:
        told.append(f"{measured['latency']:.3g} us")
    if PROCESSOR_TIME in measured:
        told.append(f"{measured[PROCESSOR_TIME]:.3g} us of processor time per message")
    return " ".join(told)


def rate(per_second: float) -> str:
    if per_second >= 1e6:
        return f"{per_second / 1e6:.2f} M/s"
    return f"{per_second / 1e3:.1f} k/s"


def left(seconds: float) -> str:
    whole = int(seconds + 0.5)
    return f"{whole // 60}:{whole % 60:02d}"
