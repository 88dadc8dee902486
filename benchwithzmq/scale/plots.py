# SPDX-License-Identifier: MPL-2.0
"""Plots: lines where the number of peers or threads grows, bars for everything else."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from comparison.plots import PLT_SETTINGS, plt, scale_values, styles
from comparison.report import rate_text
from scale.cells import SECTIONS
from scale.model import METRICS, Cell
from scale.report import Report


@dataclasses.dataclass(frozen=True)
class Point:
    label: str
    cell: Cell
    metric: str


@dataclasses.dataclass(frozen=True)
class Panel:
    title: str
    points: tuple[Point, ...]
    lines: bool = False


def grouped(cells: Sequence[Cell], names: Sequence[str], along: str, title: str) -> list[Panel]:
    """A panel for each combination of the named parameters, and in it a line along another."""
    groups: dict[tuple[object, ...], list[Point]] = {}
    for cell in cells:
        groups.setdefault(tuple(cell.get(name) for name in names), []).append(
            Point(str(cell.get(along)), cell, "messages_per_s"))
    return [Panel(title.format(*key), tuple(points), lines=True) for key, points in groups.items()]


def by_metric(cells: Sequence[Cell]) -> list[Panel]:
    """A panel per metric, a group of bars per cell."""
    names = dict.fromkeys(name for cell in cells for name in cell.metrics)
    return [Panel(heading(name), tuple(Point(cell.title, cell, name) for cell in cells if name in cell.metrics))
            for name in names]


def heading(name: str) -> str:
    metric = METRICS[name]
    return f"{metric.title} ({metric.unit})" if metric.unit else metric.title


def by_cell(cells: Sequence[Cell]) -> list[Panel]:
    """A panel per cell, a group of bars per metric."""
    return [Panel(f"{cell.title} (us)", tuple(Point(METRICS[name].title, cell, name) for name in cell.metrics))
            for cell in cells]


def panels_of(section: str, cells: Sequence[Cell]) -> list[Panel]:
    match section:
        case "fan":
            return grouped(cells, ("pattern", "transport"), "peers", "{0} {1}: messages/s by peers")
        case "io_threads":
            return grouped(cells, ("size",), "io_threads", "{0} B: messages/s by I/O threads")
        case "latency":
            return by_cell(cells)
        case _:
            return by_metric(cells)


def draw(report: Report, folder: Path, stem: str) -> list[Path]:
    """Writes a figure per section, in place of those of an earlier run; their files."""
    made: list[Path] = []
    with plt.rc_context(PLT_SETTINGS):
        for section in SECTIONS:
            path = folder / f"{stem}-{section}.png"
            path.unlink(missing_ok=True)
            panels = panels_of(section, [cell for cell in report.cells if cell.section == section])
            if panels:
                figure = draw_figure(report, SECTIONS[section].title, panels)
                figure.savefig(path, bbox_inches="tight")
                plt.close(figure)
                made.append(path)
    return made


def draw_figure(report: Report, title: str, panels: Sequence[Panel]) -> Figure:
    width = min(len(panels), 3 if len(panels) != 4 else 2)
    height = math.ceil(len(panels) / width)
    figure, grid = plt.subplots(height, width, figsize=(0.8 + 4.2 * width, 1.2 + 3.1 * height), squeeze=False,
                                layout="constrained")
    places = list(grid.flat)
    for axes, panel in zip(places, panels):
        draw_panel(axes, report, panel)
    for axes in places[len(panels):]:
        axes.set_visible(False)
    figure.suptitle(f"{title}; median of {report.runs}", fontsize=13, fontweight="bold")
    handles, labels = places[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=max(1, len(labels)), frameon=False, fontsize=11)
    return figure


def draw_panel(axes: Axes, report: Report, panel: Panel) -> None:
    width = 0.8 / len(report.columns)
    for index, (name, style) in enumerate(styles(report.columns).items()):
        medians = [median(report, point, name) for point in panel.points]
        if panel.lines:
            axes.plot(range(len(medians)), medians, label=name, markersize=5, **style)
        else:
            places = [place + (index - (len(report.columns) - 1) / 2) * width for place in range(len(medians))]
            bars = axes.bar(places, medians, width, label=name, color=style["color"])
            axes.bar_label(bars, [bar_text(value) for value in medians], fontsize=7)
    axes.set_title(panel.title, fontsize=9)
    crowded = sum(len(point.label) for point in panel.points) > 40
    axes.set_xticks(range(len(panel.points)), [point.label for point in panel.points],
                    **({"rotation": 25, "ha": "right", "fontsize": 7} if crowded else {}))
    if panel.lines or worth_a_logarithm(report, panel):
        scale_values(axes)


def median(report: Report, point: Point, column: str) -> float:
    values = report.results.spread(point.cell, column, point.metric)
    return values.median if values else math.nan


def bar_text(value: float) -> str:
    return "failed" if math.isnan(value) else rate_text(value).replace(" ", "")


def worth_a_logarithm(report: Report, panel: Panel) -> bool:
    """Where a linear axis would show one bar only, and none of them is nothing."""
    values = [median(report, point, column.name) for point in panel.points for column in report.columns]
    values = [value for value in values if not math.isnan(value)]
    return bool(values) and min(values) > 0 and max(values) > 30 * min(values)
