# SPDX-License-Identifier: MPL-2.0
"""Which cells there are: a table of sections, each made for one of three efforts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from comparison.model import Settings
from scale.model import Cell, How

PERCENTILES = ("p50_us", "p99_us", "p999_us")


@dataclasses.dataclass(frozen=True)
class Effort:
    """How much of everything."""

    name: str
    runs: int
    peers: tuple[int, ...]
    connections: int
    topics: int
    io_threads: tuple[int, ...]
    fan_ms: int
    many_ms: int  # with very many peers or topics
    latency_ms: int
    cost_part: float  # of the messages in COSTS
    traced_part: float  # of them, under strace


FULL = Effort("full", runs=5, peers=(1, 10, 100, 1000), connections=10_000, topics=1_000_000, io_threads=(1, 2, 4),
              fan_ms=Settings.run_ms, many_ms=1000, latency_ms=700, cost_part=1, traced_part=0.1)
QUICK = Effort("quick", runs=1, peers=(1, 100, 1000), connections=2000, topics=100_000, io_threads=(1, 2, 4),
               fan_ms=150, many_ms=400, latency_ms=300, cost_part=0.3, traced_part=0.05)
# For the test of this code: nothing of it says anything about a library.
SMOKE = Effort("smoke", runs=1, peers=(1, 3), connections=20, topics=2000, io_threads=(2,), fan_ms=20, many_ms=20,
               latency_ms=30, cost_part=0.01, traced_part=0.01)

# Pattern, transport, size, messages for about half a second with libzmq.
COSTS = (
    ("push_pull", "tcp", 64, 1_000_000),
    ("push_pull", "tcp", 1024, 200_000),
    ("push_pull", "tcp", 65536, 8000),
    ("push_pull", "ipc", 64, 1_000_000),
    ("dealer_router", "tcp", 64, 500_000),
    ("req_rep", "tcp", 64, 8000),
    ("req_rep", "ipc", 64, 8000),
)


def fan(effort: Effort) -> list[Cell]:
    return [fan_cell("fan", pattern, transport, peers, 64, 1, effort, f"{pattern} {transport}, {peers} peers")
            for pattern in ("pub_sub", "dealer_router", "push_pull") for transport in ("tcp", "inproc")
            for peers in effort.peers]


def io_threads(effort: Effort) -> list[Cell]:
    return [fan_cell("io_threads", "push_pull", "tcp", 8, size, threads, effort,
                     f"8 connections, {size} B, {threads} I/O threads")
            for size in (64, 1024, 65536) for threads in effort.io_threads]


def fan_cell(section: str, pattern: str, transport: str, peers: int, size: int, threads: int, effort: Effort,
             title: str) -> Cell:
    # With very many peers most of the time goes into connecting them, and a short run sees little but its own beginning.
    very_many = peers >= 1000
    parameters = (("pattern", pattern), ("transport", transport), ("peers", peers), ("size", size),
                  ("io_threads", threads), ("run_ms", effort.many_ms if very_many else effort.fan_ms))
    return Cell(section, "fan", parameters, ("messages_per_s",), title, most_runs=3 if very_many else None)


def connections(effort: Effort) -> list[Cell]:
    return [Cell("connections", "connections", (("connections", effort.connections),),
                 ("accepted_per_s", "idle_bytes", "used_bytes", "used_trimmed_bytes", "kernel_bytes"),
                 f"{effort.connections} connections", most_runs=3)]


def subscriptions(effort: Effort) -> list[Cell]:
    return [
        Cell("subscriptions", "subscriptions", (("topics", effort.topics),),
             ("publisher_bytes", "subscriber_bytes", "subscribed_per_s"), f"{effort.topics} topics over tcp",
             most_runs=3),
        Cell("subscriptions", "matching", (("topics", effort.topics), ("run_ms", effort.many_ms)),
             ("matched_per_s", "unmatched_per_s"), f"{effort.topics} topics over inproc", most_runs=3)]


def latency(effort: Effort) -> list[Cell]:
    made = []
    for transport in ("tcp", "ipc"):
        common = (("transport", transport), ("size", 64))
        made.append(Cell("latency", "round_trips", (*common, ("run_ms", effort.latency_ms)), PERCENTILES,
                         f"REQ/REP round trip {transport}"))
        made.append(Cell("latency", "fixed_rate", (*common, ("rate", 10_000), ("run_ms", effort.latency_ms)),
                         PERCENTILES, f"PUB/SUB one way at 10,000/s {transport}"))
    return made


def brokers(effort: Effort) -> list[Cell]:
    made = []
    for transport in ("tcp", "ipc"):
        common = (("transport", transport), ("size", 64))
        run = ("run_ms", effort.latency_ms)
        made.append(Cell("brokers", "broker", (*common, ("clients", 4), ("workers", 2), run),
                         ("trips_per_s", "p50_us", "p99_us"), f"4 REQ, ROUTER-DEALER, 2 REP {transport}"))
        made.append(Cell("brokers", "streamer", (*common, run), ("messages_per_s",), f"PUSH, PULL-PUSH, PULL {transport}"))
        made.append(Cell("brokers", "forwarder", (*common, ("peers", effort.peers[-2]), run), ("messages_per_s",),
                         f"PUB, XSUB-XPUB, {effort.peers[-2]} SUB {transport}"))
    return made


def cost(effort: Effort) -> list[Cell]:
    made = []
    for how, section, part, metrics in (
            (How.ALONE, "cost", effort.cost_part,
             ("processor_us", "context_switches", "page_faults", "messages_per_s")),
            (How.COUNTING_ALLOCATIONS, "allocations", effort.cost_part, ("allocations",)),
            (How.COUNTING_SYSTEM_CALLS, "system_calls", effort.traced_part, ("system_calls",))):
        for pattern, transport, size, messages in COSTS:
            parameters = (("pattern", pattern), ("transport", transport), ("size", size),
                          ("messages", max(20, int(messages * part))))
            made.append(Cell(section, "cost", parameters, metrics, f"{pattern} {transport} {size} B", how,
                             most_runs=None if how is How.ALONE else 3))
    return made


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the report: the cells are those that `make` gives this section's key."""

    key: str
    title: str
    note: str


SECTIONS = {
    section.key: section
    for section in (
        Section("fan", "Fan-out and fan-in",
                "One hub and its peers, each with a connection of its own, in one process: one thread for the hub, one for "
                "all peers; 64 B. Messages that arrived."),
        Section("connections", "Many connections",
                "Into a ROUTER of another process, over tcp. Memory is the growth of that process's resident memory; "
                "after traffic: one message and one reply of 64 B on each connection. The kernel's is the growth of its slabs "
                "and TCP buffers, both ends, on the whole machine, and so only a hint."),
        Section("subscriptions", "Many subscriptions",
                "All of one subscriber, 17 bytes each. Memory of each subscription beyond these bytes, publisher and subscriber "
                "in a process each, over tcp, free heap given back; matching over inproc, topics in scattered order."),
        Section("io_threads", "Several I/O threads", "PUSH to PULL over tcp, 8 connections, in one process."),
        Section("latency", "Latency between two processes", "64 B, nothing pinned."),
        Section("brokers", "Brokers",
                "`zmq_proxy` in a process of its own, and a process for each client and each worker; all subscribers are in "
                "one process. 64 B, nothing pinned."),
        Section("cost", "What a message takes",
                "Processor time (user and system), context switches and fresh pages of both processes together; a message of "
                "req_rep is a round trip."),
        Section("allocations", "Allocations", "Counted with a preloaded library, both processes together."),
        Section("system_calls", "System calls",
                "Counted with strace -c -f (which slows them down), less those of a run of ten messages, both processes together."),
    )
}
MAKERS: tuple[Callable[[Effort], list[Cell]], ...] = (fan, connections, subscriptions, io_threads, latency, brokers, cost)


def all_cells(effort: Effort, only: Sequence[str] = ()) -> list[Cell]:
    return [cell for make in MAKERS for cell in make(effort) if not only or cell.section in only]
