# SPDX-License-Identifier: MPL-2.0
"""The order of measuring: in every cell A B B A, then, in the next block, B A A B. A drift of the machine that is even over
four runs meets both sides alike, and neither is always first."""

from __future__ import annotations

import time
from collections.abc import Sequence

from comparison.model import Cell, Column, Results
from comparison.schedule import Measure, Say, left, measure_one


def order(columns: Sequence[Column], block: int) -> list[Column]:
    first, second = columns if block % 2 == 0 else reversed(columns)
    return [first, second, second, first]


def measure_interleaved(cells: Sequence[Cell], columns: Sequence[Column], runs: int, measure: Measure, results: Results,
                        say: Say) -> None:
    begin = time.monotonic()
    blocks = runs // 2
    total = blocks * len(cells)
    done = 0
    for block in range(blocks):
        for index, cell in enumerate(cells):
            told: dict[str, list[str]] = {}
            for position, column in enumerate(order(columns, block + index)):
                run = 2 * block + position // 2
                told.setdefault(column.name, []).append(measure_one(cell, column, run, measure, results))
            done += 1
            left_s = (time.monotonic() - begin) / done * (total - done)
            line = " | ".join(f"{column.name} {', '.join(told[column.name])}" for column in columns)
            say(f"[{done:{len(str(total))}}/{total}, {left(left_s)} left] {cell}: {line}")
