# SPDX-License-Identifier: MPL-2.0
"""Experiments: the order of measuring, the questions and the command line."""

import shlex
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from comparison.model import Cell, Column, ComparisonError, Results, Settings
from comparison.programs import RunFailed, child_environment, read_results
from experiments import index, options, questions, sources
from experiments.intervals import sample_of
from experiments.main import differing_settings, libzmq_columns
from experiments.model import (BASELINE, FIRST_MESSAGE, LIBZMQ, LIBZMQ_VARIANT, VARIANT, Experiment, Side, measured_metrics,
                               parse_cell, parse_cells, parse_environment)
from experiments.programs import ExperimentPrograms
from experiments.schedule import Progress, measure_interleaved, order

CELL = Cell("PAIR", "tcp", 64)
OTHER = Cell("REQREP", "ipc", 1024)
SIDES = [Column(BASELINE, "peer", Path("/lib/a.so")), Column(VARIANT, "peer", Path("/lib/b.so"))]
ALL = [*SIDES, Column(LIBZMQ, "peer", Path("/lib/c.so"))]


def experiment(**changed):
    fields = {"name": "a-name", "hypothesis": "it helps", "baseline": Side(), "variant": Side((("ZLINK_SPIN_US", "5"),)),
              "cells": (CELL,), "runs": 6, **changed}
    return Experiment(**fields)


class Interleaving(unittest.TestCase):
    def test_the_order_is_reversed_from_turn_to_turn(self):
        names = [[column.name for column in order(ALL, turn)] for turn in range(3)]
        self.assertEqual(names, [[BASELINE, VARIANT, LIBZMQ], [LIBZMQ, VARIANT, BASELINE], [BASELINE, VARIANT, LIBZMQ]])

    def measure(self, runs, fails=None):
        calls, lines, results = [], [], Results()

        def one(column, cell):
            calls.append((column.name, cell))
            if column.name == fails:
                raise RunFailed("hung")
            return {"throughput": float(len(calls)), "latency": 1.0}

        measure_interleaved([CELL, OTHER], ALL, runs, one, results, Progress(2 * runs, lines.append))
        return calls, lines, results

    def test_a_cell_is_done_before_the_next_and_the_sides_change_places(self):
        calls, lines, _ = self.measure(3)
        self.assertEqual([cell for _, cell in calls], ([CELL] * 3 + [OTHER] * 3) * 3)
        first = [calls[index] for index in range(0, len(calls), 3)]
        self.assertEqual(first[:4], [(BASELINE, CELL), (LIBZMQ, OTHER), (LIBZMQ, CELL), (BASELINE, OTHER)])
        self.assertEqual(len(lines), 6)
        self.assertIn("[6/6, 0:00 left] run 3 REQREP ipc 1 KiB", lines[5])

    def test_values_of_one_index_were_measured_next_to_each_other(self):
        _, _, results = self.measure(5)
        pairs = zip(results.get(CELL, BASELINE, "throughput"), results.get(CELL, VARIANT, "throughput"))
        self.assertEqual([abs(a - b) for a, b in pairs], [1.0] * 5)

    def test_as_many_values_of_each_side_as_runs(self):
        _, _, results = self.measure(3)
        sides = (BASELINE, VARIANT, LIBZMQ)
        self.assertEqual({len(results.get(cell, side, "throughput")) for cell in (CELL, OTHER) for side in sides}, {3})

    def test_a_failure_is_kept_and_not_repeated(self):
        calls, _, results = self.measure(4, fails=VARIANT)
        self.assertEqual(calls.count((VARIANT, CELL)), 1)
        self.assertEqual(len(results.failures), 2)
        self.assertEqual(sample_of(experiment(), results), {})

    def test_the_time_that_is_left_comes_from_measuring_alone(self):
        lines = []
        progress = Progress(3, lines.append)
        progress.step("a", 60.0)
        progress.step("b", 120.0)
        self.assertEqual(lines, ["[1/3, 2:00 left] a", "[2/3, 1:30 left] b"])


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
        for changed in ({"name": "A Name"}, {"name": "../x"}, {"variant": Side()}, {"runs": 2}, {"runs": 0}, {"cells": ()},
                        {"standing": True, "baseline": Side((("ZLINK_SPIN_US", "1"),))},
                        {"cells": (Cell("PUBSUB", "tcp", 64),), "metrics": ("latency",)}):
            with self.subTest(changed=changed), self.assertRaises(ComparisonError):
                experiment(**changed).check()
        experiment().check()
        experiment(runs=3).check()

    def test_whether_the_engine_has_it(self):
        changed = Side((("ZLINK_SPIN_US", "1"),))
        self.assertIs(experiment().in_engine, False)
        self.assertIs(experiment(baseline=changed, variant=Side()).in_engine, True)
        self.assertIsNone(experiment(baseline=changed).in_engine)
        self.assertIs(experiment(baseline=changed, engine=True).in_engine, True)


class Programs(unittest.TestCase):
    def test_a_side_has_its_own_environment_and_the_callers_tuning_does_not_get_through(self):
        column = Column(VARIANT, "peer", Path("/lib/b.so"), environment={"ZLINK_SPIN_US": "5", "BENCH_HWM": "7"})
        with unittest.mock.patch.dict("os.environ", {"ZMQ_ASIO_IOCTX_MODE": "poll", "ZLINK_SPIN_US": "9"}):
            made = child_environment(column, Settings())
        self.assertNotIn("ZMQ_ASIO_IOCTX_MODE", made)
        self.assertEqual((made["ZLINK_SPIN_US"], made["BENCH_HWM"]), ("5", "7"))

    def libzmq(self, made):
        programs = unittest.mock.Mock()
        programs.identify = lambda column: setattr(column, "file", Path(__file__))
        return [(column.name, column.kind, column.environment) for column in libzmq_columns(made, programs)]

    def test_libzmq_gets_the_settings_that_it_has_too(self):
        self.assertEqual(self.libzmq(experiment()), [(LIBZMQ, "peer", {})])
        buffers = experiment(variant=Side((("BENCH_SNDBUF", "9"), ("ZLINK_SPIN_US", "5"))))
        self.assertTrue(differing_settings(buffers))
        self.assertEqual(self.libzmq(buffers), [(LIBZMQ, "peer", {}), (LIBZMQ_VARIANT, "peer", {"BENCH_SNDBUF": "9"})])

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
    ASKED = ("handler-memory", "immediate-write", "minimum-batch-16k", "write-again", "buffer-reuse", "idle-back-off", "loop-run-for",
             "tcp-nodelay-quickack-busy-poll", "in-batch-8k", "in-batch-1m", "out-batch-8k", "out-batch-1m", "sync-write-0",
             "sync-write-1", "sync-write-router", "socket-buffers-1m", "socket-buffers-2m", "socket-buffers-4m", "io-threads-2",
             "io-threads-3", "io-threads-4")

    def test_the_standing_experiments_are_measured_in_the_standard_cells(self):
        found = {one.name: one for one in questions.load()}
        standard = {parse_cell(f"{pattern}:{transport}:{size}") for pattern in ("router_router", "dealer_router")
                    for transport in ("tcp", "ipc", "inproc") for size in (1024, 65536, 262144)}
        self.assertEqual(set(self.ASKED) - set(found), set())
        for one in found.values():
            with self.subTest(name=one.name):
                self.assertLessEqual(standard, set(one.cells))
                self.assertEqual(one.metrics, ("throughput", "latency"))

    @unittest.skipUnless(sources.has_history(options.REPOSITORY), "a source archive has no history to patch")
    def test_every_patch_fits_the_last_commit(self):
        for patch in questions.PATCHES.glob("*.patch"):
            with self.subTest(patch=patch.name):
                self.assertEqual(sources.applies(options.REPOSITORY, patch), "")

    def test_every_patch_is_used(self):
        used = {patch for one in questions.load() for patch in (one.baseline.patch, one.variant.patch)}
        self.assertEqual(set(questions.PATCHES.glob("*")), used - {None})

    def test_wrong_lists_are_refused(self):
        good = ('runs = 3\n[cells]\nsome = ["pair:tcp:64"]\n[[question]]\nquestion = "q"\n[[question.variant]]\nname = "n"\n'
                'hypothesis = "h"\nenv = ["ZLINK_SPIN_US=1"]\ncells = ["some", "reqrep:ipc:1024"]\n')
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "q.toml"
            file.write_text(good, encoding="utf-8")
            self.assertEqual(questions.load(file)[0].cells, (CELL, OTHER))
            self.assertEqual(questions.load(file, 8)[0].runs, 8)
            for old, new in (('"some"', '"none"'), ("env", "environment"), ("ZLINK_SPIN_US=1", "HOME=1"), ("runs = 3", "runs = 2"),
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
        for words in (["spin"], [*self.WORDS, "--runs", "2"], [*self.WORDS, "--runs", "0"], [*self.WORDS, "--metrics", "beauty"], self.WORDS[:-2],
                      [*self.WORDS, "--questions"], ["--only", "nothing"], [*self.WORDS, "--variant-patch", "/missing"],
                      [*self.WORDS, "--variant-option", "A=1", "--variant-library", __file__]):
            with self.subTest(words=words), self.assertRaises(ComparisonError):
                self.plan(*words)

    def test_questions_and_a_choice_of_them(self):
        self.assertEqual(len(self.plan("--questions").experiments), len(questions.load()))
        chosen = self.plan("--only", "loop-run-for", "--only", "tcp-nodelay", "--runs", "3").experiments
        self.assertEqual([(one.name, one.runs) for one in chosen], [("loop-run-for", 3), ("tcp-nodelay", 3)])
        self.assertEqual([self.plan(f"--{task}").task for task in ("list", "check", "index")], ["list", "check", "index"])
        self.assertEqual(self.plan("--only", "tcp-nodelay", "--cells", "pair:tcp:64").experiments[0].cells, (CELL,))

    def test_pages_of_the_questions_go_into_the_documents_and_others_do_not(self):
        self.assertEqual(self.plan("--only", "tcp-nodelay").folder, options.REPOSITORY / "docs" / "experiments")
        self.assertEqual(self.plan(*self.WORDS).folder, options.REPOSITORY / "results" / "experiments")

    def test_how_long_a_run_is(self):
        self.assertEqual(self.plan(*self.WORDS).settings.run_ms, options.RUN_MS)
        self.assertEqual(self.plan(*self.WORDS, environment={"BENCH_RUN_MS": "250"}).settings.run_ms, 250)

    def again(self, command):
        """What a shell makes of a command: the plan."""
        words = shlex.split(command)
        begin = words.index("benchwithzmq/run_experiment.py")
        environment = dict(word.split("=", 1) for word in words[:begin])
        paths = [str(options.REPOSITORY / word) if word.endswith(".patch") else word for word in words[begin + 1:]]
        return self.plan(*paths, environment=environment)

    def test_the_command_on_a_page_makes_the_same_experiment(self):
        settings = Settings(run_ms=70, io_threads=2, pinned=False)
        patched = self.plan(*self.WORDS, "--variant-patch", str(next(questions.PATCHES.glob("*.patch")))).experiments[0]
        for one in [*questions.load(runs=4), self.plan(*self.WORDS).experiments[0], patched]:
            with self.subTest(name=one.name):
                plan = self.again(options.command_of(one, settings))
                self.assertEqual((plan.experiments, plan.settings), ((one,), settings))

    def test_the_commands_on_the_pages_that_are_there_are_understood(self):
        for path in index.pages(options.REPOSITORY / "docs" / "experiments"):
            with self.subTest(page=path.name):
                command = path.read_text(encoding="utf-8").rpartition("```\n")[0].rpartition("```\n")[2]
                self.assertEqual([one.name for one in self.again(command).experiments], [path.stem])

    def test_the_program_lists_a_question(self):
        script = options.REPOSITORY / "benchwithzmq" / "run_experiment.py"
        told = subprocess.run([sys.executable, str(script), "--only", "tcp-nodelay", "--list"], capture_output=True, text=True, check=True)
        self.assertTrue(told.stdout.startswith("tcp-nodelay\n"), told.stdout)

    def test_the_command_says_what_differs_from_the_usual_settings(self):
        command = options.command_of(experiment(), Settings(run_ms=70, pinned=False))
        self.assertTrue(command.startswith("BENCH_RUN_MS=70 BENCH_NO_TASKSET=1 benchwithzmq/run_experiment.py a-name"), command)


if __name__ == "__main__":
    unittest.main()
