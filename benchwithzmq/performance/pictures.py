# SPDX-License-Identifier: MPL-2.0
"""Draws all pictures of the pages, in place of the earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from comparison import plots as comparison_plots
from performance import chart, newcomer
from performance.series import Series, newest
from scale import plots as scale_plots


def draw(folder: Path, stored: Sequence[Series]) -> int:
    """Draws the chart of each series, and all other pictures of the newest series. Returns their number."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("performance-*.png"):
        path.unlink()
    drawn = [chart.draw(series, folder) for series in stored if newcomer.PART in series.parts]
    for key, report in newest(stored).parts.items():
        if len(report.sizes()) > 1:
            drawn += comparison_plots.draw(report, folder, f"performance-{key}")
    drawn += scale_plots.draw(newest(stored).scale, folder, "performance-scale")
    return len(drawn)
