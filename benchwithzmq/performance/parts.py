# SPDX-License-Identifier: MPL-2.0
"""The table of parts: each part is one call of run_comparison.py with settings of its own."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from comparison import options
from comparison.model import COMMON_TRANSPORTS, DEFAULT_SIZES, OWN_TRANSPORTS, PATTERNS, REPRESENTATIVE_SIZES, ComparisonError, Settings
from comparison.options import Plan

TRIAL_ENVIRONMENT = {"BENCH_RUN_MS": "10", "BENCH_MSG_SIZES": "64,1024,65536"}


@dataclasses.dataclass(frozen=True)
class Part:
    """One setting. `key` names its folder of pages. `peers`: other libraries are measured too. `cost_sizes`: the sizes whose
    costs are measured."""

    key: str
    title: str
    note: str
    environment: Mapping[str, str]
    runs: int = 3
    representative: bool = False
    peers: bool = False
    cost_sizes: tuple[int, ...] = ()

    def arguments(self, peers: Sequence[str], trial: bool) -> list[str]:
        words = ["ALL", "--runs", str(1 if trial else self.runs)]
        words += ["--matrix", "representative"] if self.representative else []
        return words + [word for peer in peers if self.peers for word in ("--peer", peer)]

    def variables(self, trial: bool) -> dict[str, str]:
        """The BENCH_* variables of this part. A trial measures little, in every part alike."""
        return {**(TRIAL_ENVIRONMENT if trial else {}), **self.environment}

    def sizes_of_costs(self, all_costs: bool) -> tuple[int, ...]:
        return DEFAULT_SIZES if all_costs else self.cost_sizes

    def plan(self, peers: Sequence[str], trial: bool) -> Plan:
        return options.make_plan(self.arguments(peers, trial), self.variables(trial))


NO_PINNING = {"BENCH_NO_TASKSET": "1"}
COMMON = {"BENCH_TRANSPORTS": ",".join(COMMON_TRANSPORTS)}
PARTS = {
    part.key: part
    for part in (
        Part("between-processes", "Between two processes",
             "The sender and the receiver are two processes. The kernel chooses their processors.",
             {"BENCH_TWO_PROCESSES": "1", "BENCH_TRANSPORTS": "tcp,ipc", **NO_PINNING}, runs=5, representative=True, peers=True,
             cost_sizes=REPRESENTATIVE_SIZES),
        Part("one-processor", "Two threads, one processor",
             "The sender and the receiver are two threads of one process. All threads run on one processor.", COMMON,
             cost_sizes=REPRESENTATIVE_SIZES),
        Part("all-processors", "Two threads, all processors",
             "The sender and the receiver are two threads of one process. The kernel chooses their processors.",
             {**COMMON, **NO_PINNING}, cost_sizes=REPRESENTATIVE_SIZES),
        Part("mark-1000-one-processor", "Two threads, one processor, high-water mark 1000",
             "1000 is the default of libzmq's interface. A PUB drops messages at the mark; only messages that arrive count.",
             {"BENCH_HWM": "1000", **COMMON}, representative=True),
        Part("mark-1000-all-processors", "Two threads, all processors, high-water mark 1000",
             "1000 is the default of libzmq's interface. A PUB drops messages at the mark; only messages that arrive count.",
             {"BENCH_HWM": "1000", **COMMON, **NO_PINNING}, representative=True),
        Part("malloc-offset", "Two threads, all processors, 256 KiB from malloc",
             "Bodies begin where malloc puts them. In all other settings they begin with a page.",
             {"BENCH_BODY_OFFSET": "malloc", "BENCH_MSG_SIZES": "262144", **COMMON, **NO_PINNING}, cost_sizes=(262144,)),
        Part("own-transports", "tls, ws and wss, all processors",
             "Debian's libzmq lacks these transports. The limit of tls and wss is OpenSSL over bare sockets, that of ws bare sockets.",
             {"BENCH_TRANSPORTS": ",".join(OWN_TRANSPORTS), "BENCH_MSG_SIZES": "64,65536", **NO_PINNING}),
    )
}

# Seconds that a program needs to start, to connect and to end.
START_S = 0.03
# Seconds for counting the system calls of one cell with one library.
COUNTING_S = 0.43
SCALE_MINUTES = 4.0


def estimated_minutes(part: Part, peers: Sequence[str], trial: bool, all_costs: bool = False) -> float:
    plan = part.plan(peers, trial)
    run_s = int(part.variables(trial).get("BENCH_RUN_MS", Settings.run_ms)) / 1000
    measured_s = sum(columns_over(cell.transport, plan) * (run_s * (1.5 if PATTERNS[cell.pattern].has_latency else 1.1) + START_S) for cell in plan.cells())
    costly = [cell for cell in plan.cells() if cell.size in part.sizes_of_costs(all_costs)]
    costs_s = sum(columns_over(cell.transport, plan) for cell in costly) * (1.2 * run_s + 2 * START_S + COUNTING_S)
    return (plan.runs * measured_s + costs_s) / 60


def columns_over(transport: str, plan: Plan) -> int:
    return 2 if transport in OWN_TRANSPORTS else 3 + len(plan.peers)


def named_peers(given: Sequence[str]) -> list[str]:
    """The arguments of --peer with absolute paths; raises ComparisonError for one that is wrong."""
    named = [options.named_peer(text) for text in given]
    names = [name for name, _ in named]
    if len(set(names)) != len(names):
        raise ComparisonError("two --peer have the same name")
    return [f"{name}={Path(file)}" for name, file in named]
