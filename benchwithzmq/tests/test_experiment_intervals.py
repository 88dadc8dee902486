# SPDX-License-Identifier: MPL-2.0
"""Experiments: the intervals, how often they are wrong, and the rule of the verdict."""

import math
import random
import unittest

from comparison.model import Cell
from experiments.intervals import Analysis, Interval, Row, analyse, log_gains
from experiments.model import Experiment, Side
from experiments.student import half_width
from experiments.verdict import agreement_text, disagrees, judge

CELL = Cell("PAIR", "tcp", 64)
OTHER = Cell("REQREP", "ipc", 1024)
CELLS = [Cell("PAIR", "tcp", number) for number in range(1, 19)]


def simulated(dice, runs, factor=1.0, outliers=0.0):
    """18 cells of two metrics that come from the same runs. Their noise differs from cell to cell."""
    sample = {}
    for number, cell in enumerate(CELLS):
        scale = 0.01 * (1 + number % 5)
        sides = []
        for gain in (1.0, factor):
            noise = [dice.gauss(0, scale) - (dice.uniform(0.1, 0.4) if dice.random() < outliers else 0) for _ in range(runs)]
            sides.append(([gain * math.exp(one) for one in noise], [math.exp(dice.gauss(0, 0.01) - one / 2) / gain for one in noise]))
        (rate, latency), (other_rate, other_latency) = sides
        sample[cell] = {"throughput": (rate, other_rate), "latency": (latency, other_latency)}
    return sample


class Student(unittest.TestCase):
    def test_the_values_of_the_tables(self):
        for freedom, wanted in ((1, 12.706), (2, 4.303), (5, 2.571), (30, 2.042), (1000, 1.962)):
            self.assertAlmostEqual(half_width(0.95, freedom), wanted, places=3)
        self.assertAlmostEqual(half_width(0.999, 2), 31.599, places=2)


class Intervals(unittest.TestCase):
    def sample(self, factor, noise=0.02, count=10, cells=(CELL,)):
        dice = random.Random(7)
        return {cell: {"throughput": ([1000 * dice.gauss(1, noise) for _ in range(count)],
                                      [1000 * factor * dice.gauss(1, noise) for _ in range(count)])} for cell in cells}

    def test_a_gain_is_better_above_one_in_both_directions(self):
        self.assertAlmostEqual(math.exp(log_gains("throughput", [2.0], [4.0])[0]), 2.0)
        self.assertAlmostEqual(math.exp(log_gains("latency", [2.0], [4.0])[0]), 0.5)

    def test_a_real_change_is_seen_and_its_interval_holds_it(self):
        for count in (3, 10):
            found = analyse(self.sample(1.2, count=count)).mean
            self.assertTrue(1 < found.low < 1.2 < found.high, found)
            self.assertEqual(analyse(self.sample(0.8, count=count)).mean.beyond, -1)

    def test_one_row_has_the_t_interval_of_its_runs(self):
        gains = (1.0, 1.1, 1.2)
        row = analyse({CELL: {"throughput": ([1.0] * 3, list(gains))}}).rows[0]
        logs = [math.log(gain) for gain in gains]
        mean = sum(logs) / 3
        aside = 4.3027 * math.sqrt(sum((one - mean) ** 2 for one in logs) / 2 / 3)
        self.assertAlmostEqual(math.log(row.interval.gain), mean)
        self.assertAlmostEqual(math.log(row.interval.high), mean + aside, places=4)

    def test_what_drifts_with_both_sides_cancels(self):
        drift = [1000.0 * 1.3 ** index for index in range(8)]
        found = analyse({CELL: {"throughput": (drift, [value * 1.1 for value in drift])}}).mean
        for value in (found.gain, found.low, found.high):
            self.assertAlmostEqual(value, 1.1)

    def test_metrics_of_a_cell_are_not_independent(self):
        rate = ([1.0] * 4, [1.0, 1.1, 1.2, 1.3])
        cell = {"throughput": rate, "latency": (rate[1], rate[0])}
        self.assertEqual(analyse({CELL: cell}).mean, analyse({CELL: {"throughput": rate}}).mean)

    def test_means_over_all_and_by_metric(self):
        sample = {CELL: {"throughput": ([1.0] * 6, [4.0] * 6), "latency": ([1.0] * 6, [1.0] * 6)},
                  OTHER: {"throughput": ([1.0] * 6, [1.0] * 6)}}
        found = analyse(sample)
        self.assertAlmostEqual(found.mean.gain, 4 ** (1 / 3))
        self.assertAlmostEqual(found.means["throughput"].gain, 2.0)
        self.assertAlmostEqual(found.means["latency"].high, 1.0)
        self.assertEqual([(row.cell, row.metric) for row in found.rows],
                         [(CELL, "throughput"), (CELL, "latency"), (OTHER, "throughput")])

    def test_nothing_measured_gives_no_mean(self):
        self.assertEqual(analyse({}), Analysis((), None, {}))


class Wrong(unittest.TestCase):
    """How often the interval misses the truth, in simulated measurements. Three standard deviations are left for chance."""

    ROUNDS = 250
    ALLOWED = 0.05 + 3 * math.sqrt(0.05 * 0.95 / ROUNDS)

    def rate(self, runs, outliers, factor=1.0):
        dice = random.Random(3)
        found = [analyse(simulated(dice, runs, factor, outliers)) for _ in range(self.ROUNDS)]
        return (sum(one.mean.beyond != 0 for one in found) / self.ROUNDS,
                sum(judge(one, 0).word == "keep" for one in found) / self.ROUNDS)

    def test_equal_sides_differ_in_one_case_of_twenty(self):
        for runs in (3, 5):
            for outliers in (0.0, 0.1):
                with self.subTest(runs=runs, outliers=outliers):
                    beyond, kept = self.rate(runs, outliers)
                    self.assertLess(beyond, self.ALLOWED)
                    self.assertLess(kept, 0.025 + 3 * math.sqrt(0.025 * 0.975 / self.ROUNDS))

    def test_three_runs_see_a_gain_of_four_percent(self):
        self.assertGreater(self.rate(3, 0.0, 1.04)[0], 0.9)

    def test_the_interval_holds_the_truth(self):
        dice = random.Random(5)
        means = [analyse(simulated(dice, 3, 1.1)).mean for _ in range(self.ROUNDS)]
        self.assertLess(sum(not one.low < 1.1 < one.high for one in means) / self.ROUNDS, self.ALLOWED)


class Rule(unittest.TestCase):
    SURE, UNSURE = (0.90, 0.99), (0.80, 1.01)

    def analysis(self, mean, *rows):
        """rows: the interval of a row, and the ends of its joint one."""
        made = tuple(Row(Cell("PAIR", "tcp", number), "throughput", 1.0, 1.0, Interval(*interval), Interval(interval[0], *joint))
                     for number, (interval, joint) in enumerate(rows, 1))
        return Analysis(made, Interval(*mean), {})

    def word(self, mean, *rows, failures=0):
        return judge(self.analysis(mean, *rows), failures).word

    def test_keep_takes_an_interval_above_one(self):
        self.assertEqual(self.word((1.03, 1.001, 1.05)), "keep")
        self.assertEqual(self.word((1.03, 1.0, 1.04)), "drop")
        self.assertEqual(self.word((0.97, 0.95, 0.99)), "drop")

    def test_an_interval_that_holds_all_and_nothing_decides_nothing(self):
        self.assertEqual(self.word((1.03, 0.99, 1.06)), "undecided")
        self.assertEqual(self.word((0.97, 0.80, 1.20)), "undecided")

    def test_a_row_that_loses_for_certain_is_enough_to_drop(self):
        told = judge(self.analysis((1.2, 1.1, 1.3), ((0.94, 0.92, 0.96), self.SURE)), 0)
        self.assertEqual(told.word, "drop")
        self.assertIn("PAIR tcp 1 B loses 6% of its throughput", told.reason)

    def test_a_row_that_may_lose_leaves_it_open(self):
        self.assertEqual(self.word((1.2, 1.1, 1.3), ((0.94, 0.90, 0.98), self.UNSURE)), "undecided")

    def test_a_small_loss_or_one_within_the_noise_is_none(self):
        self.assertEqual(self.word((1.2, 1.1, 1.3), ((0.96, 0.94, 0.98), self.SURE)), "keep")
        self.assertEqual(self.word((1.2, 1.1, 1.3), ((0.90, 0.80, 1.01), self.UNSURE)), "keep")

    def test_failures_decide_nothing(self):
        self.assertEqual(self.word((1.2, 1.1, 1.3), failures=1), "undecided")
        self.assertEqual(judge(Analysis((), None, {}), 0).word, "undecided")


class Agreement(unittest.TestCase):
    CHANGED = Side((("ZLINK_SPIN_US", "5"),))

    def experiment(self, has, why_not=""):
        sides = (self.CHANGED, Side()) if has else (Side(), self.CHANGED)
        return Experiment("a-name", "it helps", *sides, (CELL,), 3, why_not=why_not)

    def test_the_engine_follows_the_verdict_or_does_not(self):
        cases = {(True, "keep"): False, (True, "drop"): True, (False, "keep"): True, (False, "drop"): False,
                 (True, "undecided"): False, (False, "undecided"): False}
        for (has, word), wanted in cases.items():
            with self.subTest(has=has, word=word):
                self.assertEqual(disagrees(self.experiment(has), word), wanted)

    def test_the_reason_is_told_only_where_it_is_needed(self):
        self.assertEqual(agreement_text(self.experiment(True, "of this"), "drop"), "has it nevertheless: of this")
        self.assertEqual(agreement_text(self.experiment(False, "of this"), "keep"), "does without it nevertheless: of this")
        self.assertEqual(agreement_text(self.experiment(False, "of this"), "drop"), "does without it, as the verdict says")
        self.assertIn("open", agreement_text(self.experiment(True), "undecided"))


if __name__ == "__main__":
    unittest.main()
