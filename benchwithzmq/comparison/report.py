# SPDX-License-Identifier: MPL-2.0
"""One comparison's results as JSON (everything, every single value) and as Markdown (tables for people)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from comparison.model import PATTERNS, Cell, Column, Results, Settings, size_name
from comparison.summary import GROUPS, Group, Spread, group_mean, ratio, spread


@dataclasses.dataclass
class Report:
    """All there is to tell."""

    started: str
    seconds: float
    machine: dict[str, object]
    settings: Settings
    runs: int
    pinned_to: int | None
    columns: list[Column]
    cells: list[Cell]
    results: Results
    syscalls: list[dict[str, object]] = dataclasses.field(default_factory=list)
    interrupted: bool = False

    @property
    def base(self) -> str | None:
        return next((column.name for column in self.columns if column.kind == "libzmq"), None)

    @property
    def contenders(self) -> list[str]:
        """Whom to compare with the base."""
        return [column.name for column in self.columns if column.kind in ("zlink", "peer")] if self.base else []

    @property
    def peers(self) -> list[str]:
        return [column.name for column in self.columns if column.kind == "peer"]

    def failed_for_good(self) -> bool:
        """A peer that cannot do something, or hangs, is told, but fails nobody's run."""
        return any(failure["library"] not in self.peers for failure in self.results.failures)

    @property
    def limit(self) -> str | None:
        return next((column.name for column in self.columns if column.kind == "limit"), None)

    def transports(self) -> list[str]:
        return list(dict.fromkeys(cell.transport for cell in self.cells))

    def patterns(self) -> list[str]:
        return list(dict.fromkeys(cell.pattern for cell in self.cells))

    def sizes(self) -> list[int]:
        return sorted({cell.size for cell in self.cells})


def to_json(report: Report) -> str:
    cells = [
        {"pattern": cell.pattern, "transport": cell.transport, "size": cell.size,
         "results": report.results.values.get(cell, {})}
        for cell in report.cells
    ]
    return json.dumps({
        "format": 1, "started": report.started, "seconds": round(report.seconds, 1),
        "interrupted": report.interrupted, "machine": report.machine,
        "configuration": {"runs": report.runs, "pinned_to": report.pinned_to, **report.settings.described()},
        "units": {"throughput": "messages/s, REQREP: round trips/s", "latency": "us, median of half round trips",
                  "latency_p99": "us"},
        "libraries": [column.described() for column in report.columns],
        "cells": cells, "syscalls_per_message": report.syscalls, "failures": report.results.failures,
    }, indent=1)


def from_json(text: str) -> Report:
    """What to_json() has written."""
    told = json.loads(text)
    configuration = dict(told["configuration"])
    runs, pinned_to = configuration.pop("runs"), configuration.pop("pinned_to")
    results = Results()
    results.failures = told["failures"]
    cells = [Cell(row["pattern"], row["transport"], row["size"]) for row in told["cells"]]
    for cell, row in zip(cells, told["cells"]):
        results.values[cell] = row["results"]
    return Report(
        started=told["started"], seconds=told["seconds"], machine=told["machine"], settings=Settings(**configuration),
        runs=runs, pinned_to=pinned_to, columns=[Column.from_described(row) for row in told["libraries"]], cells=cells,
        results=results, syscalls=told["syscalls_per_message"], interrupted=told["interrupted"])


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    aligned = ["---"] + ["---:"] * (len(header) - 1)
    return ["| " + " | ".join(row) + " |" for row in (header, aligned, *rows)] + [""]


def rate_text(value: float) -> str:
    for limit, unit in ((1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:.3g} {unit}" if value < 1000 * limit else f"{value / limit:.0f} {unit}"
    return f"{value:.3g}"


def spread_text(values: Spread | None, metric: str) -> str:
    if values is None:
        return "failed"
    median = rate_text(values.median) if metric == "throughput" else f"{values.median:.3g}"
    return f"{median} ±{values.percent / 2:.0f}%"


def ratio_text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def summary_table(report: Report, contender: str, base: str) -> list[str]:
    def text(group: Group, transport: str) -> str:
        mean = group_mean(report.results, group, transport, contender, base)
        if mean is None:
            return "-"
        return f"**{mean.mean:.2f}** (worst {mean.worst:.2f}: {mean.worst_cell.pattern} {size_name(mean.worst_cell.size)})"

    header = [f"{contender} / {base}", *(group.title for group in GROUPS)]
    return table(header, ([transport, *(text(group, transport) for group in GROUPS)]
                          for transport in report.transports()))


def metric_table(report: Report, transport: str, metric: str) -> list[str]:
    header = ["pattern, size", *(column.name for column in report.columns),
              *(f"{name} / {report.base}" for name in report.contenders)]
    rows = []
    for cell in report.cells:
        if cell.transport != transport or metric not in PATTERNS[cell.pattern].metrics:
            continue
        values = [spread_text(spread(report.results.get(cell, column.name, metric)), metric)
                  for column in report.columns]
        ratios = [ratio_text(ratio(report.results, cell, metric, name, report.base)) for name in report.contenders]
        rows.append([f"{cell.pattern} {size_name(cell.size)}", *values, *ratios])
    return table(header, rows) if rows else []


def syscall_tables(report: Report) -> list[str]:
    if not report.syscalls:
        return []
    totals = {(row["pattern"], row["transport"], row["size"], row["library"]): row for row in report.syscalls}
    names = [column.name for column in report.columns if any(row["library"] == column.name for row in report.syscalls)]
    rows = []
    for cell in report.cells:
        found = [totals.get((cell.pattern, cell.transport, cell.size, name)) for name in names]
        rows.append([str(cell), *(syscall_text(row) for row in found)])
    return ["## System calls per message", "",
            "Counted with strace -c (which slows them down) from the difference of two runs; in brackets the two most "
            "frequent.", "", *table(["cell", *names], rows)]


def syscall_text(row: dict[str, object] | None) -> str:
    if row is None:
        return "failed"
    most = [f"{name} {value:.2g}" for name, value in list(row["calls"].items())[:2]]
    return f"{row['total']:.3g}" + (f" ({', '.join(most)})" if most else "")


def failure_lines(report: Report) -> list[str]:
    if not report.results.failures:
        return []
    told = [f"- {f['library']}, {f['pattern']} {f['transport']} {size_name(f['size'])}, run {f['run']}: {f['reason']}"
            for f in report.results.failures]
    return ["## Failures", "", *told, ""]


def conditions(report: Report) -> list[str]:
    machine, settings = report.machine, report.settings
    pinning = f"every run pinned to processor {report.pinned_to}" if report.pinned_to is not None else "not pinned"
    ends = "two processes" if settings.two_processes else "two threads of one process"
    lasting = f"{settings.message_count} messages" if settings.message_count else f"{settings.run_ms} ms"
    told = [f"- {report.started}, {report.seconds / 60:.1f} minutes" + (", interrupted" if report.interrupted else ""),
            f"- {machine['processor']}, {machine['processors']} processors, {machine['memory_mib']} MiB, "
            f"{machine['system']}, kernel {machine['kernel']}",
            f"- {report.runs} runs, libraries interleaved, {pinning}; the ends of a measurement are {ends}; throughput "
            f"runs last {lasting}; {settings.io_threads} I/O thread(s); high-water mark {settings.high_water_mark}"]
    if settings.mechanism != "null":
        told.append(f"- every connection secured by {settings.mechanism.upper()}; there is no limit column: bare sockets "
                    "do not encrypt")
    for column in report.columns:
        file = f"{column.file}, sha256 {column.sha256[:16]}" if column.file else column.version
        version = f" {column.version}" if column.file else ""
        told.append(f"- {column.name}{version}: {file}" + (", from the cache" if column.cached else ""))
    return [*told, ""]


METRIC_TITLES = {
    "throughput": "Throughput, messages/s (REQREP: round trips/s)",
    "latency": "Latency, µs (half a round trip, median)",
    "latency_p99": "Latency, µs (half a round trip, 99th percentile)",
}


def to_markdown(report: Report, plots: Sequence[Path]) -> str:
    lines = ["# Comparison", "", *conditions(report), *failure_lines(report)]
    if report.contenders:
        lines += ["## Summary", "", "Geometric means of the ratios of medians over all patterns, and the worst cell. "
                  "Throughput: higher is better; latency: lower is better.", ""]
        for contender in report.contenders:
            lines += summary_table(report, contender, report.base)
    for peer in report.peers:
        lines += summary_table(report, "zlink", peer)
    if report.limit:
        lines += ["How near each library comes to bare sockets and bare shared memory:", ""]
        for name in (*report.contenders, report.base):
            lines += summary_table(report, name, report.limit)
    lines += ["Values are medians over the runs, ± half of the distance between least and greatest.", ""]
    for metric, title in METRIC_TITLES.items():
        for transport in report.transports():
            rows = metric_table(report, transport, metric)
            if rows:
                lines += [f"## {title}: {transport}", "", *rows]
    lines += syscall_tables(report)
    for plot in plots:
        lines += [f"![{plot.stem}]({plot.name})", ""]
    return "\n".join(lines)
