# SPDX-License-Identifier: MPL-2.0
"""Processor time and system calls per message, measured once for each cell after the comparison of a part."""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path

from comparison import cost, syscalls
from comparison import report as comparison
from comparison.model import PROCESSOR_TIME, Cell, Column
from comparison.programs import Programs, RunFailed
from comparison.report import Report

TIMEOUT_S = 600


def add_costs(results: Path, build_dir: Path, sizes: Collection[int]) -> None:
    """Adds the costs of all cells of these sizes to the results of a comparison."""
    report = comparison.from_json(results.read_text(encoding="utf-8"))
    programs = Programs(build_dir, report.pinned_to)
    begin = time.monotonic()
    cells = [cell for cell in report.cells if cell.size in sizes]
    for number, cell in enumerate(cells, 1):
        told = [f"{column.name} {add_cost(report, programs, cell, column)}" for column in report.columns]
        print(f"[{number}/{len(cells)}] costs of a message, {cell}: {' | '.join(told)}", flush=True)
    report.seconds += time.monotonic() - begin
    results.write_text(comparison.to_json(report), encoding="utf-8")


def add_cost(report: Report, programs: Programs, cell: Cell, column: Column) -> str:
    """A failure leaves its value out; the cell keeps its throughput and its latency."""
    told = []
    for measure in (processor_time, system_calls):
        try:
            told.append(measure(report, programs, cell, column))
        except RunFailed as failure:
            told.append(f"FAILED ({failure})")
    return ", ".join(told)


def processor_time(report: Report, programs: Programs, cell: Cell, column: Column) -> str:
    messages = cost.message_count(report.results, cell, column, report.settings)
    spent = cost.processor_time(programs, column, cell, report.settings, TIMEOUT_S, messages)
    report.results.add(cell, column.name, spent)
    return f"{spent[PROCESSOR_TIME]:.3g} us"


def system_calls(report: Report, programs: Programs, cell: Cell, column: Column) -> str:
    calls = syscalls.count(programs, column, cell, report.settings, TIMEOUT_S)
    total = sum(calls.values())
    report.syscalls.append({"pattern": cell.pattern, "transport": cell.transport, "size": cell.size, "library": column.name,
                            "total": total, "calls": calls})
    return f"{total:.3g} calls"
