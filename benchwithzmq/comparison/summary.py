# SPDX-License-Identifier: MPL-2.0
"""From single values to medians, spreads, ratios and their geometric means."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Iterable, Sequence

from comparison.model import PATTERNS, Cell, Results

SMALL_UP_TO = 1024
LARGE_FROM = 64 * 1024


@dataclasses.dataclass(frozen=True)
class Spread:
    """The median of the runs with the least and the greatest of them."""

    median: float
    low: float
    high: float

    @property
    def percent(self) -> float:
        return 100 * (self.high - self.low) / self.median


def spread(values: Sequence[float]) -> Spread | None:
    return Spread(statistics.median(values), min(values), max(values)) if values else None


def ratio(results: Results, cell: Cell, metric: str, column: str, base: str) -> float | None:
    """The column's median over the base's; None where either has no result."""
    over = spread(results.get(cell, column, metric))
    under = spread(results.get(cell, base, metric))
    return over.median / under.median if over and under else None


def geometric_mean(values: Iterable[float]) -> float | None:
    logarithms = [math.log(value) for value in values]
    return math.exp(statistics.fmean(logarithms)) if logarithms else None


@dataclasses.dataclass(frozen=True)
class Mean:
    """A geometric mean over cells, and the cell that is worst of them."""

    mean: float
    worst: float
    worst_cell: Cell
    cells: tuple[Cell, ...]


@dataclasses.dataclass(frozen=True)
class Group:
    """A column of the summary: which cells, which metric, and in which direction it is better."""

    title: str
    metric: str
    belongs: Callable[[Cell], bool]
    higher_is_better: bool = True


def is_stream(cell: Cell) -> bool:
    return not PATTERNS[cell.pattern].round_trips


GROUPS = (
    Group("throughput up to 1 KiB", "throughput", lambda cell: is_stream(cell) and cell.size <= SMALL_UP_TO),
    Group("throughput from 64 KiB", "throughput", lambda cell: is_stream(cell) and cell.size >= LARGE_FROM),
    Group("round trips/s (REQREP)", "throughput", lambda cell: not is_stream(cell)),
    Group("latency", "latency", lambda cell: PATTERNS[cell.pattern].has_latency, higher_is_better=False),
)


def group_mean(results: Results, group: Group, transport: str, column: str, base: str) -> Mean | None:
    ratios: dict[Cell, float] = {}
    for cell in results.values:
        if cell.transport == transport and group.belongs(cell):
            value = ratio(results, cell, group.metric, column, base)
            if value is not None:
                ratios[cell] = value
    mean = geometric_mean(ratios.values())
    if mean is None:
        return None
    worst_cell = (min if group.higher_is_better else max)(ratios, key=ratios.__getitem__)
    return Mean(mean, ratios[worst_cell], worst_cell, tuple(ratios))
