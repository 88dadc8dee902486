# SPDX-License-Identifier: MPL-2.0
"""The measuring loop: run by run, cell by cell, library after library, with a line of progress for every cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from comparison.model import Column
from comparison.programs import RunFailed
from comparison.schedule import left, rotated
from scale.model import Cell, Results

Measure = Callable[[Column, Cell], dict[str, float]]


def turns(cells: Sequence[Cell], runs: int) -> list[tuple[int, Cell]]:
    """Run by run; a cell that takes long is left out of the later ones."""
    return [(run, cell) for run in range(runs) for cell in cells if cell.most_runs is None or run < cell.most_runs]


def measure_all(cells: Sequence[Cell], columns: Sequence[Column], runs: int, measure: Measure, results: Results,
                say: Callable[[str], None]) -> None:
    begin = time.monotonic()
    planned = turns(cells, runs)
    for done, (run, cell) in enumerate(planned, start=1):
        told = {column.name: measure_one(cell, column, run, measure, results)
                for column in rotated(columns, run + done)}
        left_s = (time.monotonic() - begin) / done * (len(planned) - done)
        line = " | ".join(f"{column.name} {told[column.name]}" for column in columns)
        say(f"[{done:{len(str(len(planned)))}}/{len(planned)}, {left(left_s)} left] run {run + 1} {cell}: {line}")


def measure_one(cell: Cell, column: Column, run: int, measure: Measure, results: Results) -> str:
    if results.failed(cell, column.name):
        return "failed before"  # it counts as failed anyway; a hang need not be waited for in every run
    try:
        measured = measure(column, cell)
    except RunFailed as failure:
        results.fail(cell, column.name, run + 1, str(failure))
        return f"FAILED ({failure})"
    results.add(cell, column.name, measured)
    return " ".join(f"{value:.4g}" for value in measured.values())
