# SPDX-License-Identifier: MPL-2.0
"""What an experiment is: two sides, the cells they are measured in, and how often."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from comparison.model import PATTERNS, TRANSPORTS, Cell, ComparisonError

# Connect, send one message, receive it, close: what the patterns, which measure long streams, do not show.
FIRST_MESSAGE = "FIRST_MESSAGE"
DEFAULT_METRICS = ("throughput", "latency")
BASELINE, VARIANT = "baseline", "variant"
# Settings of the programs that may differ between the sides: they are options of the library.
SIDE_SETTINGS = ("BENCH_SNDBUF", "BENCH_RCVBUF", "BENCH_HWM", "BENCH_IO_THREADS")
TUNING = ("ZMQ_", "ZLINK_")


@dataclasses.dataclass(frozen=True)
class Side:
    """How one of the two differs from the library as it is. At most one of library and (patch, options) is given."""

    environment: tuple[tuple[str, str], ...] = ()
    patch: Path | None = None
    options: tuple[str, ...] = ()  # for CMake: ZLINK_NATIVE=ON
    library: Path | None = None

    @property
    def built(self) -> bool:
        return self.patch is not None or bool(self.options)

    @property
    def plain(self) -> bool:
        return self == Side()


@dataclasses.dataclass(frozen=True)
class Experiment:
    """runs: values per side and cell. pinned: None leaves it to BENCH_NO_TASKSET."""

    name: str
    hypothesis: str
    baseline: Side
    variant: Side
    cells: tuple[Cell, ...]
    runs: int
    metrics: tuple[str, ...] = DEFAULT_METRICS
    pinned: bool | None = None
    question: str = ""

    def check(self) -> None:
        """Raises ComparisonError on an experiment that cannot show anything."""
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ComparisonError(f"{self.name!r} is not a name: small letters, digits and dashes")
        if self.baseline == self.variant:
            raise ComparisonError(f"{self.name}: the two sides are the same; say what the variant changes")
        if self.runs < 2 or self.runs % 2 != 0:
            raise ComparisonError(f"{self.name}: the number of runs has to be even: each block is A B B A")
        if not self.cells:
            raise ComparisonError(f"{self.name}: there are no cells to measure")
        for cell in self.cells:
            if not measured_metrics(cell, self.metrics):
                raise ComparisonError(f"{self.name}: {cell} has none of the metrics {', '.join(self.metrics)}")


def metrics_of(cell: Cell) -> tuple[str, ...]:
    return ("latency", "latency_p99") if cell.pattern == FIRST_MESSAGE else PATTERNS[cell.pattern].metrics


def measured_metrics(cell: Cell, wanted: Iterable[str]) -> tuple[str, ...]:
    return tuple(metric for metric in wanted if metric in metrics_of(cell))


def parse_cell(text: str) -> Cell:
    """pattern:transport:size, as pair:tcp:64."""
    words = text.strip().split(":")
    if len(words) != 3:
        raise ComparisonError(f"{text!r} is not pattern:transport:size")
    pattern, transport, size = words[0].upper(), words[1], words[2]
    if pattern != FIRST_MESSAGE and pattern not in PATTERNS:
        raise ComparisonError(f"{text!r}: there is no pattern {words[0]!r}; there are {', '.join(PATTERNS)} and {FIRST_MESSAGE}")
    if transport not in TRANSPORTS:
        raise ComparisonError(f"{text!r}: the transport is not one of {', '.join(TRANSPORTS)}")
    if not size.isdecimal() or int(size) < 1:
        raise ComparisonError(f"{text!r}: {size!r} is not a size in bytes")
    return Cell(pattern, transport, int(size))


def parse_cells(texts: Sequence[str]) -> tuple[Cell, ...]:
    return tuple(dict.fromkeys(parse_cell(text) for text in texts if text.strip()))


def parse_environment(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator or not (name in SIDE_SETTINGS or re.fullmatch(r"(ZMQ|ZLINK)_[A-Z0-9_]+", name)):
        raise ComparisonError(f"{text!r} is not NAME=VALUE with a variable of docs/api/tuning.md, or one of "
                              f"{', '.join(SIDE_SETTINGS)}")
    return name, value
