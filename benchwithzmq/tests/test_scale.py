# SPDX-License-Identifier: MPL-2.0
"""The scale runner: cells are well formed, failures count, output is believed only when it is all there."""

import json
import tempfile
import unittest
from pathlib import Path

from comparison.model import Column, ComparisonError
from comparison.programs import RunFailed
from scale.cells import FULL, QUICK, SECTIONS, SMOKE, all_cells
from scale.main import make_columns, parser
from scale.model import METRICS, Cell, How, Results
from scale.programs import Programs, read_values
from scale.report import Report, section_table, to_json, to_markdown
from scale.schedule import measure_all, turns

FAN = Cell("fan", "fan", (("peers", 10),), ("messages_per_s",), "10 peers")
LONG = Cell("connections", "connections", (("connections", 5),), ("idle_bytes", "used_bytes"), "5 connections",
            most_runs=1)
ZLINK, LIBZMQ, PEER = Column("zlink", "zlink"), Column("libzmq", "libzmq"), Column("other", "peer")
MACHINE = {"processor": "p", "processors": 2, "memory_mib": 1, "system": "s", "kernel": "k"}


def make_report(results, cells=(FAN, LONG)):
    return Report("now", 60.0, MACHINE, "quick", 2, [ZLINK, LIBZMQ, PEER], list(cells), results)


class Cells(unittest.TestCase):
    def test_every_cell_has_a_section_known_metrics_and_a_key_of_its_own(self):
        for effort in (FULL, QUICK, SMOKE):
            cells = all_cells(effort)
            self.assertEqual(len({cell.key for cell in cells}), len(cells))
            self.assertEqual({cell.section for cell in cells}, set(SECTIONS))
            for cell in cells:
                self.assertTrue(set(cell.metrics) <= set(METRICS), cell)

    def test_what_the_full_run_must_have(self):
        cells = all_cells(FULL)
        peers = {(cell.get("pattern"), cell.get("transport"), cell.get("peers")) for cell in cells
                 if cell.section == "fan"}
        self.assertEqual(peers, {(pattern, transport, count)
                                 for pattern in ("pub_sub", "dealer_router", "push_pull")
                                 for transport in ("tcp", "inproc") for count in (1, 10, 100, 1000)})
        self.assertEqual({cell.get("io_threads") for cell in cells if cell.section == "io_threads"}, {1, 2, 4})
        self.assertEqual([cell.get("connections") for cell in cells if cell.section == "connections"], [10_000])
        self.assertEqual({cell.get("topics") for cell in cells if cell.section == "subscriptions"}, {1_000_000})

    def test_only_chosen_sections(self):
        self.assertEqual({cell.section for cell in all_cells(QUICK, ["latency", "cost"])}, {"latency", "cost"})

    def test_no_cell_is_too_short_to_count(self):
        for cell in all_cells(SMOKE, ["cost", "allocations", "system_calls"]):
            self.assertGreaterEqual(cell.get("messages"), 20)


class ReadValues(unittest.TestCase):
    def test_the_wanted_ones(self):
        output = "SCALE,zlink,a,1.5\nsomething else\nSCALE,zlink,b,-2e3\nSCALE,zlink,c,0\n"
        self.assertEqual(read_values(output, "zlink", ("b", "a")), {"b": -2000.0, "a": 1.5})

    def test_what_is_refused(self):
        for output, reason in (("SCALE,zlink,a,1\n", "no b"), ("SCALE,zlink,b,x\n", "'x' as a result"),
                               ("SCALE,zlink,b,nan\n", "'nan' as a result"), ("SCALE,libzmq,b,1\n", "something else"),
                               ("SCALE,zlink,b,1\nSCALE,zlink,b,1\n", "b twice"), ("SCALE,zlink,b\n", "something else")):
            with self.subTest(output=output), self.assertRaisesRegex(RunFailed, reason):
                read_values(output, "zlink", ("b",))


class Run(unittest.TestCase):
    """With a script in the place of a program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.column = Column("zlink", "zlink", Path("/lib/right.so"))

    def program(self, library="/lib/right.so"):
        path = self.folder / "scale_zlink"
        path.write_text(f"#!/bin/sh\necho LIBRARY,zlink,{library},4.3.5,0f\necho \"$@\" > {self.folder}/words\n"
                        "echo SCALE,$1,messages_per_s,${LD_PRELOAD:+1}5\n", encoding="utf-8")
        path.chmod(0o755)
        return Programs(self.folder)

    def test_words_are_label_scenario_and_parameters(self):
        self.assertEqual(self.program().measure(self.column, FAN, 30), {"messages_per_s": 5.0})
        self.assertEqual((self.folder / "words").read_text(encoding="utf-8"), "zlink fan peers=10\n")

    def test_another_library_than_expected_is_refused(self):
        with self.assertRaisesRegex(RunFailed, "/lib/wrong.so instead of /lib/right.so"):
            self.program("/lib/wrong.so").measure(self.column, FAN, 30)

    def test_a_missing_counter_or_program_is_said(self):
        counting = Cell("allocations", "cost", (), ("allocations",), "x", How.COUNTING_ALLOCATIONS)
        with self.assertRaisesRegex(ComparisonError, "count_allocations.so is missing"):
            self.program().measure(self.column, counting, 30)
        with self.assertRaisesRegex(ComparisonError, "scale_std_zmq is missing"):
            Programs(self.folder).measure(LIBZMQ, FAN, 30)


class Schedule(unittest.TestCase):
    def test_what_takes_long_is_left_out_of_later_runs(self):
        self.assertEqual(turns([FAN, LONG], 3), [(0, FAN), (0, LONG), (1, FAN), (2, FAN)])

    def test_a_failure_is_told_and_not_repeated(self):
        asked, lines, results = [], [], Results()

        def measure(column, cell):
            asked.append((column.name, cell))
            if column is LIBZMQ:
                raise RunFailed("hung")
            return {metric: 1.0 for metric in cell.metrics}

        measure_all([FAN], [ZLINK, LIBZMQ], 2, measure, results, lines.append)
        self.assertEqual(asked.count(("libzmq", FAN)), 1)
        self.assertEqual(asked.count(("zlink", FAN)), 2)
        self.assertIn("FAILED (hung)", lines[0])
        self.assertIsNone(results.spread(FAN, "libzmq", "messages_per_s"))
        self.assertEqual(results.failures[0]["reason"], "hung")


class Told(unittest.TestCase):
    def results(self):
        results = Results()
        for factor in (1.0, 3.0, 2.0):
            results.add(FAN, "zlink", {"messages_per_s": 4e6 * factor})
            results.add(FAN, "libzmq", {"messages_per_s": 1e6 * factor})
        results.add(LONG, "zlink", {"idle_bytes": 0.0, "used_bytes": 300.0})
        results.add(LONG, "libzmq", {"idle_bytes": 0.0, "used_bytes": 600.0})
        results.fail(FAN, "other", 1, "the peer library lacks zmq_poll")
        results.fail(LONG, "other", 1, "hung")
        return results

    def test_tables(self):
        text = to_markdown(make_report(self.results()), [])
        self.assertIn("| 10 peers: messages (1/s) ↑ | 8 M ±50% | 2 M ±50% | failed | 4.00 | - |", text)
        self.assertIn("| 5 connections: memory of a connection after traffic (bytes) ↓ | 300 | 600 | failed | 0.50 | - |",
                      text)
        self.assertIn("- other, fan: 10 peers, run 1: the peer library lacks zmq_poll", text)
        self.assertEqual(section_table(make_report(self.results()), "latency"), [])

    def test_nothing_of_nothing_has_no_ratio(self):
        self.assertIsNone(self.results().ratio(LONG, "idle_bytes", "zlink", "libzmq"))

    def test_a_peers_failure_fails_nobody_else(self):
        results = self.results()
        self.assertFalse(make_report(results).failed_for_good())
        results.fail(LONG, "zlink", 1, "hung")
        self.assertTrue(make_report(results).failed_for_good())

    def test_json_has_every_value(self):
        told = json.loads(to_json(make_report(self.results())))
        self.assertEqual(told["cells"][0]["results"]["zlink"]["messages_per_s"], [4e6, 12e6, 8e6])
        self.assertEqual(told["cells"][1]["parameters"], {"connections": 5})
        self.assertEqual(len(told["failures"]), 2)


class Options(unittest.TestCase):
    def test_columns(self):
        given = parser().parse_args(["--peer", f"other={__file__}"])
        self.assertEqual([(column.name, column.kind) for column in make_columns(given)],
                         [("zlink", "zlink"), ("libzmq", "libzmq"), ("other", "peer")])
        self.assertEqual([column.name for column in make_columns(parser().parse_args(["--zlink-only"]))], ["zlink"])

    def test_contradiction(self):
        with self.assertRaises(ComparisonError):
            make_columns(parser().parse_args(["--zlink-only", "--peer", f"other={__file__}"]))


if __name__ == "__main__":
    unittest.main()
