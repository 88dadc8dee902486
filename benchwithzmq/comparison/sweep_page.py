# SPDX-License-Identifier: MPL-2.0
"""The JSON and the page of a sweep: the values of all points in joint tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from comparison import report as comparison
from comparison.model import Cell, size_name
from comparison.report import METRIC_TITLES, Report, has_metric, marked_ratio, spread_text, syscall_text, table
from comparison.summary import spread
from comparison.sweep import Sweep


def to_json(sweep: Sweep, reports: Sequence[Report]) -> str:
    return json.dumps({
        "format": comparison.FORMAT, "sweep": {"variable": sweep.variable, "values": sweep.values},
        "points": [comparison.to_rows(report) for report in reports]}, indent=1)


def cell_lines(reports: Sequence[Report], cell: Cell, metric: str) -> list[list[str]]:
    """A row per column, and a row of ratios per contender."""
    first = reports[0]
    place = f"{cell.pattern} {size_name(cell.size)}"
    rows = [[place, column.name,
             *(spread_text(spread(report.results.get(cell, column.name, metric)), metric) for report in reports)]
            for column in first.columns]
    return rows + [[place, f"{name} / {first.base}", *(marked_ratio(report, cell, metric, name, first.base) for report in reports)]
                   for name in first.contenders]


def joint_table(sweep: Sweep, reports: Sequence[Report], transport: str, metric: str) -> list[str]:
    cells = [cell for cell in reports[0].cells if cell.transport == transport
             and any(has_metric(report, cell, metric) for report in reports)]
    if not cells:
        return []
    rows = [row for cell in cells for row in cell_lines(reports, cell, metric)]
    return [f"## {METRIC_TITLES[metric]}: {transport}", "", *table(header(sweep), rows)]


def header(sweep: Sweep) -> list[str]:
    return ["cell", "library", *(f"{sweep.variable}={value}" for value in sweep.values)]


def syscall_table(sweep: Sweep, reports: Sequence[Report]) -> list[str]:
    if not any(report.syscalls for report in reports):
        return []
    found = [{(row["pattern"], row["transport"], row["size"], row["library"]): row for row in report.syscalls}
             for report in reports]
    rows = [[str(cell), column.name, *(syscall_text(point.get((cell.pattern, cell.transport, cell.size, column.name)))
                                       for point in found)]
            for cell in reports[0].cells for column in reports[0].columns]
    return ["## System calls per message", "", *table(header(sweep), rows)]


def joined(parts: Sequence[Sequence[str]]) -> list[str]:
    """The lines of all points; a line that several of them have stands once."""
    return list(dict.fromkeys(line for part in parts for line in part if line))


def section(lines: Sequence[str]) -> list[str]:
    """A heading with its list, spaced as Markdown wants it."""
    return [lines[0], "", *lines[1:], ""] if lines else []


def to_markdown(sweep: Sweep, reports: Sequence[Report], plots: Sequence[Path]) -> str:
    values = ", ".join(sweep.values)
    lines = [f"# Sweep of {sweep.variable}", "", f"Values: {values}. The runs of all values are interleaved.", ""]
    if sweep.only_zlink:
        lines += ["The variable reaches zlink alone; every other library was measured once.", ""]
    lines += comparison.conditions(reports[0], sweep.variable)
    lines += section(joined([comparison.failure_lines(report) for report in reports]))
    lines += section(joined([comparison.warning_lines(report) for report in reports]))
    lines += [*joined([comparison.clock_lines(report) for report in reports])[:1], ""]
    for metric in METRIC_TITLES:
        for transport in reports[0].transports():
            lines += joint_table(sweep, reports, transport, metric)
    lines += syscall_table(sweep, reports)
    for plot in plots:
        lines += [f"![{plot.stem}]({plot.name})", ""]
    return "\n".join([*lines, *comparison.settings_table(reports)])
