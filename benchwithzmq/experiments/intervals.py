# SPDX-License-Identifier: MPL-2.0
"""From single values to gains with confidence intervals. A gain above 1 is better, whatever the metric.

The bootstrap resamples pairs: the n-th value of the baseline and the n-th of the variant were measured next to each other,
so a slow minute of the machine meets both. All metrics of a cell come from the same runs and are resampled together.
"""

from __future__ import annotations

import dataclasses
import math
import random
import statistics
from collections.abc import Sequence

from comparison.model import Cell, Results
from experiments.model import BASELINE, VARIANT, Experiment, measured_metrics

HIGHER_IS_BETTER = {"throughput": True, "latency": False, "latency_p99": False}
REPLICATES = 4000
CONFIDENCE = 0.95
SEED = 1


@dataclasses.dataclass(frozen=True)
class Interval:
    """A gain, and the confidence interval around it."""

    gain: float
    low: float
    high: float

    @property
    def beyond(self) -> int:
        """1: surely better, -1: surely worse, 0: neither can be said."""
        return 1 if self.low > 1 else -1 if self.high < 1 else 0


@dataclasses.dataclass(frozen=True)
class Row:
    """One metric of one cell, with the medians of both sides."""

    cell: Cell
    metric: str
    baseline: float
    variant: float
    interval: Interval


@dataclasses.dataclass(frozen=True)
class Analysis:
    """mean: the geometric mean over all rows; means: over those of one metric."""

    rows: tuple[Row, ...]
    mean: Interval | None
    means: dict[str, Interval]


def gain(metric: str, baseline: Sequence[float], variant: Sequence[float]) -> float:
    ratio = statistics.median(variant) / statistics.median(baseline)
    return ratio if HIGHER_IS_BETTER[metric] else 1 / ratio


def percentiles(values: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """The ends of the middle part of the values."""
    ordered = sorted(values)
    aside = (1 - confidence) / 2 * (len(ordered) - 1)
    return ordered[math.floor(aside)], ordered[math.ceil(len(ordered) - 1 - aside)]


Pairs = tuple[Sequence[float], Sequence[float]]
Sample = dict[Cell, dict[str, Pairs]]


def sample_of(experiment: Experiment, results: Results) -> Sample:
    """What was measured on both sides; cells that failed are left out."""
    sample: Sample = {}
    for cell in experiment.cells:
        for metric in measured_metrics(cell, experiment.metrics):
            pairs = (results.get(cell, BASELINE, metric), results.get(cell, VARIANT, metric))
            if all(pairs):
                sample.setdefault(cell, {})[metric] = pairs
    return sample


def replicate(sample: Sample, dice: random.Random) -> list[float]:
    """The logarithms of the gains, row by row, of one resampling."""
    gains = []
    for metrics in sample.values():
        count = min(len(side) for pairs in metrics.values() for side in pairs)
        chosen = [dice.randrange(count) for _ in range(count)]
        for metric, (baseline, variant) in metrics.items():
            gains.append(math.log(gain(metric, [baseline[i] for i in chosen], [variant[i] for i in chosen])))
    return gains


def analyse(sample: Sample, replicates: int = REPLICATES) -> Analysis:
    places = [(cell, metric) for cell, metrics in sample.items() for metric in metrics]
    if not places:
        return Analysis((), None, {})
    dice = random.Random(SEED)  # the same values give the same page
    drawn = [replicate(sample, dice) for _ in range(replicates)]
    exact = [math.log(gain(metric, *sample[cell][metric])) for cell, metric in places]

    def interval(columns: Sequence[int]) -> Interval:
        means = [statistics.fmean(row[column] for column in columns) for row in drawn]
        low, high = percentiles(means)
        return Interval(*(math.exp(value) for value in (statistics.fmean(exact[column] for column in columns), low, high)))

    rows = tuple(
        Row(cell, metric, *(statistics.median(side) for side in sample[cell][metric]), interval([column]))
        for column, (cell, metric) in enumerate(places))
    by_metric: dict[str, list[int]] = {}
    for column, (_, metric) in enumerate(places):
        by_metric.setdefault(metric, []).append(column)
    return Analysis(rows, interval(range(len(places))), {metric: interval(found) for metric, found in by_metric.items()})
