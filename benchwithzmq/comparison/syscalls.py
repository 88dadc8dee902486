# SPDX-License-Identifier: MPL-2.0
"""System calls per message, from strace -c.

A program is run twice with fixed counts, the second one with ten times as many messages; the difference belongs to the
messages alone, start and end of the program cancel out. (Of two runs of about the same length the one that happens to batch
less can be the shorter one, and the difference says nothing.) strace slows every call down, and slower calls gather larger
batches: the numbers compare libraries under the same condition, they are not those of an undisturbed run.
"""

from __future__ import annotations

import dataclasses
import re
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from comparison.cost import refuse_lossy
from comparison.model import PATTERNS, Cell, Column, ComparisonError, Results, Settings
from comparison.programs import Programs, RunFailed, child_environment, read_results, run
from comparison.summary import SMALL_UP_TO

STRACE = ("strace", "-f", "-c", "-o")


def require() -> None:
    if shutil.which("strace") is None:
        raise ComparisonError("--syscalls needs strace (package strace)")


def message_count(cell: Cell) -> int:
    if PATTERNS[cell.pattern].round_trips:
        return 1000
    return 20000 if cell.size <= SMALL_UP_TO else 1000


def parse(table: str) -> dict[str, int]:
    """Calls by name from strace's summary; the line of totals is left out."""
    calls: dict[str, int] = {}
    for line in table.splitlines():
        match = re.fullmatch(r"\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)\s*", line)
        if match and match[2] != "total":
            calls[match[2]] = calls.get(match[2], 0) + int(match[1])
    if not calls:
        raise RunFailed("strace counted nothing")
    return calls


def per_message(few: dict[str, int], many: dict[str, int], messages: int) -> dict[str, float]:
    """What each further message cost, by call; calls that did not grow in number are left out."""
    grown = {name: (many.get(name, 0) - few.get(name, 0)) / messages for name in set(few) | set(many)}
    return {name: value for name, value in sorted(grown.items(), key=lambda item: -item[1]) if value > 0}


def count(programs: Programs, column: Column, cell: Cell, settings: Settings, timeout_s: float) -> dict[str, float]:
    refuse_lossy(cell, settings)

    def calls(messages: int) -> dict[str, int]:
        fixed = dataclasses.replace(settings, message_count=messages, warmup_count=100, latency_count=0)
        with tempfile.TemporaryDirectory() as folder:
            table = Path(folder) / "table"
            command = [*STRACE, str(table), *programs.command(column, cell)]
            output, _ = run(command, child_environment(column, fixed), timeout_s)
            read_results(output, column.name, cell, ("throughput",))
            return parse(table.read_text(encoding="utf-8"))

    messages = message_count(cell)
    few = messages // 10
    return per_message(calls(few), calls(messages), messages - few)


@dataclasses.dataclass(frozen=True)
class Counting:
    """A library with the settings that its system calls are counted with. The rows go into `rows`, a failure into `results`."""

    name: str
    column: Column
    programs: Programs
    settings: Settings
    timeout_s: float
    rows: list[dict[str, object]]
    results: Results
    prepare: Callable[[], None]


def count_all(cells: Sequence[Cell], countings: Sequence[Counting], say: Callable[[str], None]) -> None:
    for index, cell in enumerate(cells):
        told = [f"{counting.name} {count_one(cell, counting)}" for counting in countings
                if not counting.column.lacks(cell.transport)]
        say(f"[{index + 1}/{len(cells)}] system calls per message, {cell}: {' | '.join(told)}")


def count_one(cell: Cell, counting: Counting) -> str:
    column = counting.column
    counting.prepare()
    try:
        calls = count(counting.programs, column, cell, counting.settings, counting.timeout_s)
    except RunFailed as failure:
        counting.results.fail(cell, column.name, 0, f"counting system calls: {failure}", of_cost=True)
        return f"FAILED ({failure})"
    counting.rows.append({"pattern": cell.pattern, "transport": cell.transport, "size": cell.size, "library": column.name,
                          "total": sum(calls.values()), "calls": calls})
    return f"{sum(calls.values()):.3f}"
