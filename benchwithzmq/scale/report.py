# SPDX-License-Identifier: MPL-2.0
"""One run's results as JSON (every single value) and as Markdown."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path

from comparison.model import Column
from comparison.report import rate_text, ratio_text, table
from scale.cells import SECTIONS
from scale.model import METRICS, Cell, How, Metric, Results, Spread


@dataclasses.dataclass
class Report:
    started: str
    seconds: float
    machine: dict[str, object]
    effort: str
    runs: int
    columns: list[Column]
    cells: list[Cell]
    results: Results
    interrupted: bool = False

    @property
    def base(self) -> str | None:
        return next((column.name for column in self.columns if column.kind == "libzmq"), None)

    @property
    def contenders(self) -> list[str]:
        return [column.name for column in self.columns if column.kind != "libzmq"] if self.base else []

    def failed_for_good(self) -> bool:
        """A peer that cannot do something, or hangs, is told, but fails nobody's run."""
        peers = {column.name for column in self.columns if column.kind == "peer"}
        return any(failure["library"] not in peers for failure in self.results.failures)


def to_json(report: Report) -> str:
    cells = [{"section": cell.section, "scenario": cell.scenario, "parameters": dict(cell.parameters), "how": cell.how.value,
              "metrics": cell.metrics, "title": cell.title, "most_runs": cell.most_runs, "results": report.results.values.get(cell, {})} for cell in report.cells]
    return json.dumps({
        "format": 1, "started": report.started, "seconds": round(report.seconds, 1), "interrupted": report.interrupted,
        "machine": report.machine, "configuration": {"effort": report.effort, "runs": report.runs},
        "units": {metric.name: metric.unit for metric in METRICS.values()},
        "libraries": [column.described() for column in report.columns], "cells": cells,
        "failures": report.results.failures}, indent=1)


def from_json(text: str) -> Report:
    """What to_json() has written."""
    told = json.loads(text)
    results = Results()
    results.failures = told["failures"]
    cells = [Cell(row["section"], row["scenario"], tuple(row["parameters"].items()), tuple(row["metrics"]), row["title"],
                  How(row["how"]), row["most_runs"]) for row in told["cells"]]
    for cell, row in zip(cells, told["cells"]):
        results.values[cell] = row["results"]
    return Report(
        started=told["started"], seconds=told["seconds"], machine=told["machine"],
        effort=told["configuration"]["effort"], runs=told["configuration"]["runs"],
        columns=[Column.from_described(row) for row in told["libraries"]], cells=cells, results=results,
        interrupted=told["interrupted"])


def value_text(values: Spread | None, metric: Metric) -> str:
    if values is None:
        return "failed"
    median = rate_text(values.median) if metric.unit == "1/s" else f"{values.median:.4g}"
    return median if values.percent is None or values.low == values.high else f"{median} ±{values.percent:.0f}%"


def section_table(report: Report, section: str) -> list[str]:
    header = ["", *(column.name for column in report.columns), *(f"{name} / {report.base}" for name in report.contenders)]
    rows = []
    for cell in report.cells:
        for name in cell.metrics if cell.section == section else ():
            metric = METRICS[name]
            unit = f" ({metric.unit})" if metric.unit else ""
            values = [value_text(report.results.spread(cell, column.name, name), metric) for column in report.columns]
            ratios = [ratio_text(report.results.ratio(cell, name, contender, report.base))
                      for contender in report.contenders]
            better = "↑" if metric.higher_is_better else "↓"
            rows.append([f"{cell.title}: {metric.title}{unit} {better}", *values, *ratios])
    return table(header, rows) if rows else []


def failure_lines(report: Report) -> list[str]:
    if not report.results.failures:
        return []
    told = [f"- {failure['library']}, {failure['title']}, run {failure['run']}: {failure['reason']}"
            for failure in report.results.failures]
    return ["## Failures", "", *told, ""]


def conditions(report: Report) -> list[str]:
    machine = report.machine
    told = [f"- {report.started}, {report.seconds / 60:.1f} minutes" + (", interrupted" if report.interrupted else ""),
            f"- {machine['processor']}, {machine['processors']} processors, {machine['memory_mib']} MiB, "
            f"{machine['system']}, kernel {machine['kernel']}",
            f"- effort: {report.effort}; {report.runs} runs (of what takes long, fewer), libraries interleaved, nothing "
            "pinned, no high-water mark"]
    told += [f"- {column.name} {column.version}: {column.file}, sha256 {column.sha256[:16]}" for column in report.columns]
    return [*told, ""]


def to_markdown(report: Report, plots: Sequence[Path]) -> str:
    lines = ["# Scale and real deployments", "", *conditions(report), *failure_lines(report),
             "Values are medians over the runs, ± half of the distance between least and greatest; ratios are of medians. "
             "↑: more is better, ↓: less is better.", ""]
    for section in SECTIONS.values():
        rows = section_table(report, section.key)
        if rows:
            lines += [f"## {section.title}", "", section.note, "", *rows]
    for plot in plots:
        lines += [f"![{plot.stem}]({plot.name})", ""]
    return "\n".join(lines)
