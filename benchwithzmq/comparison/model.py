# SPDX-License-Identifier: MPL-2.0
"""What the other modules talk about: patterns, cells of the matrix, columns (libraries), settings, results."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from comparison.settings import Settings  # noqa: F401  (other modules take it from here)

# libzmq has these; every pattern is measured over them.
COMMON_TRANSPORTS = ("inproc", "tcp", "ipc")
# Debian's libzmq lacks these. Two patterns show what they cost, unless BENCH_TRANSPORTS names transports.
OWN_TRANSPORTS = ("tls", "ws", "wss")
OWN_TRANSPORTS_PATTERNS = ("PAIR", "REQREP")
TRANSPORTS = COMMON_TRANSPORTS + OWN_TRANSPORTS
DEFAULT_SIZES = (64, 256, 1024, 65536, 131072, 262144)
REPRESENTATIVE_SIZES = (64, 1024, 65536)
METRICS = ("throughput", "latency", "latency_p99")
# Measured on request, from two runs of different length; see comparison/cost.py.
PROCESSOR_TIME = "processor_us_per_message"


class ComparisonError(Exception):
    """Something the user can mend; shown without a traceback."""


@dataclasses.dataclass(frozen=True)
class Pattern:
    """A row of the pattern table. `program` is the end of the program's name, `name` what RESULT lines say."""

    program: str
    has_latency: bool = True
    round_trips: bool = False
    drops: bool = False  # messages, at a high-water mark

    @property
    def name(self) -> str:
        return self.program.upper()

    @property
    def metrics(self) -> tuple[str, ...]:
        return METRICS if self.has_latency else ("throughput",)


PATTERNS = {
    pattern.name: pattern
    for pattern in (
        Pattern("pair"),
        Pattern("pubsub", has_latency=False, drops=True),
        Pattern("pushpull", has_latency=False),
        Pattern("dealer_dealer"),
        Pattern("dealer_router"),
        Pattern("router_router"),
        Pattern("router_router_poll"),
        Pattern("reqrep", round_trips=True),
    )
}


@dataclasses.dataclass(frozen=True)
class Cell:
    """One place of the matrix."""

    pattern: str
    transport: str
    size: int

    @property
    def key(self) -> str:
        return f"{self.pattern}/{self.transport}/{self.size}"

    def __str__(self) -> str:
        return f"{self.pattern} {self.transport} {size_name(self.size)}"


@dataclasses.dataclass
class Column:
    """One library, or the limit. kind: zlink, libzmq, peer or limit. `file` is the library file that must be loaded,
    `environment` what its programs find set besides the settings."""

    name: str
    kind: str
    file: Path | None = None
    version: str = ""
    sha256: str = ""
    cached: bool = False
    environment: dict[str, str] = dataclasses.field(default_factory=dict)

    def lacks(self, transport: str) -> bool:
        return self.kind in ("libzmq", "peer") and transport in OWN_TRANSPORTS

    def described(self) -> dict[str, object]:
        return {
            "name": self.name,
            "kind": self.kind,
            "file": str(self.file) if self.file else None,
            "version": self.version,
            "sha256": self.sha256,
            "cached": self.cached,
        }

    @staticmethod
    def from_described(told: dict[str, object]) -> Column:
        return Column(told["name"], told["kind"], Path(told["file"]) if told["file"] else None, told["version"],
                      told["sha256"], told["cached"])


class Results:
    """All values: results[cell][column name][metric] is a list with one value per run; failures lie beside them."""

    def __init__(self) -> None:
        self.values: dict[Cell, dict[str, dict[str, list[float]]]] = {}
        self.failures: list[dict[str, object]] = []

    def add(self, cell: Cell, column: str, measured: dict[str, float]) -> None:
        metrics = self.values.setdefault(cell, {}).setdefault(column, {})
        for metric, value in measured.items():
            metrics.setdefault(metric, []).append(value)

    def fail(self, cell: Cell, column: str, run: int, reason: str, of_cost: bool = False) -> None:
        """`of_cost`: only the cost of a message is missing; the cell keeps its throughput and its latency."""
        self.failures.append(
            {"pattern": cell.pattern, "transport": cell.transport, "size": cell.size, "library": column, "run": run,
             "reason": reason, "of_cost": of_cost}
        )

    def failed(self, cell: Cell, column: str) -> bool:
        place = (cell.pattern, cell.transport, cell.size, column)
        return any((f["pattern"], f["transport"], f["size"], f["library"]) == place
                   for f in self.failures if not f.get("of_cost"))

    def get(self, cell: Cell, column: str, metric: str) -> list[float]:
        """The values; none when the cell failed for this column, whatever earlier runs gave."""
        if self.failed(cell, column):
            return []
        return self.values.get(cell, {}).get(column, {}).get(metric, [])


def size_name(size: int) -> str:
    if size >= 1 << 20 and size % (1 << 20) == 0:
        return f"{size >> 20} MiB"
    if size >= 1024 and size % 1024 == 0:
        return f"{size >> 10} KiB"
    return f"{size} B"
