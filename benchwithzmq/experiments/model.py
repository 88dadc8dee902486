# SPDX-License-Identifier: MPL-2.0
"""An experiment: two sides, the cells they are measured in, and how often."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from comparison.model import PATTERNS, TRANSPORTS, Cell, ComparisonError

# Connect, send one message, receive it, close. The patterns measure long streams and do not show this.
FIRST_MESSAGE = "FIRST_MESSAGE"
DEFAULT_METRICS = ("throughput", "latency")
BASELINE, VARIANT = "baseline", "variant"
LIBZMQ, LIBZMQ_VARIANT = "libzmq", "libzmq-variant"
FEWEST_RUNS = 3
# Settings of the programs that may differ between the sides. They set options of the API, so libzmq gets them as well.
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

    @property
    def settings(self) -> dict[str, str]:
        """Returns those variables that mean the same to every library."""
        return {name: value for name, value in self.environment if name in SIDE_SETTINGS}


@dataclasses.dataclass(frozen=True)
class Experiment:
    """runs: values per side and cell. pinned: None leaves it to BENCH_NO_TASKSET. standing: it comes from questions.toml.
    engine: whether the engine does by default what the variant does, where the sides do not show it."""

    name: str
    hypothesis: str
    baseline: Side
    variant: Side
    cells: tuple[Cell, ...]
    runs: int
    metrics: tuple[str, ...] = DEFAULT_METRICS
    pinned: bool | None = None
    question: str = ""
    engine: bool | None = None
    why_not: str = ""  # why the engine does otherwise than the verdict says
    standing: bool = False

    @property
    def in_engine(self) -> bool | None:
        """Returns whether the engine does by default what the variant does. A side without changes is the engine."""
        if self.engine is not None:
            return self.engine
        return True if self.variant.plain else False if self.baseline.plain else None

    def check(self) -> None:
        """Raises ComparisonError on an experiment that cannot show anything."""
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ComparisonError(f"{self.name!r} is not a name: small letters, digits and dashes")
        if self.baseline == self.variant:
            raise ComparisonError(f"{self.name}: the two sides are the same; say what the variant changes")
        if self.runs < FEWEST_RUNS:
            raise ComparisonError(f"{self.name}: {self.runs} runs are too few; there is an interval from {FEWEST_RUNS} runs on")
        if self.standing and self.in_engine is None:
            raise ComparisonError(f"{self.name}: both sides differ from the engine; the key engine has to say which of them it is like")
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
