# SPDX-License-Identifier: MPL-2.0
"""The order of measuring. One run of a cell is every column once, side by side. The order is reversed from run to run and from cell
to cell, so that a drift of the machine meets both sides alike and neither side is always first."""

from __future__ import annotations

import time
from collections.abc import Sequence

from comparison.model import Cell, Column, Results
from comparison.schedule import Measure, Say, left, measure_one


class Progress:
    """Counts the steps of all experiments of one call and says how long the rest will take, without the building of libraries."""

    def __init__(self, total: int, say: Say) -> None:
        self.total = total
        self.done = 0
        self.spent_s = 0.0
        self.say = say

    def step(self, line: str, seconds: float) -> None:
        self.done += 1
        self.spent_s += seconds
        left_s = self.spent_s / self.done * (self.total - self.done)
        self.say(f"[{self.done:{len(str(self.total))}}/{self.total}, {left(left_s)} left] {line}")


def order(columns: Sequence[Column], turn: int) -> list[Column]:
    return list(columns) if turn % 2 == 0 else list(reversed(columns))


def measure_interleaved(cells: Sequence[Cell], columns: Sequence[Column], runs: int, measure: Measure, results: Results,
                        progress: Progress) -> None:
    for run in range(runs):
        for index, cell in enumerate(cells):
            begin = time.monotonic()
            told = {column.name: measure_one(cell, column, run, measure, results) for column in order(columns, run + index)}
            line = " | ".join(f"{column.name} {told[column.name]}" for column in columns)
            progress.step(f"run {run + 1} {cell}: {line}", time.monotonic() - begin)
