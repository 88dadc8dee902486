# SPDX-License-Identifier: MPL-2.0
"""What is measured, and which libraries take part."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

from scale.model import Cell, Metric

METRICS = {
    metric.name: metric
    for metric in (
        Metric("messages_per_s", "messages", "1/s", higher_is_better=True),
        Metric("p50_us", "p50", "us"),
        Metric("p99_us", "p99", "us"),
        Metric("listener_idle_bytes", "listener", "bytes"),
        Metric("client_idle_bytes", "client", "bytes"),
    )
}
SECTIONS = {
    "libraries": "Beside other libraries",
    "own": "Beside tcp and tls of zlink",
    "memory": "Memory of connections that rest",
}
DEFAULT_MARK = 1000  # libzmq's; nng gets it as well
LONG_MARK_BYTES = 64 << 20  # of the section "own": the window of the comparison with libzmq
LONG_MARK_MESSAGES = 100_000


@dataclasses.dataclass(frozen=True)
class Library:
    """`server` and `client` are programs of the folder, or a Python source of program/."""

    name: str
    server: str
    client: str
    transports: tuple[str, ...]
    what: str
    works: tuple[str, ...] = ("up", "down", "round_trips")

    def has(self, cell: Cell) -> bool:
        if self.name == "zlink":
            return True
        return cell.section == "libraries" and cell.get("transport") in self.transports and cell.scenario in self.works


LIBRARIES = (
    Library("zlink", "web_zlink", "web_zlink", ("tcp", "tls", "ws", "wss"), "PUSH to PULL, and REQ to REP"),
    Library("nng", "web_nng", "web_nng", ("tls", "ws", "wss"), "push to pull, and req to rep, of Debian's library"),
    Library("omq", "web_peer", "web_peer", ("ws",), "the Rust library of make peers, PUSH to PULL, and REQ to REP"),
    Library("websockets", "websockets_end.py", "websockets_end.py", ("ws", "wss"), "Python's package, messages as they are"),
    # socketify does not tell when a connection takes more, so its server cannot send without an end.
    Library("uWebSockets", "socketify_end.py", "web_bare", ("ws",),
            "the server of Python's package socketify, and a client without a library", ("up", "round_trips")),
)


@dataclasses.dataclass(frozen=True)
class Effort:
    name: str
    runs: int
    runs_of_libraries: int  # there the ratios are far from 1
    run_ms: int
    connections: int


FULL = Effort("full", runs=15, runs_of_libraries=5, run_ms=400, connections=10_000)
QUICK = Effort("quick", runs=1, runs_of_libraries=1, run_ms=100, connections=100)
DIRECTIONS = {"up": "client to server", "down": "server to client"}
SIZES = {64: "64 B", 65536: "64 KiB", 262144: "256 KiB"}


def stream(section: str, transport: str, work: str, size: int, mark: int, effort: Effort, most_runs: int | None = None) -> Cell:
    title = f"{transport}, {DIRECTIONS[work]}, {SIZES[size]}"
    return Cell(section, work, (("transport", transport), ("size", size), ("run_ms", effort.run_ms), ("mark", mark)),
                ("messages_per_s",), title, most_runs=most_runs)


def library_cells(effort: Effort) -> list[Cell]:
    cells = []
    for transport in ("tls", "ws", "wss"):
        works = ("up",) if transport == "tls" else ("up", "down")  # a client of ws masks, a server does not
        cells += [stream("libraries", transport, work, size, DEFAULT_MARK, effort, effort.runs_of_libraries)
                  for work in works for size in (64, 65536)]
        cells.append(Cell("libraries", "round_trips", (("transport", transport), ("size", 64), ("run_ms", effort.run_ms),
                                                       ("mark", DEFAULT_MARK)), ("p50_us", "p99_us"),
                          f"{transport}, round trip, 64 B", most_runs=effort.runs_of_libraries))
    return cells


def own_cells(effort: Effort) -> list[Cell]:
    return [stream("own", transport, work, size, min(LONG_MARK_MESSAGES, LONG_MARK_BYTES // size), effort)
            for size in SIZES
            for transport, works in (("tcp", ("up",)), ("ws", ("down", "up")), ("tls", ("up",)), ("wss", ("down", "up")))
            for work in works]


def memory_cells(effort: Effort) -> list[Cell]:
    return [Cell("memory", "idle", (("transport", transport), ("connections", effort.connections), ("as", each)),
                 ("listener_idle_bytes", "client_idle_bytes"), f"{transport}, {text}", most_runs=1)
            for transport in ("tcp", "tls", "wss")
            for each, text in (("sockets", "a socket for each connection"), ("endpoints", "one socket with all of them"))]


def all_cells(effort: Effort, only: Sequence[str] = ()) -> list[Cell]:
    cells = library_cells(effort) + own_cells(effort) + memory_cells(effort)
    return [cell for cell in cells if not only or cell.section in only]


# A goal is a least ratio: of a stream over ws or wss, to the stream of tcp or tls from client to server.
GOALS = {
    ("ws", "down", 64): ("tcp", 0.7), ("ws", "down", 65536): ("tcp", 0.8), ("ws", "down", 262144): ("tcp", 0.8),
    ("ws", "up", 64): ("tcp", 0.5), ("ws", "up", 65536): ("tcp", 0.6), ("ws", "up", 262144): ("tcp", 0.6),
    **{("wss", work, size): ("tls", 0.75) for work in DIRECTIONS for size in SIZES},
}


def source(name: str) -> Path:
    """A program that is not compiled."""
    return Path(__file__).parent / "program" / name
