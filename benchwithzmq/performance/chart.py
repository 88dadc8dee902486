# SPDX-License-Identifier: MPL-2.0
"""The first chart: linear bars, one panel for each size and one for round trips, a row for each transport."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from comparison.model import size_name
from comparison.plots import PLT_SETTINGS, plt, styles
from comparison.report import Report
from comparison.summary import Spread
from performance.newcomer import PART, SIZES, TRANSPORTS, Number, column_title, picture, round_trips, streams
from performance.series import Series

LIGHT = 0.45  # the opacity of p99 beside p50
ROOM = 1.25  # the longest thin line, relative to the longest bar
TEXT_ROOM = 1.75  # the width of a panel, relative to the longest bar


def draw(series: Series, folder: Path) -> Path:
    report = series.parts[PART]
    height = 1.3 + len(TRANSPORTS) * (0.7 + 0.45 * len(report.columns))
    with plt.rc_context({**PLT_SETTINGS, "font.size": 12, "axes.titlesize": 12, "figure.dpi": 140}):
        figure, grid = plt.subplots(len(TRANSPORTS), len(SIZES) + 1, figsize=(11.5, height), layout="constrained",
                                    width_ratios=[1] * len(SIZES) + [1.2])
        for line, transport in zip(grid, TRANSPORTS):
            for panel, size, number in zip(line, SIZES, streams(transport)):
                draw_bars(panel, report, [("", number)], f"{transport}, {size_name(size)}: messages/s")
            p50, p99 = round_trips(transport)
            draw_bars(line[-1], report, [("p50 ", p50), ("p99 ", p99)], f"{transport}, 64 B: round trip")
            for panel in line[1:]:
                panel.set_yticklabels([])
        figure.get_layout_engine().set(hspace=0.07, wspace=0.02)
        figure.suptitle("Two processes send messages to each other", fontsize=15, fontweight="bold", x=0.01, ha="left")
        figure.supxlabel(caption(report), fontsize=10.5, x=0.01, ha="left", color="#444444")
        path = folder / picture(series)
        figure.savefig(path)
        plt.close(figure)
    return path


def caption(report: Report) -> str:
    machine = report.machine
    return ("Messages per second: a longer bar is better. Round trip (request and reply): a shorter bar is better.\n"
            "p50: half of the round trips are shorter than this. p99: 99 of 100 are shorter.\n"
            f"Bars: medians of {report.runs} runs. Thin lines: from the least to the greatest run; an arrow: further than "
            f"drawn.\n{machine['processor']}, {machine['processors']} processors, {report.started}.")


def draw_bars(panel: Axes, report: Report, rows: list[tuple[str, Number]], title: str) -> None:
    """A group of bars for each library, and in it a bar for each row, from the top down."""
    thickness = 0.8 / len(rows)
    medians = [values.median for column in report.columns for _, row in rows if (values := row.get(report, column.name))]
    longest = max(medians, default=1.0)
    for place, (name, style) in enumerate(styles(report.columns).items()):
        for index, (label, row) in enumerate(rows):
            values = row.get(report, name)
            where = place + thickness * (index - (len(rows) - 1) / 2)
            if values is None:
                panel.text(0, where, " failed", va="center", color="#666666")
                continue
            panel.barh(where, values.median, thickness * 0.94, color=style["color"], alpha=LIGHT if index else 1)
            end = draw_range(panel, where, values, longest * ROOM)
            panel.text(end, where, f" {label}{row.text(values.median)}", va="center", fontsize=11)
    panel.set_xlim(0, TEXT_ROOM * longest)
    panel.set_yticks(range(len(report.columns)), [column_title(column.name) for column in report.columns])
    panel.invert_yaxis()
    panel.set_xticks([])
    panel.grid(False)
    panel.tick_params(axis="y", length=0)
    panel.spines["bottom"].set_visible(False)
    panel.set_title(title, loc="left")


def draw_range(panel: Axes, where: float, values: Spread, limit: float) -> float:
    """A thin line from the least to the greatest run; returns the place after it and after the bar."""
    end = min(values.high, limit)
    panel.hlines(where, values.low, end, color="#222222", linewidth=1)
    if values.high > limit:
        panel.plot(end, where, marker=">", markersize=4, color="#222222")
    return max(values.median, end) + limit * 0.015
