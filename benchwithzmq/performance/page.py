# SPDX-License-Identifier: MPL-2.0
"""The page as Markdown: what was measured and on what, what came out, and where zlink is not better."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from comparison import report as comparison
from comparison.model import METRICS, PATTERNS, Cell, size_name
from comparison.summary import ratio, spread
from scale import report as scale
from scale.cells import SECTIONS

OPENING = """# Performance

`make performance` measures (an hour and three quarters) and writes this page; each part says when it was measured and with which library
files. Machines differ, and so do the minutes of a shared one: of these numbers only the ratios mean something, because the libraries
were measured in turns. The same tables for your machine: `make compare`."""

LATENCY_NOTE = "Throughput: more is better; latency: less is better. In brackets the worst single cell."


@dataclasses.dataclass
class Part:
    """Results with the plots that were drawn of them."""

    title: str
    report: comparison.Report | scale.Report
    plots: list[Path]


@dataclasses.dataclass(frozen=True)
class Behind:
    """A cell in which another library is ahead of zlink."""

    cell: Cell
    metric: str
    other: str
    ratio: float
    overlaps: bool  # the runs of the two do


def behind(report: comparison.Report) -> Iterator[Behind]:
    others = [column.name for column in report.columns if column.kind in ("libzmq", "peer")]
    for cell in report.cells:
        for metric in METRICS:
            for other in others if metric in PATTERNS[cell.pattern].metrics else ():
                found = ratio(report.results, cell, metric, "zlink", other)
                if found is None or (found >= 1 if metric == "throughput" else found <= 1):
                    continue
                ours = spread(report.results.get(cell, "zlink", metric))
                theirs = spread(report.results.get(cell, other, metric))
                overlap = ours.low <= theirs.high and theirs.low <= ours.high
                yield Behind(cell, metric, other, found, overlap)


def behind_lines(report: comparison.Report) -> list[str]:
    rows = sorted(behind(report), key=lambda row: row.ratio if row.metric == "throughput" else 1 / row.ratio)
    others = sum(column.kind in ("libzmq", "peer") for column in report.columns)
    compared = others * sum(len(PATTERNS[cell.pattern].metrics) for cell in report.cells)
    if not rows:
        return [f"In none of its {compared} values zlink is behind another library.", ""]
    told = [[f"{row.cell.pattern} {row.cell.transport} {size_name(row.cell.size)}", row.metric.replace("_", " "), row.other,
             f"{row.ratio:.2f}", "yes" if row.overlaps else "no"] for row in rows]
    return [f"Where zlink is not better ({len(rows)} of {compared} values):", "",
            *comparison.table(["cell", "value", "behind", "ratio", "runs overlap"], told)]


def conditions(lines: Sequence[str], report: comparison.Report | scale.Report) -> list[str]:
    """Without the places of files: they are those of one machine."""
    kept = [line for line in lines if not any(line.startswith(f"- {column.name}") for column in report.columns)]
    libraries = [f"- {column.name} {column.version}" + (f", sha256 {column.sha256[:16]}" if column.sha256 else "")
                 for column in report.columns if column.file]
    return [*(line for line in kept if line), *libraries, ""]


def comparison_lines(part: Part, pictures: str) -> list[str]:
    report = part.report
    lines = [f"## {part.title}", "", *conditions(comparison.conditions(report), report), *comparison.failure_lines(report),
             LATENCY_NOTE, ""]
    for other in [column.name for column in report.columns if column.kind in ("libzmq", "peer")]:
        lines += comparison.summary_table(report, "zlink", other)
    if report.limit:
        lines += ["Beside bare sockets and bare shared memory that do the same work:", "",
                  *comparison.summary_table(report, "zlink", report.limit)]
    lines += behind_lines(report)
    return lines + picture_lines(part, pictures)


def scale_lines(part: Part, pictures: str) -> list[str]:
    report = part.report
    lines = [f"## {part.title}", "", *conditions(scale.conditions(report), report), *scale.failure_lines(report),
             "↑: more is better, ↓: less is better.", ""]
    for section in SECTIONS.values():
        rows = scale.section_table(report, section.key)
        if rows:
            lines += [f"### {section.title}", "", section.note, "", *rows]
    return lines + picture_lines(part, pictures)


def picture_lines(part: Part, pictures: str) -> list[str]:
    return [line for plot in part.plots for line in (f"![{part.title}: {plot.stem}]({pictures}/{plot.name})", "")]


def to_markdown(parts: Sequence[Part], scaled: Part | None, pictures: str) -> str:
    lines = [OPENING, ""]
    for part in parts:
        lines += comparison_lines(part, pictures)
    if scaled:
        lines += scale_lines(scaled, pictures)
    return "\n".join(lines).rstrip() + "\n"
