# SPDX-License-Identifier: MPL-2.0
"""Gains with confidence intervals, from single values. A gain above 1 is better, for every metric.

The n-th value of the baseline and the n-th value of the variant were measured next to each other. Their ratio is one observation.
Intervals are t intervals of the logarithms of these ratios, which holds from three runs on. A mean over cells adds the variances of its
cells; its degrees of freedom are those of Welch and Satterthwaite. The metrics of one cell come from the same runs, so they are
averaged before their variance is taken.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

from comparison.model import Cell, Results
from experiments.model import BASELINE, VARIANT, Experiment, measured_metrics
from experiments.student import half_width

HIGHER_IS_BETTER = {"throughput": True, "latency": False, "latency_p99": False}
CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Interval:
    """A gain, and the confidence interval around it."""

    gain: float
    low: float
    high: float

    @property
    def beyond(self) -> int:
        """Returns 1 if it is better, -1 if it is worse, 0 if the interval contains 1."""
        return 1 if self.low > 1 else -1 if self.high < 1 else 0


@dataclasses.dataclass(frozen=True)
class Row:
    """One metric of one cell, with the medians of both sides. joint: the interval at the confidence that holds for all rows together."""

    cell: Cell
    metric: str
    baseline: float
    variant: float
    interval: Interval
    joint: Interval


@dataclasses.dataclass(frozen=True)
class Analysis:
    """mean: the geometric mean over all rows; means: over those of one metric."""

    rows: tuple[Row, ...]
    mean: Interval | None
    means: dict[str, Interval]


Pairs = tuple[Sequence[float], Sequence[float]]
Sample = dict[Cell, dict[str, Pairs]]
Gains = dict[Cell, dict[str, list[float]]]


def log_gains(metric: str, baseline: Sequence[float], variant: Sequence[float]) -> list[float]:
    """Returns one observation for each pair of neighbouring runs."""
    sign = 1 if HIGHER_IS_BETTER[metric] else -1
    return [sign * math.log(after / before) for before, after in zip(baseline, variant)]


def sample_of(experiment: Experiment, results: Results, sides: tuple[str, str] = (BASELINE, VARIANT)) -> Sample:
    """Returns the values of both sides. Cells that failed are left out."""
    sample: Sample = {}
    for cell in experiment.cells:
        for metric in measured_metrics(cell, experiment.metrics):
            pairs = tuple(results.get(cell, side, metric) for side in sides)
            if all(pairs):
                sample.setdefault(cell, {})[metric] = pairs
    return sample


def interval_of(cells: Sequence[Sequence[Sequence[float]]], confidence: float = CONFIDENCE) -> Interval:
    """Returns the mean gain over all rows. cells: for each cell its rows, for each row the observations."""
    count = sum(len(rows) for rows in cells)
    mean = sum(statistics.fmean(row) for rows in cells for row in rows) / count
    variances = []
    for rows in cells:
        sums = [sum(run) for run in zip(*rows)]
        variances.append((statistics.variance(sums) / len(sums) / count ** 2, len(sums) - 1))
    total = sum(variance for variance, _ in variances)
    if total == 0:
        return Interval(math.exp(mean), math.exp(mean), math.exp(mean))
    freedom = total ** 2 / sum(variance ** 2 / free for variance, free in variances)
    aside = half_width(confidence, round(freedom, 1)) * math.sqrt(total)
    return Interval(math.exp(mean), math.exp(mean - aside), math.exp(mean + aside))


def mean_over(gains: Gains, metrics: Sequence[str]) -> Interval:
    cells = [[row for metric, row in rows.items() if metric in metrics] for rows in gains.values()]
    return interval_of([rows for rows in cells if rows])


def analyse(sample: Sample) -> Analysis:
    gains: Gains = {cell: {metric: log_gains(metric, *pairs) for metric, pairs in metrics.items()} for cell, metrics in sample.items()}
    places = [(cell, metric) for cell, metrics in gains.items() for metric in metrics]
    if not places:
        return Analysis((), None, {})
    joint = 1 - (1 - CONFIDENCE) / len(places)  # Bonferroni
    rows = tuple(
        Row(cell, metric, *(statistics.median(side) for side in sample[cell][metric]), interval_of([[gains[cell][metric]]]),
            interval_of([[gains[cell][metric]]], joint))
        for cell, metric in places)
    metrics = list(dict.fromkeys(metric for _, metric in places))
    return Analysis(rows, mean_over(gains, metrics), {metric: mean_over(gains, [metric]) for metric in metrics})
