# SPDX-License-Identifier: MPL-2.0
"""The rule by which a change is kept or dropped. It was stated before anything was measured."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from experiments.intervals import Analysis, Row

TOLERATED_LOSS = 0.05
FEWEST_RUNS = 6  # with fewer, the bootstrap knows too little

RULE = ("Keep only if the 95 % interval of the geometric mean lies above 1, and no cell is significantly worse by more than "
        f"{TOLERATED_LOSS:.0%} (its whole interval below 1, and its gain below {1 - TOLERATED_LOSS:g}). Otherwise drop. "
        f"Fewer than {FEWEST_RUNS} runs decide nothing.")


@dataclasses.dataclass(frozen=True)
class Verdict:
    """word: keep, drop or undecided."""

    word: str
    reason: str


def losers(rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row.interval.beyond < 0 and row.interval.gain < 1 - TOLERATED_LOSS]


def judge(analysis: Analysis, runs: int, failures: int) -> Verdict:
    if failures:
        return Verdict("undecided", f"{failures} measurement(s) failed")
    if analysis.mean is None or runs < FEWEST_RUNS:
        return Verdict("undecided", f"{runs} runs are too few")
    if analysis.mean.beyond < 0:
        return Verdict("drop", "it makes things worse")
    if analysis.mean.beyond == 0:
        return Verdict("drop", "no difference can be told from noise")
    lost = losers(analysis.rows)
    if lost:
        worst = min(lost, key=lambda row: row.interval.gain)
        return Verdict("drop", f"better on the whole, but {worst.cell} loses {1 - worst.interval.gain:.0%} of its {worst.metric}")
    return Verdict("keep", "better on the whole, and no cell pays for it")
