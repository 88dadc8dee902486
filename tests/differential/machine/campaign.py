# SPDX-License-Identifier: MPL-2.0
"""Runs seeds on the reference and on the subject, and keeps the differences that are there every time.

Each script is played once on each. Only where the results differ it is played again: three times on each. The difference counts
if the reference gives one answer in all its runs, and the subject differs in the same line in all of its own.
"""

from __future__ import annotations

import collections
import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol

from machine.accepted import Row
from machine.compare import Difference, agree, first_difference
from machine.minimise import minimise
from machine.player import Results
from machine.script import Script

RUNS_TO_CONFIRM = 3
BATCH = 120
Say = Callable[[str], None]


class Plays(Protocol):
    """Runs scripts so many times each."""

    def run(self, scripts: Sequence[Script], repeat: int = 1) -> list[list[Results]]:
        ...


@dataclasses.dataclass(frozen=True)
class Verdict:
    """The difference of a script, if every run shows one in the same line. `steady`: the reference agreed with itself."""

    steady: bool
    difference: Difference | None


@dataclasses.dataclass
class Tally:
    """What became of the seeds."""

    scripts: int = 0
    unsteady: int = 0  # the reference did not agree with itself
    equal: list[str] = dataclasses.field(default_factory=list)  # titles
    passing: int = 0  # a difference that did not come again
    differences: list[Difference] = dataclasses.field(default_factory=list)

    def groups(self) -> list[list[Difference]]:
        """Differences of one signature together, the most frequent signature first."""
        found: dict[tuple[str, str, str], list[Difference]] = collections.defaultdict(list)
        for each in self.differences:
            found[each.signature].append(each)
        return sorted(found.values(), key=len, reverse=True)

    def told(self) -> str:
        return (f"{self.scripts} scripts: {len(self.equal)} equal, {len(self.differences)} different, {self.passing} different once, "
                f"{self.unsteady} on which the reference does not agree with itself")


class Campaign:
    """`reference` and `subject` play; `rows` are the accepted differences."""

    def __init__(self, reference: Plays, subject: Plays, rows: Sequence[Row], say: Say) -> None:
        self.reference = reference
        self.subject = subject
        self.rows = rows
        self.say = say

    def run(self, scripts: Iterable[Script], most_seconds: float = float("inf")) -> Tally:
        tally = Tally()
        begin = time.monotonic()
        for batch in batches(scripts, BATCH):
            self.run_batch(batch, tally)
            self.say(f"[{time.monotonic() - begin:.0f} s] {tally.told()}")
            if time.monotonic() - begin > most_seconds:
                break
        return tally

    def run_batch(self, batch: Sequence[Script], tally: Tally) -> None:
        tally.scripts += len(batch)
        found: list[Difference] = []
        for script, reference, subject in zip(batch, self.reference.run(batch), self.subject.run(batch)):
            difference = first_difference(script, reference[0], subject[0], self.rows)
            if difference is None:
                tally.equal.append(script.title)
            else:
                found.append(difference)
        for first, verdict in zip(found, self.confirm([each.script for each in found])):
            if not verdict.steady:
                tally.unsteady += 1
            elif verdict.difference is None:
                tally.passing += 1
                self.say(f"{first.script.title}, not every time: {first.told()}")
            else:
                tally.differences.append(verdict.difference)
                self.say(f"{first.script.title}: {verdict.difference.told()}")

    def confirm(self, scripts: Sequence[Script], runs: int = RUNS_TO_CONFIRM) -> list[Verdict]:
        verdicts: list[Verdict] = []
        for script, reference, subject in zip(scripts, self.reference.run(scripts, runs), self.subject.run(scripts, runs)):
            each = [first_difference(script, reference[0], run, self.rows) for run in subject]
            first = each[0]
            same = first is not None and all(one is not None and one.index == first.index for one in each)
            steady = agree(reference)
            verdicts.append(Verdict(steady, first if steady and same else None))
        return verdicts

    def minimised(self, difference: Difference) -> Difference:
        def judge(candidates: Sequence[Script]) -> list[bool]:
            found = [each.difference for each in self.confirm(candidates, 2)]
            return [each is not None and each.signature == difference.signature for each in found]

        smallest = minimise(difference.script, judge)
        again = self.confirm([smallest])[0].difference
        return again if again is not None else difference


def batches(scripts: Iterable[Script], size: int) -> Iterator[list[Script]]:
    batch: list[Script] = []
    for script in scripts:
        batch.append(script)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
