# SPDX-License-Identifier: MPL-2.0
"""The values of the pages: which metrics there are, and their texts for several series."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from comparison.model import METRICS, PATTERNS, PROCESSOR_TIME, Cell
from comparison.report import CLOCK_MARK, Report, rate_text
from comparison.summary import Spread, ratio, spread
from performance.series import Series

MISSING = "-"
FAILED = "failed"


@dataclasses.dataclass(frozen=True)
class Shown:
    """A metric of the pages."""

    name: str
    title: str
    text: Callable[[float], str]
    higher_is_better: bool = False


def short_text(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


SHOWN = (
    Shown("throughput", "Throughput, messages/s", rate_text, higher_is_better=True),
    Shown("latency", "Latency, p50, µs (half a round trip)", short_text),
    Shown("latency_p99", "Latency, p99, µs (half a round trip)", short_text),
    Shown("system_calls", "System calls per message", short_text),
    Shown(PROCESSOR_TIME, "Processor time per message, µs", short_text),
)


def measured(report: Report, cell: Cell, column: str, metric: str) -> Spread | None:
    """Returns None if the cell failed or the metric was not measured."""
    if metric == "system_calls":
        totals = [row["total"] for row in report.syscalls if row["library"] == column and
                  (row["pattern"], row["transport"], row["size"]) == (cell.pattern, cell.transport, cell.size)]
        return spread(totals)
    return spread(report.results.get(cell, column, metric))


def value_text(report: Report, cell: Cell, column: str, shown: Shown) -> str:
    """The median with half of the distance between least and greatest, in percent of the median."""
    if column not in (known.name for known in report.columns):
        return MISSING
    values = measured(report, cell, column, shown.name)
    if values is None:
        return FAILED if report.results.failed(cell, column) else MISSING
    median = shown.text(values.median)
    return median if values.low == values.high else f"{median} ±{values.percent / 2:.0f}%"


def ratio_text(report: Report, cell: Cell, column: str, base: str, metric: str) -> str:
    over, under = measured(report, cell, column, metric), measured(report, cell, base, metric)
    if not over or not under or under.median <= 0:
        return MISSING
    mark = CLOCK_MARK if report.near_clock(cell, metric, column, base) else ""
    return f"{over.median / under.median:.2f}{mark}"


def columns_of(reports: Sequence[Report]) -> list[str]:
    """The names of all libraries in the order zlink, libzmq, peers, limit."""
    kinds = ("zlink", "libzmq", "peer", "limit")
    columns = sorted((column for report in reports for column in report.columns), key=lambda one: kinds.index(one.kind))
    return list(dict.fromkeys(column.name for column in columns))


def others_of(reports: Sequence[Report]) -> list[str]:
    """All columns that zlink is compared with."""
    return [name for name in columns_of(reports) if name != "zlink"]


def cells_of(reports: Sequence[Report]) -> list[Cell]:
    return list(dict.fromkeys(cell for report in reports for cell in report.cells))


def with_part(stored: Sequence[Series], key: str) -> list[tuple[Series, Report]]:
    return [(series, series.parts[key]) for series in stored if key in series.parts]


@dataclasses.dataclass(frozen=True)
class Behind:
    """A value of zlink that is worse than that of another library."""

    cell: Cell
    metric: str
    other: str
    ratio: float
    overlaps: bool  # the ranges of the runs do


def compared(report: Report) -> Iterator[tuple[Cell, str, str]]:
    """All cells, metrics and libraries for which zlink has a ratio."""
    others = [column.name for column in report.columns if column.kind in ("libzmq", "peer")]
    for cell in report.cells:
        for metric in (name for name in METRICS if name in PATTERNS[cell.pattern].metrics):
            for other in others:
                if ratio(report.results, cell, metric, "zlink", other) is not None:
                    yield cell, metric, other


def behind(report: Report) -> Iterator[Behind]:
    for cell, metric, other in compared(report):
        found = ratio(report.results, cell, metric, "zlink", other)
        if found >= 1 if metric == "throughput" else found <= 1:
            continue
        ours, theirs = (spread(report.results.get(cell, name, metric)) for name in ("zlink", other))
        yield Behind(cell, metric, other, found, ours.low <= theirs.high and theirs.low <= ours.high)
