# SPDX-License-Identifier: MPL-2.0
"""Processor time and system calls per message, measured once for each cell after the comparison of a part."""

from __future__ import annotations

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
    cells = [cell for cell in report.cells if cell.size in sizes]
    for number, cell in enumerate(cells, 1):
        told = [f"{column.name} {add_cost(report, programs, cell, column)}" for column in report.columns]
        print(f"[{number}/{len(cells)}] costs of a message, {cell}: {' | '.join(told)}", flush=True)
    results.write_text(comparison.to_json(report), encoding="utf-8")


def add_cost(report: Report, programs: Programs, cell: Cell, column: Column) -> str:
    """A failure leaves the value out; the cell keeps its throughput and its latency."""
    try:
        messages = cost.message_count(report.results, cell, column, report.settings)
        spent = cost.processor_time(programs, column, cell, report.settings, TIMEOUT_S, messages)
        calls = syscalls.count(programs, column, cell, report.settings, TIMEOUT_S)
    except RunFailed as failure:
        return f"FAILED ({failure})"
    report.results.add(cell, column.name, spent)
    total = sum(calls.values())
    report.syscalls.append({"pattern": cell.pattern, "transport": cell.transport, "size": cell.size, "library": column.name,
                            "total": total, "calls": calls})
    return f"{spent[PROCESSOR_TIME]:.3g} us, {total:.3g} calls"
