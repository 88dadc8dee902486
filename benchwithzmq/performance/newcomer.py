# SPDX-License-Identifier: MPL-2.0
"""The first numbers that a reader sees: messages per second and round trips between two processes."""

from __future__ import annotations

import dataclasses

from comparison.model import Cell, size_name
from comparison.report import Report, rate_text
from comparison.summary import Spread, spread
from performance.series import Series

PART = "between-processes"
TRANSPORTS = ("tcp", "ipc")
SIZES = (64, 1024, 65536)
STREAM, ROUND_TRIP = "PUSHPULL", "REQREP"
TITLES = {"limit": "bare sockets"}


@dataclasses.dataclass(frozen=True)
class Number:
    """One row. A round trip takes twice the latency that the programs report."""

    cell: Cell
    metric: str
    title: str

    def get(self, report: Report, column: str) -> Spread | None:
        values = report.results.get(self.cell, column, self.metric)
        factor = 1 if self.metric == "throughput" else 2
        return spread([factor * value for value in values])

    def text(self, value: float) -> str:
        if self.metric == "throughput":
            return rate_text(value)
        return f"{value:.3g} µs" if value < 1000 else f"{value / 1000:.3g} ms"


def streams(transport: str) -> list[Number]:
    return [Number(Cell(STREAM, transport, size), "throughput", f"messages/s, {transport}, {size_name(size)}")
            for size in SIZES]


def round_trips(transport: str, size: int = 64) -> list[Number]:
    return [Number(Cell(ROUND_TRIP, transport, size), metric, f"round trip, {transport}, {size_name(size)}, {percentile}")
            for metric, percentile in (("latency", "p50"), ("latency_p99", "p99"))]


def numbers() -> list[Number]:
    return [number for transport in TRANSPORTS for number in (*streams(transport), *round_trips(transport))]


def column_title(name: str) -> str:
    return TITLES.get(name, name)


def picture(series: Series) -> str:
    return f"performance-{PART}-series-{series.number}.png"
