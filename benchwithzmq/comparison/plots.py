# SPDX-License-Identifier: MPL-2.0
"""Plots: throughput and latency by size, one figure per transport, and a heat map of ratios over the whole matrix."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.colors import TwoSlopeNorm  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from comparison.model import PATTERNS, Cell, Column, size_name  # noqa: E402
from comparison.report import CLOCK_MARK, Report  # noqa: E402
from comparison.summary import Spread, ratio, spread  # noqa: E402
from comparison.sweep import Sweep  # noqa: E402

KIND_STYLES = {
    "zlink": {"color": "#0072b2", "linewidth": 2.2, "marker": "o"},
    "libzmq": {"color": "#d55e00", "linewidth": 1.8, "marker": "s"},
    "limit": {"color": "#888888", "linewidth": 1.4, "marker": "", "linestyle": (0, (4, 2))},
}
PEER_COLORS = ("#009e73", "#cc79a7", "#e69f00", "#56b4e9")
TITLES = {
    "throughput": ("Throughput", "messages/s"),
    "latency": ("Latency", "µs, half a round trip"),
}
PLT_SETTINGS = {
    "font.size": 10, "axes.titlesize": 11, "axes.titleweight": "bold", "axes.spines.top": False,
    "axes.spines.right": False, "axes.grid": True, "grid.color": "#e4e4e4", "grid.linewidth": 0.8,
    "axes.axisbelow": True, "figure.dpi": 110, "savefig.facecolor": "white",
}


def draw(report: Report, folder: Path, stem: str) -> list[Path]:
    """Writes all plots that the results allow, in place of those of an earlier run; their files."""
    made: list[Path] = []
    for kind in ("ratios", *TITLES):
        for outdated in folder.glob(f"{stem}-{kind}-*.png"):
            outdated.unlink()

    def save(figure: Figure | None, name: str) -> None:
        if figure is None:
            return
        path = folder / f"{stem}-{name}.png"
        figure.savefig(path, bbox_inches="tight")
        plt.close(figure)
        made.append(path)

    with plt.rc_context(PLT_SETTINGS):
        for contender in report.contenders:
            save(heat_maps(report, contender), f"ratios-{contender}")
        for metric in TITLES:
            for transport in report.transports():
                save(by_size(report, metric, transport), f"{metric}-{transport}")
    return made


def styles(columns: list[Column]) -> dict[str, dict[str, object]]:
    made: dict[str, dict[str, object]] = {}
    peers = 0
    for column in columns:
        if column.kind == "peer":
            made[column.name] = {"color": PEER_COLORS[peers % len(PEER_COLORS)], "linewidth": 1.8, "marker": "^"}
            peers += 1
        else:
            made[column.name] = KIND_STYLES[column.kind]
    return made


def by_size(report: Report, metric: str, transport: str) -> Figure | None:
    # Not every pattern is measured over every transport. A panel without a value would have no ends of its axis.
    measured = {cell.pattern for cell in report.cells for column in report.columns
                if cell.transport == transport and report.results.get(cell, column.name, metric)}
    patterns = [name for name in report.patterns() if metric in PATTERNS[name].metrics and name in measured]
    if not patterns:
        return None
    width = min(4 if len(patterns) > 6 else 3, len(patterns))
    height = math.ceil(len(patterns) / width)
    figure, grid = plt.subplots(height, width, figsize=(0.6 + 3.5 * width, 1.3 + 2.9 * height), squeeze=False,
                                sharex=True, layout="constrained")
    panels = list(grid.flat)
    for panel, pattern in zip(panels, patterns):
        draw_panel(panel, report, metric, transport, pattern)
    for panel in panels[len(patterns):]:
        panel.set_visible(False)
    name, unit = TITLES[metric]
    figure.suptitle(f"{name} over {transport} ({unit}); median of {report.runs}, band from least to greatest",
                    fontsize=13, fontweight="bold")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=11)
    return figure


def draw_panel(panel: Axes, report: Report, metric: str, transport: str, pattern: str) -> None:
    for name, style in styles(report.columns).items():
        draw_line(panel, [spread(report.results.get(Cell(pattern, transport, size), name, metric)) for size in report.sizes()],
                  name, style)
    panel.set_title(pattern + (" (round trips/s)" if PATTERNS[pattern].round_trips and metric == "throughput" else ""))
    # Evenly spaced: the sizes people ask for lie in clusters far apart.
    panel.set_xticks(range(len(report.sizes())), [short_size(size) for size in report.sizes()])
    panel.tick_params(axis="x", labelbottom=True)
    scale_values(panel)


def draw_line(panel: Axes, values: Sequence[Spread | None], name: str, style: dict[str, object]) -> None:
    """A line through the medians and a band from least to greatest; places without a value are left out."""
    points = [(place, value) for place, value in enumerate(values) if value is not None]
    places = [place for place, _ in points]
    panel.plot(places, [value.median for _, value in points], label=name, markersize=5, **style)
    panel.fill_between(places, [value.low for _, value in points], [value.high for _, value in points], color=style["color"],
                       alpha=0.15, linewidth=0)


def scale_values(panel: Axes) -> None:
    if not any(len(line.get_ydata()) for line in panel.get_lines()):
        return  # every run of the cell has failed
    panel.set_yscale("log")
    low, high = panel.get_ylim()
    panel.set_ylim(low / 1.15, high * 1.15)
    narrow = high / low < 30
    panel.yaxis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5) if narrow else (1,)))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
    panel.yaxis.set_minor_formatter(NullFormatter())


def short_size(size: int) -> str:
    return size_name(size).replace("iB", "").replace(" ", "")


def short_number(value: float) -> str:
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= limit:
            return f"{value / limit:g}{unit}"
    return f"{value:g}"


def draw_sweep(sweep: Sweep, reports: Sequence[Report], folder: Path, stem: str) -> list[Path]:
    """Writes one figure per metric and transport, with a panel per pattern and size, in place of those of an earlier run."""
    made: list[Path] = []
    for outdated in folder.glob(f"{stem}-sweep-*.png"):
        outdated.unlink()
    with plt.rc_context(PLT_SETTINGS):
        for metric in TITLES:
            for transport in reports[0].transports():
                figure = by_value(sweep, reports, metric, transport)
                if figure is not None:
                    made.append(folder / f"{stem}-sweep-{metric}-{transport}.png")
                    figure.savefig(made[-1], bbox_inches="tight")
                    plt.close(figure)
    return made


def by_value(sweep: Sweep, reports: Sequence[Report], metric: str, transport: str) -> Figure | None:
    cells = [cell for cell in reports[0].cells if cell.transport == transport and metric in PATTERNS[cell.pattern].metrics]
    if not any(report.results.get(cell, column.name, metric) for report in reports for cell in cells for column in report.columns):
        return None
    width = len(reports[0].sizes())
    height = len(cells) // width
    figure, grid = plt.subplots(height, width, figsize=(0.6 + 3.3 * width, 1.3 + 2.7 * height), squeeze=False, layout="constrained")
    for panel, cell in zip(grid.flat, cells):
        draw_values(panel, sweep, reports, metric, cell)
    name, unit = TITLES[metric]
    figure.suptitle(f"{name} over {transport} ({unit}) by {sweep.variable}", fontsize=13, fontweight="bold")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(labels)), frameon=False, fontsize=11)
    return figure


def draw_values(panel: Axes, sweep: Sweep, reports: Sequence[Report], metric: str, cell: Cell) -> None:
    for name, style in styles(reports[0].columns).items():
        draw_line(panel, [spread(report.results.get(cell, name, metric)) for report in reports], name, style)
    panel.set_title(str(cell))
    panel.set_xticks(range(len(sweep.values)), sweep.values)
    scale_values(panel)


def heat_maps(report: Report, contender: str) -> Figure | None:
    """Rows are patterns, columns sizes, one map per metric and transport. Green is better than the base."""
    metrics = [metric for metric in TITLES if any(
        ratio(report.results, cell, metric, contender, report.base) for cell in report.cells)]
    if not metrics:
        return None
    transports, columns = report.transports(), len(report.sizes())
    rows = {metric: [name for name in report.patterns() if metric in PATTERNS[name].metrics] for metric in metrics}
    figure, grid = plt.subplots(
        len(metrics), len(transports), squeeze=False, layout="constrained",
        figsize=(2.2 + len(transports) * (0.5 + 0.72 * columns),
                 1.0 + sum(0.9 + 0.45 * len(rows[metric]) for metric in metrics)),
        height_ratios=[len(rows[metric]) for metric in metrics])
    for line, metric in zip(grid, metrics):
        for place, (panel, transport) in enumerate(zip(line, transports)):
            draw_heat_map(panel, report, contender, metric, transport, rows[metric])
            panel.set_yticks(range(len(rows[metric])), rows[metric] if place == 0 else [])
    figure.suptitle(f"{contender} / {report.base}: ratio of medians, green is better", fontsize=13, fontweight="bold")
    return figure


def draw_heat_map(panel: Axes, report: Report, contender: str, metric: str, transport: str,
                  patterns: list[str]) -> None:
    values = [[ratio(report.results, Cell(pattern, transport, size), metric, contender, report.base)
               for size in report.sizes()] for pattern in patterns]
    gain = 1 if metric == "throughput" else -1
    colors = [[gain * math.log2(value) if value else math.nan for value in line] for line in values]
    # Fixed ends: the same colour means the same ratio in every report.
    panel.imshow(colors, cmap="RdYlGn", norm=TwoSlopeNorm(0, -3, 3), aspect="auto")
    for row, line in enumerate(values):
        for column, value in enumerate(line):
            text = f"{value:.2f}" if value and value < 10 else f"{value:.0f}" if value else "–"
            if value and report.near_clock(Cell(patterns[row], transport, report.sizes()[column]), metric, contender, report.base):
                text += CLOCK_MARK
            strong = value is not None and abs(math.log2(value)) > 2.3
            panel.text(column, row, text, ha="center", va="center", fontsize=9, color="white" if strong else "black")
    better = "higher" if metric == "throughput" else "lower"
    panel.set_title(f"{transport}: {TITLES[metric][0].lower()} ({better} is better)", fontsize=10)
    panel.set_xticks(range(len(report.sizes())), [short_size(size) for size in report.sizes()])
    panel.grid(False)
    panel.tick_params(length=0)
    for side in panel.spines.values():
        side.set_visible(False)
