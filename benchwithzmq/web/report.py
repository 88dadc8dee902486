# SPDX-License-Identifier: MPL-2.0
"""The results as JSON (every single value) and as a page."""

from __future__ import annotations

import dataclasses
import json
import math
import statistics
from collections.abc import Sequence

from comparison.report import rate_text, ratio_text, table
from experiments.intervals import interval_of, log_gains
from scale.model import Cell, Metric, Results, Spread
from web.cells import GOALS, METRICS, SECTIONS, Library


@dataclasses.dataclass
class Report:
    started: str
    seconds: float
    machine: dict[str, object]
    commit: str
    effort: str
    runs: int
    libraries: dict[Library, str]  # with their versions
    missing: dict[str, str]  # libraries that are not there, and why
    cells: list[Cell]
    results: Results


def to_json(report: Report) -> str:
    cells = [{"section": cell.section, "work": cell.scenario, "parameters": dict(cell.parameters), "title": cell.title,
              "results": report.results.values.get(cell, {})} for cell in report.cells]
    return json.dumps({
        "format": 1, "started": report.started, "seconds": round(report.seconds, 1), "machine": report.machine,
        "commit": report.commit, "effort": report.effort, "runs": report.runs,
        "libraries": {library.name: version for library, version in report.libraries.items()}, "missing": report.missing,
        "cells": cells, "failures": report.results.failures}, indent=1) + "\n"


def value_text(values: Spread | None, metric: Metric) -> str:
    if values is None:
        return "-"
    median = rate_text(values.median) if metric.unit == "1/s" else f"{values.median:.4g}"
    return median if values.percent is None or values.low == values.high else f"{median} ±{values.percent:.0f}%"


def ahead(report: Report, cell: Cell, metric: Metric) -> float | None:
    """How many times as good zlink is as the best of the others."""
    own = report.results.spread(cell, "zlink", metric.name)
    others = [found.median for library in report.libraries if library.name != "zlink"
              if (found := report.results.spread(cell, library.name, metric.name)) and found.median > 0]
    if own is None or own.median <= 0 or not others:
        return None
    return own.median / max(others) if metric.higher_is_better else min(others) / own.median


def library_table(report: Report) -> list[str]:
    names = [library.name for library in report.libraries]
    rows = []
    for cell in (cell for cell in report.cells if cell.section == "libraries"):
        for metric in (METRICS[name] for name in cell.metrics):
            values = [value_text(report.results.spread(cell, name, metric.name), metric) for name in names]
            unit = f", {metric.title} in us" if metric.unit == "us" else ""
            rows.append([cell.title + unit, *values, ratio_text(ahead(report, cell, metric))])
    return table(["", *names, "zlink is ahead"], rows)


def base_of(report: Report, cell: Cell, transport: str) -> Cell | None:
    return next((other for other in report.cells if other.section == "own" and other.scenario == "up"
                 and other.get("transport") == transport and other.get("size") == cell.get("size")), None)


def ratio_words(report: Report, cell: Cell, base: Cell | None, metric: Metric) -> str:
    """The mean ratio of the values of the same run, for the machine is as fast for both. From three runs on with its interval."""
    pairs = [report.results.values_of(each, "zlink", metric.name) if each else [] for each in (base, cell)]
    logarithms = log_gains("throughput", *pairs)
    if len(logarithms) < 3:
        return ratio_text(math.exp(statistics.fmean(logarithms)) if logarithms else None)
    ratio = interval_of([[logarithms]])
    return f"{ratio_text(ratio.gain)} ({ratio.low:.2f} to {ratio.high:.2f})"


def own_table(report: Report) -> list[str]:
    metric = METRICS["messages_per_s"]
    rows = []
    for cell in (cell for cell in report.cells if cell.section == "own"):
        value = value_text(report.results.spread(cell, "zlink", metric.name), metric)
        transport, goal = GOALS.get((cell.get("transport"), cell.scenario, cell.get("size")), (None, None))
        base = base_of(report, cell, transport) if transport else None
        words = [f"{ratio_words(report, cell, base, metric)} of {transport}", f"{goal:g}"] if transport else ["", ""]
        rows.append([cell.title, value, *words])
    return table(["", "messages per second", "ratio", "goal"], rows)


def memory_table(report: Report) -> list[str]:
    def kib(cell: Cell, name: str) -> str:
        found = report.results.spread(cell, "zlink", name)
        return "-" if found is None else f"{found.median / 1024:.1f}"

    cells = [cell for cell in report.cells if cell.section == "memory"]
    return table(["", *(METRICS[name].title for name in cells[0].metrics)],
                 [[cell.title, *(kib(cell, name) for name in cell.metrics)] for cell in cells]) if cells else []


NOTES = {
    "libraries": "Messages per second that arrive, and round trips, between two processes. Each library has a high-water mark of "
                 "1000 messages where it knows one. The last column has the best of the others as 1. ± is half of the distance "
                 "between least and greatest.",
    "own": "PUSH to PULL between two processes. The mark is 100,000 messages or 64 MiB. A client of WebSocket masks "
           "what it sends, and a server does not. A ratio is the geometric mean of the ratios of single runs, with its 95 % interval.",
    "memory": "Resident memory of each process for each connection, in KiB. The connections have made their handshakes, and rest.",
}
TABLES = {"libraries": library_table, "own": own_table, "memory": memory_table}


def failure_lines(report: Report) -> list[str]:
    return [f"- {name} was not measured: {reason}" for name, reason in report.missing.items()] + [
        f"- {failure['library']} failed at {failure['title']} in run {failure['run']}: {failure['reason']}"
        for failure in report.results.failures]


def runs_text(report: Report) -> str:
    fewer = next((cell.most_runs for cell in report.cells if cell.section == "libraries" and cell.most_runs is not None), report.runs)
    return f"{report.runs} runs" if fewer >= report.runs else f"{report.runs} runs, {fewer} beside other libraries"


def machine_lines(report: Report) -> list[str]:
    machine = report.machine
    versions = ", ".join(f"{library.name} {version}" for library, version in report.libraries.items())
    what = [f"- {library.name}: {library.what}" for library in report.libraries]
    return [f"Written by `make compare-web` on {report.started}, commit {report.commit}, interleaved: {runs_text(report)}. "
            f"{machine['processor']}, {machine['processors']} processors, {machine['system']}, Linux {machine['kernel']}.", "",
            f"{versions}. A library with libzmq's interface tells the version of that, and socketify its own.", "", *what, ""]


def to_markdown(report: Report) -> str:
    lines = ["# tls, ws and wss beside other libraries", "", *machine_lines(report)]
    for section, title in SECTIONS.items():
        rows: Sequence[str] = TABLES[section](report) if any(cell.section == section for cell in report.cells) else []
        if rows:
            lines += [f"## {title}", "", NOTES[section], "", *rows]
    failures = failure_lines(report)
    if failures:
        lines += ["## What failed", "", *failures, ""]
    return "\n".join(lines).rstrip() + "\n"
