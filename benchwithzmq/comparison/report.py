# SPDX-License-Identifier: MPL-2.0
"""One comparison's results as JSON (everything, every single value) and as Markdown (tables for people)."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from comparison.model import METRICS, PATTERNS, PROCESSOR_TIME, Cell, Column, Results, Settings, size_name
from comparison.notes import Notes, warning_text
from comparison.settings import TABLE
from comparison.summary import GROUPS, Group, Spread, group_mean, ratio, spread

FORMAT = 2
CLOCK_MARK = "†"
# A round trip of 20 steps is known to 5 %. Shorter ones are marked.
STEPS_OF_A_ROUND_TRIP = 20
RENO = "ZLINK_TCP_LOOPBACK_RENO"


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
    notes: Notes = dataclasses.field(default_factory=Notes)

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

    def near_clock(self, cell: Cell, metric: str, *names: str | None) -> bool:
        """Returns true if the latency of one of these columns is so short that the step of the clock matters."""
        step_ns = self.notes.clock_step_ns
        if step_ns is None or not metric.startswith("latency"):
            return False
        found = [spread(self.results.get(cell, name, metric)) for name in names if name]
        return any(values and 2000 * values.median < STEPS_OF_A_ROUND_TRIP * step_ns for values in found)

    def take(self, column: Column, other: Report) -> None:
        """Takes over everything about one column from another report."""
        for cell, values in other.results.values.items():
            if column.name in values:
                self.results.values.setdefault(cell, {})[column.name] = values[column.name]
        self.results.failures += [row for row in other.results.failures if row["library"] == column.name]
        self.syscalls += [row for row in other.syscalls if row["library"] == column.name]


def cell_row(report: Report, cell: Cell) -> dict[str, object]:
    near = {column.name: [metric for metric in METRICS if report.near_clock(cell, metric, column.name)]
            for column in report.columns}
    return {"pattern": cell.pattern, "transport": cell.transport, "size": cell.size,
            "results": report.results.values.get(cell, {}),
            "near_clock_step": {name: metrics for name, metrics in near.items() if metrics}}


def to_rows(report: Report) -> dict[str, object]:
    return {
        "format": FORMAT, "started": report.started, "seconds": round(report.seconds, 1),
        "interrupted": report.interrupted, "machine": report.machine,
        "configuration": {"runs": report.runs, "pinned_to": report.pinned_to, **report.settings.described()},
        "units": {"throughput": "messages/s, REQREP: round trips/s", "latency": "us, median of half round trips",
                  "latency_p99": "us", PROCESSOR_TIME: "us, user and system, both ends"},
        "clock_step_ns": report.notes.clock_step_ns, "warnings": report.notes.warnings,
        "libraries": [column.described() for column in report.columns],
        "cells": [cell_row(report, cell) for cell in report.cells],
        "syscalls_per_message": report.syscalls, "failures": report.results.failures,
    }


def to_json(report: Report) -> str:
    return json.dumps(to_rows(report), indent=1)


def from_json(text: str) -> Report:
    """Reads the text of to_json()."""
    told = json.loads(text)
    if told["format"] != FORMAT:
        raise ValueError(f"its format is {told['format']}, not {FORMAT}: measure again")
    if "sweep" in told:
        raise ValueError("it holds a sweep, which is not one comparison")
    step_ns = told["clock_step_ns"]
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
        results=results, syscalls=told["syscalls_per_message"], interrupted=told["interrupted"],
        notes=Notes(told["warnings"], [] if step_ns is None else [step_ns]))


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


def ratio_text(value: float | None, mark: str = "") -> str:
    return "-" if value is None else f"{value:.2f}{mark}"


def marked_ratio(report: Report, cell: Cell, metric: str, name: str, base: str) -> str:
    mark = CLOCK_MARK if report.near_clock(cell, metric, name, base) else ""
    return ratio_text(ratio(report.results, cell, metric, name, base), mark)


def summary_table(report: Report, contender: str, base: str) -> list[str]:
    def text(group: Group, transport: str) -> str:
        mean = group_mean(report.results, group, transport, contender, base)
        if mean is None:
            return "-"
        near = any(report.near_clock(cell, group.metric, contender, base) for cell in mean.cells)
        worst = marked_ratio(report, mean.worst_cell, group.metric, contender, base)
        return (f"**{mean.mean:.2f}**{CLOCK_MARK if near else ''} "
                f"(worst {worst}: {mean.worst_cell.pattern} {size_name(mean.worst_cell.size)})")

    header = [f"{contender} / {base}", *(group.title for group in GROUPS)]
    return table(header, ([transport, *(text(group, transport) for group in GROUPS)]
                          for transport in report.transports()))


def has_metric(report: Report, cell: Cell, metric: str) -> bool:
    if metric == PROCESSOR_TIME:
        return any(report.results.get(cell, column.name, metric) for column in report.columns)
    return metric in PATTERNS[cell.pattern].metrics


def metric_table(report: Report, transport: str, metric: str) -> list[str]:
    header = ["pattern, size", *(column.name for column in report.columns),
              *(f"{name} / {report.base}" for name in report.contenders)]
    rows = []
    for cell in report.cells:
        if cell.transport != transport or not has_metric(report, cell, metric):
            continue
        values = ["-" if column.lacks(transport) else spread_text(spread(report.results.get(cell, column.name, metric)), metric)
                  for column in report.columns]
        ratios = [marked_ratio(report, cell, metric, name, report.base) for name in report.contenders]
        rows.append([f"{cell.pattern} {size_name(cell.size)}", *values, *ratios])
    return table(header, rows) if rows else []


def syscall_tables(report: Report) -> list[str]:
    if not report.syscalls:
        return []
    totals = {(row["pattern"], row["transport"], row["size"], row["library"]): row for row in report.syscalls}
    names = [column.name for column in report.columns if any(row["library"] == column.name for row in report.syscalls)]
    rows = []
    for cell in report.cells:
        lacking = {column.name for column in report.columns if column.lacks(cell.transport)}
        rows.append([str(cell), *("-" if name in lacking else syscall_text(totals.get((cell.pattern, cell.transport, cell.size, name)))
                                  for name in names)])
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


def warning_lines(report: Report) -> list[str]:
    if not report.notes.warnings:
        return []
    return ["## Warnings", "", *(f"- {warning_text(warning)}" for warning in report.notes.warnings), ""]


def clock_lines(report: Report) -> list[str]:
    """Explains the mark; nothing if no ratio has it."""
    if not report.contenders or not any(report.near_clock(cell, metric, column.name) for cell in report.cells
                                        for column in report.columns for metric in METRICS):
        return []
    step_ns = report.notes.clock_step_ns
    return [f"{CLOCK_MARK} One of the two round trips is shorter than {STEPS_OF_A_ROUND_TRIP} steps of the clock "
            f"({STEPS_OF_A_ROUND_TRIP} × {step_ns:.3g} ns): a single step changes it by more than "
            f"{100 / STEPS_OF_A_ROUND_TRIP:g} %. A marked mean contains such a ratio.", ""]


def congestion_text(report: Report) -> str:
    system = f"{report.machine.get('tcp_congestion_control', 'unknown')} (the system's)"
    zlink = any(column.kind == "zlink" for column in report.columns)
    if zlink and report.settings.tuning.get(RENO, "1") == "1":
        return f"{system}; zlink's connections by the loopback device: reno ({RENO})"
    return system


def setting_rows(report: Report) -> list[list[str]]:
    """Every setting as title, variable, value; then the conditions that no variable sets."""
    settings = report.settings
    rows = [[row.title, row.variable, settings.text(field)] for field, row in TABLE.items()]
    for row in rows:
        if row[1] == TABLE["pinned"].variable and report.pinned_to is not None:
            row[2] = f"yes, to processor {report.pinned_to}"
    rows += [["tuning of zlink", name, value] for name, value in sorted(settings.tuning.items())]
    rows.append(["congestion control of tcp", "", congestion_text(report)])
    step_ns = report.notes.clock_step_ns
    rows.append(["step of the clock", "", "not told" if step_ns is None else f"{step_ns:.3g} ns"])
    return rows


def settings_table(reports: Sequence[Report]) -> list[str]:
    """One table for one or more reports. A setting that differs among them shows all of its values."""
    values: dict[tuple[str, str], dict[str, None]] = {}
    for report in reports:
        for title, variable, value in setting_rows(report):
            values.setdefault((title, variable), {})[value] = None
    return ["## Settings", "", *table(["setting", "variable", "value"], (
        [title, f"`{variable}`" if variable else "", ", ".join(found)] for (title, variable), found in values.items()))]


def changed_settings(report: Report, swept: str) -> list[str]:
    """The settings that are not the default ones, as words. The pinning always stands there, a swept variable never."""
    settings = report.settings
    pinning = f"every run pinned to processor {report.pinned_to}" if report.pinned_to is not None else "not pinned"
    changed = [] if swept == TABLE["pinned"].variable else [pinning]
    changed += [f"{row.title}: {settings.text(field)}" for field, row in TABLE.items()
                if field != "pinned" and row.variable != swept and getattr(settings, field) != getattr(Settings(), field)]
    return changed + [f"{name}={value}" for name, value in sorted(settings.tuning.items()) if name != swept]


def conditions(report: Report, swept: str = "") -> list[str]:
    """Date, machine, libraries, and the settings that are not the default; `swept`: a variable with several values."""
    machine = report.machine
    told = [f"- {report.started}, {report.seconds / 60:.1f} minutes" + (", interrupted" if report.interrupted else ""),
            f"- {machine['processor']}, {machine['processors']} processors, {machine['memory_mib']} MiB, "
            f"{machine['system']}, kernel {machine['kernel']}",
            f"- {'; '.join([f'{report.runs} runs, libraries interleaved', *changed_settings(report, swept)])}"]
    if report.settings.mechanism != "null":
        told.append(f"- every connection secured by {report.settings.mechanism.upper()}; there is no limit column: bare "
                    "sockets do not encrypt")
    for column in report.columns:
        file = f"{column.file}, sha256 {column.sha256[:16]}" if column.file else column.version
        version = f" {column.version}" if column.file else ""
        told.append(f"- {column.name}{version}: {file}" + (", from the cache" if column.cached else ""))
    return [*told, ""]


METRIC_TITLES = {
    "throughput": "Throughput, messages/s (REQREP: round trips/s)",
    "latency": "Latency, µs (half a round trip, median)",
    "latency_p99": "Latency, µs (half a round trip, 99th percentile)",
    PROCESSOR_TIME: "Processor time, µs per message (user and system, both ends together)",
}


def to_markdown(report: Report, plots: Sequence[Path]) -> str:
    lines = ["# Comparison", "", *conditions(report), *failure_lines(report), *warning_lines(report)]
    if report.contenders:
        lines += ["## Summary", "", "Geometric means of the ratios of medians over all patterns, and the worst cell. "
                  "Throughput: higher is better; latency: lower is better.", ""]
        for contender in report.contenders:
            lines += summary_table(report, contender, report.base)
    for peer in report.peers:
        lines += summary_table(report, "zlink", peer)
    if report.limit:
        lines += ["How near each library comes to bare sockets, bare shared memory, and OpenSSL over bare sockets (tls, wss):", ""]
        for name in (*report.contenders, report.base):
            lines += summary_table(report, name, report.limit)
    lines += clock_lines(report)
    lines += ["Values are medians over the runs, ± half of the distance between least and greatest.", ""]
    for metric, title in METRIC_TITLES.items():
        for transport in report.transports():
            rows = metric_table(report, transport, metric)
            if rows:
                lines += [f"## {title}: {transport}", "", *rows]
    lines += syscall_tables(report)
    lines += settings_table([report])
    for plot in plots:
        lines += [f"![{plot.stem}]({plot.name})", ""]
    return "\n".join(lines)
