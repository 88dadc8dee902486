# SPDX-License-Identifier: MPL-2.0
"""The rule by which a change is kept or dropped, and whether the engine follows it."""

from __future__ import annotations

import dataclasses

from experiments.intervals import Analysis, Row
from experiments.model import Experiment

TOLERATED_LOSS = 0.05
WORTHWHILE_GAIN = 0.05

RULE = (
    "- **keep**: the 95 % interval of the geometric mean lies above 1, and no row loses.",
    f"- **drop**: that interval lies below 1, or contains 1 and ends below {1 + WORTHWHILE_GAIN:g}; or a row loses for certain.",
    f"- **undecided**: that interval contains 1 and {1 + WORTHWHILE_GAIN:g}; or a row may lose; or a measurement of zlink failed. More "
    "runs decide.",
    f"- A row loses if its gain is below {1 - TOLERATED_LOSS:g} and its 95 % interval below 1. It loses for certain if the interval that "
    "holds for all rows together (Bonferroni) is below 1, too.",
    "- One row in forty lies outside on one side by chance alone: a mark in one row is a hint, the mean is the result.",
)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """word: keep, drop or undecided."""

    word: str
    reason: str


def loses(row: Row) -> bool:
    return row.interval.beyond < 0 and row.interval.gain < 1 - TOLERATED_LOSS


def loss_text(row: Row) -> str:
    return f"{1 - row.interval.gain:.0%} of its {row.metric}" if row.metric == "throughput" else \
        f"{1 / row.interval.gain - 1:.0%} in {row.metric}"


def judge(analysis: Analysis, failures: int) -> Verdict:
    if failures or analysis.mean is None:
        return Verdict("undecided", f"{failures} measurement(s) failed")
    if analysis.mean.beyond < 0:
        return Verdict("drop", "it makes things worse")
    if analysis.mean.beyond == 0 and analysis.mean.high >= 1 + WORTHWHILE_GAIN:
        return Verdict("undecided", f"a gain of {analysis.mean.high - 1:.0%} is as possible as none")
    if analysis.mean.beyond == 0:
        return Verdict("drop", "no difference can be told from noise")
    losers = sorted((row for row in analysis.rows if loses(row)), key=lambda row: row.interval.gain)
    certain = [row for row in losers if row.joint.beyond < 0]
    if certain:
        return Verdict("drop", f"better on the whole, but {certain[0].cell} loses {loss_text(certain[0])}")
    if losers:
        return Verdict("undecided", f"better on the whole, but {losers[0].cell} may lose {loss_text(losers[0])}")
    return Verdict("keep", "better on the whole, and no row loses")


def disagrees(experiment: Experiment, word: str) -> bool:
    """Returns true if the engine does by default the opposite of the verdict."""
    return experiment.in_engine is not None and (word, experiment.in_engine) in (("keep", False), ("drop", True))


def agreement_text(experiment: Experiment, word: str) -> str:
    if experiment.in_engine is None:
        return "-"
    does = "has it" if experiment.in_engine else "does without it"
    if word == "undecided":
        return f"{does}; the verdict is open"
    if not disagrees(experiment, word):
        return f"{does}, as the verdict says"
    return f"{does} nevertheless: {experiment.why_not or 'no reason is given'}"
