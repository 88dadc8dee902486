# SPDX-License-Identifier: MPL-2.0
"""docs/PERFORMANCE.md: the newcomer's numbers, the series, a summary of each setting, and the values that are worse."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence

from comparison import report as comparison
from comparison.model import METRICS, Cell, size_name
from comparison.notes import warning_text
from comparison.report import Report, table
from comparison.summary import GROUPS, Group, Spread, group_mean, spread
from performance import cells_page, newcomer
from performance.parts import PARTS, Part
from performance.series import Series, newest
from performance.values import MISSING, behind, cells_of, columns_of, compared, others_of, with_part
from scale import report as scale
from scale.cells import SECTIONS

PICTURES = "pictures"
RATIOS = "ratios"
WIDE_PERCENT = 20

OPENING = """# Performance

`make performance` measures, stores a series and writes this page from the stored series; no number here is written by hand.
A series is one complete measurement. Two series, of two machines or of two hours, show which numbers hold.
`benchwithzmq/run_performance.py --check`, a part of `make check`, fails if the page differs from the stored series.
[The comparison](../benchwithzmq/README.md) describes the programs.
"""

READING = """## How to read the tables

- A value is the median of all runs. ± is half of the distance between the least and the greatest run, in percent of the median.
- A ratio is one of medians. Throughput is better if its ratio is more than 1, latency and costs if it is less than 1.
- The mean of a setting is the geometric mean of the ratios of all patterns. The worst cell stands in brackets.
- Latency is half of a round trip. p50 is the median of all round trips of a run, p99 their 99th percentile.
- System calls and processor time are those of both ends together, measured once: strace counts the calls, getrusage the time.
  A dash says that they were not measured.
- `limit` is bare sockets, shared memory for inproc, or OpenSSL for tls and wss. It does the same work without a library.
- {mark} A round trip of one of the two is shorter than {steps} steps of the clock, or a mean contains such a ratio.
- All libraries take turns in every run, so a slow minute slows them all.
"""

Pictures = Callable[[str], list[str]]


def to_markdown(stored: Sequence[Series], pictures: Pictures) -> str:
    """`pictures` returns the names of the pictures whose names begin with the given text."""
    lines = [OPENING, *newcomer_lines(stored, pictures), *series_lines(stored),
             READING.format(mark=comparison.CLOCK_MARK, steps=comparison.STEPS_OF_A_ROUND_TRIP)]
    lines += ["## The settings", ""]
    for part in PARTS.values():
        lines += part_lines(stored, part, pictures)
    lines += [*behind_lines(stored), *scatter_lines(stored), *failure_lines(stored), *scale_lines(stored)]
    lines += picture_lines(stored, pictures)
    return "\n".join(lines).rstrip() + "\n"


def image(title: str, name: str) -> list[str]:
    return [f"![{title}]({PICTURES}/{name})", ""]


def newcomer_lines(stored: Sequence[Series], pictures: Pictures) -> list[str]:
    told = with_part(stored, newcomer.PART)
    if not told:
        return []
    lines = ["## Between two processes", "",
             "PUSH sends to PULL in another process. REQ sends to REP in another process and waits for the reply. "
             "A round trip is twice the latency of the other tables.", ""]
    for series, _ in told:
        for name in pictures(newcomer.picture(series)):
            lines += image(f"Messages per second and round trips between two processes, {series.name}", name)
    names = columns_of([report for _, report in told])
    rows = [[number.title, str(series.number), *(newcomer_text(number, report, name) for name in names)]
            for number in newcomer.numbers() for series, report in told]
    return lines + table(["", "series", *map(newcomer.column_title, names)], rows)


def newcomer_text(number: newcomer.Number, report: Report, column: str) -> str:
    values = number.get(report, column)
    return f"{number.text(values.median)} ±{values.percent / 2:.0f}%" if values else MISSING


def series_lines(stored: Sequence[Series]) -> list[str]:
    described = [properties(series) for series in stored]
    names = dict.fromkeys(name for one in described for name in one)
    rows = [[name, *(one.get(name, MISSING) for one in described)] for name in names]
    return ["## The series", "", *table(["", *(series.name for series in stored)], rows)]


def properties(series: Series) -> dict[str, str]:
    reports = list(series.parts.values())
    machine = reports[0].machine
    seconds = sum(report.seconds for report in [*reports, series.scale])
    told = {"begun": series.started, "minutes": f"{seconds / 60:.0f}", "zlink's commit": series.commit,
            "processor": machine["processor"], "its features": series.host["flags"],
            "processors": str(machine["processors"]), "memory": f"{machine['memory_mib']} MiB",
            "system": machine["system"], "kernel": machine["kernel"], "C library": machine.get("c_library", MISSING),
            "congestion control of tcp": comparison.congestion_text(reports[0]), "machine": machine.get("identity", MISSING)}
    for column in (column for report in reports for column in report.columns if column.file):
        told[column.name] = f"{column.version}, sha256 {column.sha256[:16]}"
    return told


def part_lines(stored: Sequence[Series], part: Part, pictures: Pictures) -> list[str]:
    told = with_part(stored, part.key)
    if not told:
        return []
    lines = [f"### {part.title}", "", part.note, ""]
    lines += [f"- Series {series.number}: begun {report.started}, {report.seconds / 60:.1f} minutes, {report.runs} runs, "
              f"each throughput run lasts {report.settings.run_ms} ms." for series, report in told]
    variables = " ".join(f"{name}={value}" for name, value in part.environment.items())
    command = f"{variables} benchwithzmq/run_comparison.py {' '.join(part.arguments([], trial=False))}".strip()
    lines += [f"- The command: `{command}`.", ""]
    for other in others_of([report for _, report in told]):
        lines += summary_table(told, other)
    pages = [f"[{pattern}](performance/{cells_page.page_name(part, pattern)})"
             for pattern in cells_page.patterns_of(stored, part)]
    lines += ["All cells: " + ", ".join(pages) + ".", ""]
    for name in pictures(f"performance-{part.key}-{RATIOS}"):
        lines += image(f"{part.title}: ratios in every cell, {newest(stored).name}", name)
    return lines


def summary_table(told: Sequence[tuple[Series, Report]], other: str) -> list[str]:
    transports = dict.fromkeys(transport for _, report in told for transport in report.transports())
    rows = [[transport, str(series.number), *(mean_text(report, group, transport, other) for group in GROUPS)]
            for transport in transports for series, report in told]
    return table([f"zlink / {other}", "series", *(group.title for group in GROUPS)], rows)


def mean_text(report: Report, group: Group, transport: str, other: str) -> str:
    mean = group_mean(report.results, group, transport, "zlink", other)
    if mean is None:
        return MISSING
    worst = mean.worst_cell
    near = any(report.near_clock(cell, group.metric, "zlink", other) for cell in mean.cells)
    return (f"**{mean.mean:.2f}**{comparison.CLOCK_MARK if near else ''} "
            f"({comparison.marked_ratio(report, worst, group.metric, 'zlink', other)}: {worst.pattern} {size_name(worst.size)})")


def behind_lines(stored: Sequence[Series]) -> list[str]:
    lines = ["## Where zlink is behind", "",
             "Every value in which zlink is worse than another library. The last columns hold the ratio in each series. "
             "A star says that the ranges of the runs overlap. A dash says that zlink is ahead or that it was not measured.", ""]
    lines += [f"- Series {series.number}: {sum(1 for _ in all_behind(series))} of {total_compared(series)} values."
              for series in stored] + [""]
    rows: dict[tuple[str, str, str, str], dict[int, str]] = {}
    for series in stored:
        for part, row in all_behind(series):
            place = (part.key, str(row.cell), row.metric.replace("_", " "), row.other)
            rows.setdefault(place, {})[series.number] = f"{row.ratio:.2f}" + ("*" if row.overlaps else "")
    if not rows:
        return lines
    header = ["setting", "cell", "value", "behind", *(series.name for series in stored)]
    return lines + table(header, [[*place, *(texts.get(series.number, MISSING) for series in stored)]
                                  for place, texts in sorted(rows.items())])


def all_behind(series: Series) -> Iterator[tuple[Part, object]]:
    return ((PARTS[key], row) for key, report in series.parts.items() for row in behind(report))


def total_compared(series: Series) -> int:
    return sum(1 for report in series.parts.values() for _ in compared(report))


def scatter_lines(stored: Sequence[Series]) -> list[str]:
    """How far the runs of a setting are apart, for each library."""
    rows = []
    for part in PARTS.values():
        for series, report in with_part(stored, part.key):
            spreads = {name: half_spreads(report, name) for name in columns_of([report])}
            texts = [f"{name} ±{statistics.median(values):.0f}%, {sum(value > WIDE_PERCENT for value in values)} of "
                     f"{len(values)}" for name, values in spreads.items() if values]
            rows.append([part.key, str(series.number), "; ".join(texts)])
    return ["## How far the runs are apart", "",
            f"The median of all spreads of a library, and how many of its values scatter by more than ±{WIDE_PERCENT} %.", "",
            *table(["setting", "series", "spread"], rows)]


def half_spreads(report: Report, column: str) -> list[float]:
    found: list[Spread | None] = [spread(report.results.get(cell, column, metric)) for cell in report.cells
                                  for metric in METRICS]
    return [values.percent / 2 for values in found if values]


def failure_lines(stored: Sequence[Series]) -> list[str]:
    told = [f"- Series {series.number}, {key}: {failure['library']}, "
            f"{Cell(failure['pattern'], failure['transport'], failure['size'])}, run {failure['run']}: {failure['reason']}"
            for series in stored for key, report in series.parts.items() for failure in report.results.failures]
    told += [f"- Series {series.number}, scale: {failure['library']}, {failure['title']}: {failure['reason']}"
             for series in stored for failure in series.scale.results.failures]
    told += [f"- Series {series.number}, {key}: warning: {warning_text(warning)}"
             for series in stored for key, report in series.parts.items() for warning in report.notes.warnings]
    return ["## Failures and warnings", "", *(told or ["No program failed or warned."]), ""]


def scale_lines(stored: Sequence[Series]) -> list[str]:
    lines = ["## Many peers and connections", "",
             "`make scale` measures these tables. ↑: more is better, ↓: less is better.", ""]
    for section in SECTIONS.values():
        tables = [(series, scale.section_table(series.scale, section.key)) for series in stored]
        if any(rows for _, rows in tables):
            lines += [f"### {section.title}", "", section.note, ""]
        for series, rows in tables:
            lines += [f"Series {series.number}:", "", *rows] if rows else []
    return lines


def picture_lines(stored: Sequence[Series], pictures: Pictures) -> list[str]:
    """The pictures of all settings. They show the newest series only."""
    lines = ["## Pictures", "", f"These pictures show {newest(stored).name}.", ""]
    for key, title in [*((part.key, part.title) for part in PARTS.values()), ("scale", "Many peers and connections")]:
        for name in pictures(f"performance-{key}-"):
            shown = name.removeprefix(f"performance-{key}-").removesuffix(".png")
            lines += [] if shown.startswith(("series-", RATIOS)) else image(f"{title}: {shown}", name)
    return lines


def patterns_and_parts(stored: Sequence[Series]) -> Iterator[tuple[Part, str]]:
    for part in PARTS.values():
        for pattern in dict.fromkeys(cell.pattern for cell in cells_of([one for _, one in with_part(stored, part.key)])):
            yield part, pattern
