# SPDX-License-Identifier: MPL-2.0
"""Experiments: the order of measuring, the intervals, the rule, the questions and the command line."""

import random
import shlex
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from comparison.model import Cell, Column, ComparisonError, Results, Settings
from comparison.programs import RunFailed, child_environment, read_results
from experiments import options, questions
from experiments.intervals import SEED, Analysis, Interval, Row, analyse, gain, percentiles, replicate, sample_of
from experiments.model import (BASELINE, FIRST_MESSAGE, VARIANT, Experiment, Side, measured_metrics, parse_cell, parse_cells,
                               parse_environment)
from experiments.programs import ExperimentPrograms
from experiments.schedule import measure_interleaved, order
from experiments.verdict import judge, losers

CELL = Cell("PAIR", "tcp", 64)
OTHER = Cell("REQREP", "ipc", 1024)
SIDES = [Column(BASELINE, "peer", Path("/lib/a.so")), Column(VARIANT, "peer", Path("/lib/b.so"))]


def experiment(**changed):
    fields = {"name": "a-name", "hypothesis": "it helps", "baseline": Side(), "variant": Side((("ZLINK_SPIN_US", "5"),)),
              "cells": (CELL,), "runs": 6, **changed}
    return Experiment(**fields)


class Interleaving(unittest.TestCase):
    def test_abba_then_baab(self):
        names = [[column.name[0] for column in order(SIDES, block)] for block in range(3)]
        self.assertEqual(names, [list("bvvb"), list("vbbv"), list("bvvb")])

    def measure(self, runs, fails=None):
        calls, lines, results = [], [], Results()

        def one(column, cell):
            calls.append((column.name, cell))
            if column.name == fails:
                raise RunFailed("hung")
            return {"throughput": float(len(calls)), "latency": 1.0}

        measure_interleaved([CELL, OTHER], SIDES, runs, one, results, lines.append)
        return calls, lines, results

    def test_a_cell_is_done_before_the_next_and_the_sides_change_places(self):
        calls, lines, _ = self.measure(4)
        self.assertEqual([cell for _, cell in calls], ([CELL] * 4 + [OTHER] * 4) * 2)
        first = [calls[index] for index in range(0, len(calls), 4)]
        self.assertEqual(first, [(BASELINE, CELL), (VARIANT, OTHER), (VARIANT, CELL), (BASELINE, OTHER)])
        self.assertEqual(len(lines), 4)
        self.assertIn("[4/4, 0:00 left] REQREP ipc 1 KiB", lines[3])

    def test_values_of_one_index_were_measured_next_to_each_other(self):
        _, _, results = self.measure(4)
        pairs = zip(results.get(CELL, BASELINE, "throughput"), results.get(CELL, VARIANT, "throughput"))
        self.assertEqual([abs(a - b) for a, b in pairs], [1.0] * 4)

    def test_as_many_values_of_each_side_as_runs(self):
        _, _, results = self.measure(6)
        self.assertEqual({len(results.get(cell, side, "throughput")) for cell in (CELL, OTHER) for side in (BASELINE, VARIANT)}, {6})

    def test_a_failure_is_kept_and_not_repeated(self):
        calls, _, results = self.measure(4, fails=VARIANT)
        self.assertEqual(calls.count((VARIANT, CELL)), 1)
        self.assertEqual(len(results.failures), 2)
        self.assertEqual(sample_of(experiment(), results), {})


class Intervals(unittest.TestCase):
    def sample(self, factor, noise=0.02, count=10, cells=(CELL,)):
        dice = random.Random(7)
        return {cell: {"throughput": ([1000 * dice.gauss(1, noise) for _ in range(count)],
                                      [1000 * factor * dice.gauss(1, noise) for _ in range(count)])} for cell in cells}

    def test_a_gain_is_better_above_one_in_both_directions(self):
        self.assertEqual(gain("throughput", [1.0, 2.0, 3.0], [4.0, 4.0, 4.0]), 2.0)
        self.assertEqual(gain("latency", [1.0, 2.0, 3.0], [4.0, 4.0, 4.0]), 0.5)

    def test_percentiles_are_the_ends_of_the_middle(self):
        self.assertEqual(percentiles([float(value) for value in range(1000)], 0.9), (49.0, 950.0))
        self.assertEqual(percentiles([3.0]), (3.0, 3.0))

    def test_a_real_change_is_seen_and_its_interval_holds_it(self):
        found = analyse(self.sample(1.2), 500).mean
        self.assertEqual(found.beyond, 1)
        self.assertTrue(found.low < 1.2 < found.high or abs(found.gain - 1.2) < 0.03, found)
        self.assertEqual(analyse(self.sample(0.8), 500).mean.beyond, -1)

    def test_noise_is_not_a_change(self):
        same = [990.0, 1010.0, 1000.0, 995.0, 1005.0, 1002.0]
        turned = [*same[3:], *same[:3]]
        self.assertEqual(analyse({CELL: {"throughput": (same, turned)}}, 500).mean.beyond, 0)

    def test_the_interval_of_noise_holds_one_nearly_always(self):
        outside = 0
        for seed in range(60):
            dice = random.Random(seed)
            sides = tuple([1000 * dice.gauss(1, 0.05) for _ in range(10)] for _ in range(2))
            outside += analyse({CELL: {"throughput": sides}}, 200).mean.beyond != 0
        self.assertLess(outside, 10)

    def test_what_drifts_with_both_sides_cancels(self):
        drift = [1000.0 * 1.3 ** index for index in range(8)]
        found = analyse({CELL: {"throughput": (drift, [value * 1.1 for value in drift])}}, 300).mean
        for value in (found.gain, found.low, found.high):
            self.assertAlmostEqual(value, 1.1)

    def test_metrics_of_a_cell_are_resampled_together(self):
        values = [float(value) for value in range(1, 9)]
        sample = {CELL: {"throughput": (values, values[::-1]), "latency": (values, values[::-1])}}
        for _ in range(20):
            rate, latency = replicate(sample, random.Random(SEED))
            self.assertAlmostEqual(rate, -latency)

    def test_means_over_all_and_by_metric(self):
        sample = {CELL: {"throughput": ([1.0] * 6, [4.0] * 6), "latency": ([1.0] * 6, [1.0] * 6)},
                  OTHER: {"throughput": ([1.0] * 6, [1.0] * 6)}}
        found = analyse(sample, 50)
        self.assertAlmostEqual(found.mean.gain, 4 ** (1 / 3))
        self.assertAlmostEqual(found.means["throughput"].gain, 2.0)
        self.assertAlmostEqual(found.means["latency"].high, 1.0)
        self.assertEqual([(row.cell, row.metric) for row in found.rows],
                         [(CELL, "throughput"), (CELL, "latency"), (OTHER, "throughput")])

    def test_the_same_values_give_the_same_intervals(self):
        self.assertEqual(analyse(self.sample(1.01), 100), analyse(self.sample(1.01), 100))

    def test_nothing_measured_gives_no_mean(self):
        self.assertEqual(analyse({}), Analysis((), None, {}))


class Rule(unittest.TestCase):
    def analysis(self, mean, *cells):
        rows = tuple(Row(Cell("PAIR", "tcp", index + 1), "throughput", 1.0, 1.0, Interval(*interval))
                     for index, interval in enumerate(cells))
        return Analysis(rows, Interval(*mean), {})

    def word(self, mean, *cells, runs=10, failures=0):
        return judge(self.analysis(mean, *cells), runs, failures).word

    def test_keep_takes_an_interval_above_one(self):
        self.assertEqual(self.word((1.03, 1.001, 1.05)), "keep")
        self.assertEqual(self.word((1.03, 1.0, 1.05)), "drop")
        self.assertEqual(self.word((0.97, 0.95, 0.99)), "drop")

    def test_a_cell_that_pays_for_it_is_enough_to_drop(self):
        self.assertEqual(self.word((1.2, 1.1, 1.3), (0.94, 0.90, 0.98)), "drop")
        self.assertIn("PAIR tcp 1 B loses 6% of its throughput",
                      judge(self.analysis((1.2, 1.1, 1.3), (0.94, 0.90, 0.98)), 10, 0).reason)

    def test_a_small_loss_or_an_unsure_one_is_not(self):
        self.assertEqual(self.word((1.2, 1.1, 1.3), (0.96, 0.94, 0.98)), "keep")
        self.assertEqual(self.word((1.2, 1.1, 1.3), (0.90, 0.80, 1.01)), "keep")
        self.assertEqual(losers(self.analysis((1.0, 1.0, 1.0), (0.96, 0.94, 0.98), (0.9, 0.8, 1.0)).rows), [])

    def test_too_little_decides_nothing(self):
        self.assertEqual(self.word((1.2, 1.1, 1.3), runs=4), "undecided")
        self.assertEqual(self.word((1.2, 1.1, 1.3), failures=1), "undecided")
        self.assertEqual(judge(Analysis((), None, {}), 10, 0).word, "undecided")


class Words(unittest.TestCase):
    def test_cells(self):
        self.assertEqual(parse_cells(["pair:tcp:64", " reqrep:ipc:1024", "pair:tcp:64", ""]), (CELL, OTHER))
        for text in ("pair:tcp", "pair:tcp:64:1", "pear:tcp:64", "pair:udp:64", "pair:tcp:0", "pair:tcp:many"):
            with self.subTest(text=text), self.assertRaises(ComparisonError):
                parse_cell(text)

    def test_variables(self):
        self.assertEqual(parse_environment("ZMQ_ASIO_IOCTX_MODE=poll"), ("ZMQ_ASIO_IOCTX_MODE", "poll"))
        self.assertEqual(parse_environment("BENCH_SNDBUF=65536"), ("BENCH_SNDBUF", "65536"))
        for text in ("LD_PRELOAD=x.so", "ZMQ_ASIO_IOCTX_MODE", "BENCH_MSG_COUNT=1", "=1", "PATH=/"):
            with self.subTest(text=text), self.assertRaises(ComparisonError):
                parse_environment(text)

    def test_metrics_of_a_cell(self):
        self.assertEqual(measured_metrics(parse_cell("pubsub:tcp:64"), ("throughput", "latency")), ("throughput",))
        self.assertEqual(measured_metrics(parse_cell("first_message:tcp:64"), ("throughput", "latency")), ("latency",))

    def test_experiments_that_cannot_show_anything_are_refused(self):
        for changed in ({"name": "A Name"}, {"name": "../x"}, {"variant": Side()}, {"runs": 5}, {"runs": 0}, {"cells": ()},
                        {"cells": (Cell("PUBSUB", "tcp", 64),), "metrics": ("latency",)}):
            with self.subTest(changed=changed), self.assertRaises(ComparisonError):
                experiment(**changed).check()
        experiment().check()


class Programs(unittest.TestCase):
    def test_a_side_has_its_own_environment_and_the_callers_tuning_does_not_get_through(self):
        column = Column(VARIANT, "peer", Path("/lib/b.so"), environment={"ZLINK_SPIN_US": "5", "BENCH_HWM": "7"})
        with unittest.mock.patch.dict("os.environ", {"ZMQ_ASIO_IOCTX_MODE": "poll", "ZLINK_SPIN_US": "9"}):
            made = child_environment(column, Settings())
        self.assertNotIn("ZMQ_ASIO_IOCTX_MODE", made)
        self.assertEqual((made["ZLINK_SPIN_US"], made["BENCH_HWM"]), ("5", "7"))

    def test_first_messages_have_a_program_of_their_own(self):
        programs = ExperimentPrograms(Path("/nowhere"), 2)
        command = programs.command(SIDES[0], Cell(FIRST_MESSAGE, "tcp", 64))
        self.assertEqual(command[:3], ["taskset", "-c", "2"])
        self.assertTrue(Path(command[4]).is_file())
        self.assertEqual(command[5:], [BASELINE, "tcp", "64"])
        output = "RESULT,baseline,FIRST_MESSAGE,tcp,64,latency,7\nRESULT,baseline,FIRST_MESSAGE,tcp,64,latency_p99,9\n"
        cell = Cell(FIRST_MESSAGE, "tcp", 64)
        self.assertEqual(read_results(output, BASELINE, cell, programs.metrics(cell)), {"latency": 7.0, "latency_p99": 9.0})

    def test_a_setting_that_the_library_ignores_fails_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "comp_peer_pair"
            path.write_text("#!/bin/sh\necho LIBRARY,$1,/lib/a.so,4,0f\necho 'zlink: ZLINK_SPIN_US=x: no; ignored' >&2\n",
                            encoding="utf-8")
            path.chmod(0o755)
            with self.assertRaisesRegex(RunFailed, "ZLINK_SPIN_US=x"):
                ExperimentPrograms(Path(folder), None).measure(SIDES[0], CELL, Settings(), 30)


class Questions(unittest.TestCase):
    def test_the_eight_questions_are_in_order(self):
        found = questions.load()
        self.assertEqual(len({one.question for one in found}), 8)
        self.assertTrue(all(one.runs >= 6 for one in found))

    def test_every_patch_is_used(self):
        used = {patch for one in questions.load() for patch in (one.baseline.patch, one.variant.patch)}
        self.assertEqual(set(questions.PATCHES.glob("*")), used - {None})

    def test_wrong_lists_are_refused(self):
        good = ('runs = 6\n[cells]\nsome = ["pair:tcp:64"]\n[[question]]\nquestion = "q"\n[[question.variant]]\nname = "n"\n'
                'hypothesis = "h"\nenv = ["ZLINK_SPIN_US=1"]\ncells = ["some", "reqrep:ipc:1024"]\n')
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "q.toml"
            file.write_text(good, encoding="utf-8")
            self.assertEqual(questions.load(file)[0].cells, (CELL, OTHER))
            self.assertEqual(questions.load(file, 8)[0].runs, 8)
            for old, new in (('"some"', '"none"'), ("env", "environment"), ("ZLINK_SPIN_US=1", "HOME=1"), ("runs = 6", "runs = 7"),
                             ('hypothesis = "h"\n', ""), ("env", "patch"), ("[cells]", "[cells"),
                             ('name = "n"', 'name = "n"\npatch = "missing.patch"')):
                file.write_text(good.replace(old, new), encoding="utf-8")
                with self.subTest(new=new), self.assertRaises(ComparisonError):
                    questions.load(file)


class CommandLine(unittest.TestCase):
    WORDS = ["spin", "--hypothesis", "it's quick", "--env", "ZLINK_SPIN_US=5", "--cells", "pair:tcp:64,reqrep:ipc:1024"]

    def plan(self, *words, environment=None):
        return options.make_plan([*words], environment or {})

    def test_an_experiment(self):
        made = self.plan(*self.WORDS, "--runs", "8").experiments[0]
        self.assertEqual((made.cells, made.runs, made.variant.environment), ((CELL, OTHER), 8, (("ZLINK_SPIN_US", "5"),)))
        self.assertTrue(made.baseline.plain)

    def test_refused(self):
        for words in (["spin"], [*self.WORDS, "--runs", "7"], [*self.WORDS, "--metrics", "beauty"], self.WORDS[:-2],
                      [*self.WORDS, "--questions"], ["--only", "nothing"], [*self.WORDS, "--variant-patch", "/missing"],
                      [*self.WORDS, "--variant-option", "A=1", "--variant-library", __file__]):
            with self.subTest(words=words), self.assertRaises(ComparisonError):
                self.plan(*words)

    def test_questions_and_a_choice_of_them(self):
        self.assertEqual(len(self.plan("--questions").experiments), len(questions.load()))
        chosen = self.plan("--only", "loop-poll", "--only", "tcp-nodelay", "--runs", "6").experiments
        self.assertEqual([(one.name, one.runs) for one in chosen], [("loop-poll", 6), ("tcp-nodelay", 6)])
        self.assertEqual(self.plan("--list").task, "list")

    def test_the_command_on_a_page_makes_the_same_experiment(self):
        for one in [*questions.load(), self.plan(*self.WORDS).experiments[0]]:
            words = shlex.split(options.command_of(one, Settings()))[1:]
            with self.subTest(name=one.name):
                paths = [str(options.REPOSITORY / word) if word.endswith(".patch") else word for word in words]
                again = self.plan(*paths).experiments[0]
                self.assertEqual((again.baseline, again.variant, again.cells, again.metrics, again.runs),
                                 (one.baseline, one.variant, one.cells, one.metrics, one.runs))

    def test_the_command_says_what_differs_from_the_usual_settings(self):
        command = options.command_of(experiment(), Settings(run_ms=70, pinned=False))
        self.assertTrue(command.startswith("BENCH_RUN_MS=70 BENCH_NO_TASKSET=1 benchwithzmq/run_experiment.py a-name"), command)


if __name__ == "__main__":
    unittest.main()
