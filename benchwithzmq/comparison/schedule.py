# SPDX-License-Identifier: MPL-2.0
"""The measuring loop: run by run, cell by cell, library after library, with a line of progress for every cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from comparison.model import Cell, Column, Results
from comparison.programs import RunFailed

Measure = Callable[[Column, Cell], dict[str, float]]
Say = Callable[[str], None]


def rotated(columns: Sequence[Column], by: int) -> list[Column]:
    """Nobody is always first, or always after the same other one."""
    by %= max(len(columns), 1)
    return [*columns[by:], *columns[:by]]


def measure_all(cells: Sequence[Cell], columns: Sequence[Column], runs: int, measure: Measure, results: Results,
                say: Say) -> None:
    begin = time.monotonic()
    total = runs * len(cells)
    done = 0
    for run in range(runs):
        for index, cell in enumerate(cells):
            told = {column.name: measure_one(cell, column, run, measure, results)
                    for column in rotated(columns, run + index)}
            done += 1
            left_s = (time.monotonic() - begin) / done * (total - done)
            line = " | ".join(f"{column.name} {told[column.name]}" for column in columns)
            say(f"[{done:{len(str(total))}}/{total}, {left(left_s)} left] run {run + 1} {cell}: {line}")


def measure_one(cell: Cell, column: Column, run: int, measure: Measure, results: Results) -> str:
    if results.failed(cell, column.name):
        return "failed before"  # it counts as failed anyway; a hang need not be waited for in every run
    try:
        measured = measure(column, cell)
    except RunFailed as failure:
        results.fail(cell, column.name, run + 1, str(failure))
        return f"FAILED ({failure})"
    results.add(cell, column.name, measured)
    told = [rate(measured["throughput"])] if "throughput" in measured else []
    if "latency" in measured:
        told.append(f"{measured['latency']:.3g} us")
    return " ".join(told)


def rate(per_second: float) -> str:
    if per_second >= 1e6:
        return f"{per_second / 1e6:.2f} M/s"
    return f"{per_second / 1e3:.1f} k/s"


def left(seconds: float) -> str:
    whole = int(seconds + 0.5)
    return f"{whole // 60}:{whole % 60:02d}"
