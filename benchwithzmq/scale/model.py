# SPDX-License-Identifier: MPL-2.0
"""What the other modules talk about: metrics, cells, results."""

from __future__ import annotations

import dataclasses
import enum
import statistics
from collections.abc import Sequence


@dataclasses.dataclass(frozen=True)
class Metric:
    """A row of the metric table. `name` is what the programs print."""

    name: str
    title: str
    unit: str
    higher_is_better: bool = False


METRICS = {
    metric.name: metric
    for metric in (
        Metric("messages_per_s", "messages", "1/s", higher_is_better=True),
        Metric("trips_per_s", "round trips", "1/s", higher_is_better=True),
        Metric("accepted_per_s", "connections accepted", "1/s", higher_is_better=True),
        Metric("idle_bytes", "memory of an idle connection", "bytes"),
        Metric("used_bytes", "memory of a connection after traffic", "bytes"),
        Metric("used_trimmed_bytes", "the same, free heap given back", "bytes"),
        Metric("kernel_bytes", "kernel memory of a connection, both ends", "bytes"),
        Metric("publisher_bytes", "memory beyond the topic, publisher", "bytes"),
        Metric("subscriber_bytes", "memory beyond the topic, subscriber", "bytes"),
        Metric("subscribed_per_s", "subscriptions", "1/s", higher_is_better=True),
        Metric("matched_per_s", "messages that match one topic", "1/s", higher_is_better=True),
        Metric("unmatched_per_s", "messages that match none", "1/s", higher_is_better=True),
        Metric("p50_us", "p50", "us"),
        Metric("p99_us", "p99", "us"),
        Metric("p999_us", "p99.9", "us"),
        Metric("processor_us", "processor time of a message", "us"),
        Metric("context_switches", "context switches of a message", ""),
        Metric("page_faults", "page faults of a message", ""),
        Metric("allocations", "allocations of a message", ""),
        Metric("system_calls", "system calls of a message", ""),
    )
}


class How(enum.Enum):
    """What is put around the program."""

    ALONE = "alone"
    COUNTING_ALLOCATIONS = "counting allocations"
    COUNTING_SYSTEM_CALLS = "counting system calls"


@dataclasses.dataclass(frozen=True)
class Cell:
    """One scenario with its parameters, in the order in which they are told. `section` is a key of the section table."""

    section: str
    scenario: str
    parameters: tuple[tuple[str, object], ...]
    metrics: tuple[str, ...]
    title: str
    how: How = How.ALONE
    most_runs: int | None = None  # of those that take long

    @property
    def key(self) -> str:
        words = (self.section, self.scenario, *(f"{name}={value}" for name, value in self.parameters))
        return " ".join(words)

    def get(self, name: str) -> object:
        return dict(self.parameters).get(name)

    def __str__(self) -> str:
        return f"{self.section}: {self.title}"


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    low: float
    high: float

    @property
    def percent(self) -> float | None:
        """Half of the distance between least and greatest, in percent of the median; None of a median of nothing."""
        return 50 * (self.high - self.low) / abs(self.median) if self.median else None


def spread(values: Sequence[float]) -> Spread | None:
    return Spread(statistics.median(values), min(values), max(values)) if values else None


class Results:
    """values[cell][column name][metric] is a list with one value per run; failures lie beside them."""

    def __init__(self) -> None:
        self.values: dict[Cell, dict[str, dict[str, list[float]]]] = {}
        self.failures: list[dict[str, object]] = []

    def add(self, cell: Cell, column: str, measured: dict[str, float]) -> None:
        metrics = self.values.setdefault(cell, {}).setdefault(column, {})
        for metric, value in measured.items():
            metrics.setdefault(metric, []).append(value)

    def fail(self, cell: Cell, column: str, run: int, reason: str) -> None:
        self.failures.append({"cell": cell.key, "title": str(cell), "library": column, "run": run, "reason": reason})

    def failed(self, cell: Cell, column: str) -> bool:
        return any(failure["cell"] == cell.key and failure["library"] == column for failure in self.failures)

    def spread(self, cell: Cell, column: str, metric: str) -> Spread | None:
        """None when the cell failed for this column, whatever earlier runs gave."""
        return spread(self.values_of(cell, column, metric))

    def values_of(self, cell: Cell, column: str, metric: str) -> list[float]:
        """One for each run; none when the cell failed for this column."""
        return [] if self.failed(cell, column) else self.values.get(cell, {}).get(column, {}).get(metric, [])

    def ratio(self, cell: Cell, metric: str, column: str, base: str) -> float | None:
        """The column's median over the base's; None where either has none, or the base's is nothing."""
        over, under = self.spread(cell, column, metric), self.spread(cell, base, metric)
        return over.median / under.median if over and under and under.median > 0 else None
