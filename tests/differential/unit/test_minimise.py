# SPDX-License-Identifier: MPL-2.0
"""The minimiser keeps the lines that matter, and the campaign counts what it should."""

import unittest
from collections.abc import Callable, Sequence

from machine.campaign import Campaign
from machine.minimise import minimise
from machine.player import Results
from machine.script import Script


def numbered(count: int) -> Script:
    return Script("script", tuple(f"line {index}" for index in range(count)))


def needs(*numbers: int) -> Callable[[Sequence[Script]], list[bool]]:
    wanted = {f"line {number}" for number in numbers}
    return lambda candidates: [wanted <= set(each.lines) for each in candidates]


class Minimise(unittest.TestCase):
    def test_keeps_what_matters(self) -> None:
        for wanted in ((3,), (0, 39), (5, 6, 30), (0, 1, 2, 3)):
            small = minimise(numbered(40), needs(*wanted))
            self.assertEqual(small.lines, tuple(f"line {number}" for number in wanted))

    def test_keeps_all_when_nothing_can_go(self) -> None:
        self.assertEqual(minimise(numbered(5), needs(0, 1, 2, 3, 4)), numbered(5))

    def test_lines_that_need_each_other(self) -> None:
        def judge(candidates: Sequence[Script]) -> list[bool]:
            return [("line 2" in each.lines) == ("line 7" in each.lines) and "line 4" in each.lines for each in candidates]
        self.assertIn("line 4", minimise(numbered(10), judge).lines)

    def test_waits_go_with_the_line_before(self) -> None:
        script = Script("script", ("line 0", "settle 3", "line 1", "line 2", "settle 3"))
        self.assertEqual(minimise(script, needs(2)).lines, ("line 2", "settle 3"))

    def test_ends(self) -> None:
        rounds = 0

        def judge(candidates: Sequence[Script]) -> list[bool]:
            nonlocal rounds
            rounds += 1
            return needs(1, 50, 90)(candidates)
        minimise(numbered(100), judge)
        self.assertLess(rounds, 120)


class Played:
    """Stands for a player: a function makes the results of a script in its n-th run."""

    def __init__(self, answer: Callable[[Script, int], Results]) -> None:
        self.answer = answer
        self.count = 0

    def run(self, scripts: Sequence[Script], repeat: int = 1) -> list[list[Results]]:
        self.count += 1
        return [[self.answer(script, self.count * repeat + index) for index in range(repeat)] for script in scripts]


def same(script: Script, _: int) -> Results:
    return tuple(line.upper() for line in script.lines)


class Counting(unittest.TestCase):
    def campaign(self, reference: Callable[[Script, int], Results], subject: Callable[[Script, int], Results]) -> Campaign:
        return Campaign(Played(reference), Played(subject), [], lambda text: None)  # type: ignore[arg-type]

    def test_equal(self) -> None:
        tally = self.campaign(same, same).run([numbered(3), numbered(4)])
        self.assertEqual((tally.scripts, len(tally.equal), len(tally.differences)), (2, 2, 0))

    def test_unsteady_reference_does_not_count(self) -> None:
        tally = self.campaign(lambda script, run: (str(run),), same).run([numbered(3)])
        self.assertEqual((tally.unsteady, len(tally.differences)), (1, 0))

    def test_difference_that_passes(self) -> None:
        tally = self.campaign(same, lambda script, run: same(script, run) if run > 1 else ("once",)).run([numbered(3)])
        self.assertEqual((tally.passing, len(tally.differences)), (1, 0))

    def test_difference_that_stays_and_its_smallest_script(self) -> None:
        def other(script: Script, run: int) -> Results:
            return tuple("different" if line == "LINE 5" else line for line in same(script, run))
        campaign = self.campaign(same, other)
        tally = campaign.run([numbered(9)])
        self.assertEqual(len(tally.differences), 1)
        self.assertEqual(campaign.minimised(tally.differences[0]).script.lines, ("line 5",))


if __name__ == "__main__":
    unittest.main()
