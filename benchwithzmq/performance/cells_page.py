# SPDX-License-Identifier: MPL-2.0
"""One page for each pattern and setting: a table of all cells for each metric."""

from __future__ import annotations

from collections.abc import Sequence

from comparison.model import PATTERNS, size_name
from comparison.report import Report, table
from performance.parts import Part
from performance.series import Series
from performance.values import SHOWN, Shown, cells_of, columns_of, others_of, ratio_text, value_text, with_part

MESSAGE_NOTE = "A message of REQREP is a round trip."


def page_name(part: Part, pattern: str) -> str:
    """The page's file, relative to docs/performance."""
    return f"{part.key}/{pattern.lower()}.md"


def patterns_of(stored: Sequence[Series], part: Part) -> list[str]:
    return list(dict.fromkeys(cell.pattern for cell in cells_of([report for _, report in with_part(stored, part.key)])))


def metric_table(told: Sequence[tuple[Series, Report]], pattern: str, shown: Shown) -> list[str]:
    """Empty if no series has the metric."""
    reports = [report for _, report in told]
    names, others = columns_of(reports), others_of(reports)
    rows = []
    for cell in cells_of(reports):
        for series, report in told if cell.pattern == pattern else ():
            values = [value_text(report, cell, name, shown) for name in names]
            ratios = [ratio_text(report, cell, "zlink", other, shown.name) for other in others]
            rows.append([f"{cell.transport} {size_name(cell.size)}", str(series.number), *values, *ratios])
    if not any(text[0].isdigit() for row in rows for text in row[2:]):
        return []
    return table(["cell", "series", *names, *(f"zlink / {other}" for other in others)], rows)


def to_markdown(stored: Sequence[Series], part: Part, pattern: str) -> str:
    told = with_part(stored, part.key)
    runs = ", ".join(f"{report.runs} in series {series.number}" for series, report in told)
    lines = [f"# {pattern}: {part.title[0].lower()}{part.title[1:]}", "",
             f"{part.note} Values are medians of the runs ({runs}). ± is half of the distance between the least and the "
             "greatest run, in percent of the median. The column `limit` is bare sockets, or shared memory for inproc.",
             *([MESSAGE_NOTE] if PATTERNS[pattern].round_trips else []),
             "All settings and series: [PERFORMANCE.md](../../PERFORMANCE.md).", ""]
    for shown in SHOWN:
        rows = metric_table(told, pattern, shown)
        if rows:
            better = "More" if shown.higher_is_better else "Less"
            lines += [f"## {shown.title}", "", f"{better} is better.", "", *rows]
    return "\n".join(lines).rstrip() + "\n"
