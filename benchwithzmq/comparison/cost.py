# SPDX-License-Identifier: MPL-2.0
"""Processor time per message: user and system time of both ends, from getrusage.

A program runs twice with fixed counts, the second time with ten times as many messages. The difference belongs to the
messages alone, because start and end of the program cancel out.
"""

from __future__ import annotations

import dataclasses
import resource

from comparison.model import PATTERNS, PROCESSOR_TIME, Cell, Column, Results, Settings
from comparison.programs import CostFailed, Programs, RunFailed, child_environment, read_results, run
from comparison.summary import spread

FEWEST_MESSAGES = 1000
# The start of a program varies by a few milliseconds of processor time; a shorter run could cost less than nothing.
SHORTEST_RUN_MS = 250
TIMES = 10


def message_count(results: Results, cell: Cell, column: Column, settings: Settings) -> int:
    """Returns the count of the longer run, which takes about as long as a throughput run."""
    rate = spread(results.get(cell, column.name, "throughput"))
    if rate is None:
        raise CostFailed("processor time: there is no throughput to plan the run with")
    return max(FEWEST_MESSAGES, int(rate.median * max(settings.run_ms, SHORTEST_RUN_MS) / 1000))


def processor_time(programs: Programs, column: Column, cell: Cell, settings: Settings, timeout_s: float,
                   messages: int) -> dict[str, float]:
    """Microseconds per message."""
    refuse_lossy(cell, settings)
    few = messages // TIMES

    def spent_s(count: int) -> float:
        fixed = dataclasses.replace(settings, message_count=count, warmup_count=few, latency_count=0)
        before = children_s()
        try:
            output, _ = run(programs.command(column, cell), child_environment(column, fixed), timeout_s)
            read_results(output, column.name, cell, ("throughput",))
        except RunFailed as failure:
            raise CostFailed(f"processor time: {failure}") from None
        return children_s() - before

    difference_s = spent_s(messages) - spent_s(few)
    if difference_s <= 0:
        raise CostFailed(f"processor time: {messages} messages took no more than {few}")
    return {PROCESSOR_TIME: difference_s / (messages - few) * 1e6}


def refuse_lossy(cell: Cell, settings: Settings) -> None:
    """A count is one of messages sent. Where messages are dropped it does not tell the cost of one that arrives."""
    if PATTERNS[cell.pattern].drops and settings.high_water_mark > 0:
        raise CostFailed("a PUB drops messages at a high-water mark: the cost of one that arrives is not known")


def children_s() -> float:
    """User and system time of all programs that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
