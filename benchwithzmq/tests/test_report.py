# SPDX-License-Identifier: MPL-2.0
"""Medians, ratios and tables say what was measured, and a failed cell says that it failed."""

import contextlib
import dataclasses
import io
import json
import unittest

from comparison import sweep_page
from comparison.model import Cell, Column, Results, Settings
from comparison.report import Report, from_json, to_json, to_markdown
from comparison.settings import TABLE
from comparison.summary import GROUPS, geometric_mean, group_mean, ratio, spread
from comparison.sweep import Sweep
from comparison.syscalls import parse, per_message

SMALL = Cell("PAIR", "tcp", 64)
ROUTER = Cell("ROUTER_ROUTER", "tcp", 1024)
LARGE = Cell("PAIR", "tcp", 65536)
REQREP = Cell("REQREP", "tcp", 64)
MIDDLE = Cell("PAIR", "tcp", 4096)


def example():
    results = Results()
    rates = {SMALL: (800.0, 100.0), ROUTER: (200.0, 100.0), LARGE: (150.0, 100.0), REQREP: (90.0, 30.0),
             MIDDLE: (1.0, 100.0)}
    for cell, (zlink, libzmq) in rates.items():
        for name, rate, latency in (("zlink", zlink, 5.0), ("libzmq", libzmq, 10.0), ("limit", 1000.0, 1.0)):
            for factor in (0.5, 1.0, 1.5):
                results.add(cell, name, {"throughput": rate * factor, "latency": latency, "latency_p99": latency * 2})
    return results


def make_report(results):
    columns = [Column("zlink", "zlink"), Column("libzmq", "libzmq"), Column("limit", "limit")]
    machine = {"processor": "p", "processors": 2, "memory_mib": 1, "system": "s", "kernel": "k"}
    return Report("now", 60.0, machine, Settings(), 3, 1, columns, list(results.values), results)


class Summary(unittest.TestCase):
    def test_median_and_spread(self):
        values = spread([3.0, 1.0, 2.0])
        self.assertEqual((values.median, values.low, values.high, values.percent), (2.0, 1.0, 3.0, 100.0))
        self.assertIsNone(spread([]))

    def test_ratio_of_medians(self):
        self.assertEqual(ratio(example(), SMALL, "throughput", "zlink", "libzmq"), 8.0)

    def test_geometric_mean(self):
        self.assertAlmostEqual(geometric_mean([2.0, 8.0]), 4.0)
        self.assertIsNone(geometric_mean([]))

    def test_groups(self):
        small, large, trips, latency = (group_mean(example(), group, "tcp", "zlink", "libzmq") for group in GROUPS)
        self.assertAlmostEqual(small.mean, 4.0)
        self.assertEqual((small.worst, small.worst_cell), (2.0, ROUTER))
        self.assertAlmostEqual(large.mean, 1.5)
        self.assertAlmostEqual(trips.mean, 3.0)
        self.assertAlmostEqual(latency.mean, 0.5)

    def test_another_transport_has_no_mean(self):
        self.assertIsNone(group_mean(example(), GROUPS[0], "ipc", "zlink", "libzmq"))


class Tables(unittest.TestCase):
    def test_markdown_shows_medians_spread_and_ratio(self):
        text = to_markdown(make_report(example()), [])
        self.assertIn("| PAIR 64 B | 800 ±50% | 100 ±50% | 1 k ±50% | 8.00 |", text)
        self.assertIn("| tcp | **4.00** (worst 2.00: ROUTER_ROUTER 1 KiB) |", text)

    def test_a_failed_cell_says_so_and_has_no_number(self):
        results = example()
        results.fail(SMALL, "zlink", 3, "hung: killed after 40 s")
        text = to_markdown(make_report(results), [])
        self.assertIn("| PAIR 64 B | failed | 100 ±50% | 1 k ±50% | - |", text)
        self.assertIn("- zlink, PAIR tcp 64 B, run 3: hung: killed after 40 s", text)

    def test_a_peers_failure_is_told_and_fails_nobody_else(self):
        results = example()
        results.add(ROUTER, "other", {"throughput": 100.0, "latency": 5.0, "latency_p99": 5.0})
        results.fail(SMALL, "other", 1, "the peer library lacks zmq_poll")
        report = make_report(results)
        report.columns.append(Column("other", "peer"))
        self.assertFalse(report.failed_for_good())
        text = to_markdown(report, [])
        self.assertIn("- other, PAIR tcp 64 B, run 1: the peer library lacks zmq_poll", text)
        self.assertIn("| zlink / other | ", text)
        self.assertIn("| tcp | **2.00** (worst 2.00: ROUTER_ROUTER 1 KiB) |", text)
        results.fail(SMALL, "limit", 1, "hung")
        self.assertTrue(report.failed_for_good())

    def test_a_mechanism_is_told(self):
        report = make_report(example())
        self.assertNotIn("secured by", to_markdown(report, []))
        report.settings = Settings(mechanism="curve")
        self.assertIn("secured by CURVE; there is no limit column", to_markdown(report, []))
        self.assertEqual(json.loads(to_json(report))["configuration"]["mechanism"], "curve")

    def test_json_has_every_single_value(self):
        told = json.loads(to_json(make_report(example())))
        cell = told["cells"][0]
        self.assertEqual((cell["pattern"], cell["transport"], cell["size"]), ("PAIR", "tcp", 64))
        self.assertEqual(cell["results"]["zlink"]["throughput"], [400.0, 800.0, 1200.0])
        self.assertEqual(told["configuration"]["run_ms"], Settings.run_ms)
        self.assertEqual([library["name"] for library in told["libraries"]], ["zlink", "libzmq", "limit"])


class Conditions(unittest.TestCase):
    def test_every_setting_is_on_the_page(self):
        report = make_report(example())
        report.settings = Settings(message_count=77, held_memory_mib=64, tuning={"ZLINK_SPIN_US": "9"})
        text = to_markdown(report, [])
        for field, row in TABLE.items():
            with self.subTest(field=field):
                self.assertIn(f"| {row.title} | `{row.variable}` |", text)
        self.assertEqual(set(TABLE) | {"tuning"}, {field.name for field in dataclasses.fields(Settings)})
        self.assertIn("| `BENCH_MSG_COUNT` | 77 |", text)
        self.assertIn("| `BENCH_HOLD_MEMORY_MIB` | 64 MiB |", text)
        self.assertIn("| `BENCH_NO_TASKSET` | yes, to processor 1 |", text)
        self.assertIn("| tuning of zlink | `ZLINK_SPIN_US` | 9 |", text)
        self.assertIn("; messages per throughput run: 77; memory held by another process: 64 MiB; ZLINK_SPIN_US=9", text)

    def test_congestion_control(self):
        report = make_report(example())
        report.machine["tcp_congestion_control"] = "cubic"
        self.assertIn("| cubic (the system's); zlink's connections by the loopback device: reno", to_markdown(report, []))
        report.settings = Settings(tuning={"ZLINK_TCP_LOOPBACK_RENO": "0"})
        self.assertIn("| cubic (the system's) |", to_markdown(report, []))

    def test_warnings_are_on_the_page_and_in_the_json(self):
        report = make_report(example())
        with contextlib.redirect_stderr(io.StringIO()):
            report.notes.read("WARNING,zlink,PAIR,tcp,64,throughput,over in 3 ms\n")
        self.assertIn("- zlink, PAIR tcp 64 B, throughput: over in 3 ms", to_markdown(report, []))
        self.assertEqual(json.loads(to_json(report))["warnings"][0]["text"], "over in 3 ms")
        self.assertEqual(from_json(to_json(report)).notes.warnings, report.notes.warnings)

    def test_another_format_is_refused(self):
        with self.assertRaisesRegex(ValueError, "format is 1"):
            from_json('{"format": 1}')


class Clock(unittest.TestCase):
    """In the example a round trip takes 10 us with zlink and 20 us with libzmq."""

    def report(self, step_ns):
        report = make_report(example())
        report.notes.read(f"CLOCK,zlink,{step_ns}\n")
        return report

    def test_a_ratio_is_marked_below_twenty_steps(self):
        text = to_markdown(self.report(501), [])
        self.assertIn("| PAIR 64 B | 5 ±0% | 10 ±0% | 1 ±0% | 0.50† |", text)
        self.assertIn("| **0.50**† (worst 0.50†: PAIR 64 B) |", text)
        self.assertIn("† One of the two round trips is shorter than 20 steps of the clock (20 × 501 ns)", text)

    def test_throughput_is_never_marked(self):
        self.assertIn("| PAIR 64 B | 800 ±50% | 100 ±50% | 1 k ±50% | 8.00 |", to_markdown(self.report(501), []))

    def test_without_need_there_is_no_mark(self):
        for report in (self.report(99), make_report(example())):
            self.assertNotIn("†", to_markdown(report, []))
        alone = self.report(501)
        alone.columns = alone.columns[:1]
        self.assertNotIn("†", to_markdown(alone, []))

    def test_the_other_library_can_be_the_fast_one(self):
        report = self.report(150)  # limit's round trip of 2 us is marked, zlink's is not
        self.assertTrue(report.near_clock(SMALL, "latency", "zlink", "limit"))
        self.assertFalse(report.near_clock(SMALL, "latency", "zlink", "libzmq"))

    def test_the_json_names_the_values(self):
        told = json.loads(to_json(self.report(501)))
        self.assertEqual(told["clock_step_ns"], 501)
        self.assertEqual(told["cells"][0]["near_clock_step"], {"zlink": ["latency"], "limit": ["latency", "latency_p99"]})
        self.assertEqual(from_json(json.dumps(told)).notes.clock_step_ns, 501)


class Sweeps(unittest.TestCase):
    def setUp(self):
        self.sweep = Sweep("BENCH_IO_THREADS", ("3", "2"))
        self.reports = [make_report(example()), make_report(example())]
        self.reports[0].settings, self.reports[1].settings = Settings(io_threads=3), Settings(io_threads=2)

    def test_a_joint_table(self):
        text = sweep_page.to_markdown(self.sweep, self.reports, [])
        self.assertIn("| cell | library | BENCH_IO_THREADS=3 | BENCH_IO_THREADS=2 |", text)
        self.assertIn("| PAIR 64 B | zlink | 800 ±50% | 800 ±50% |", text)
        self.assertIn("| PAIR 64 B | zlink / libzmq | 8.00 | 8.00 |", text)
        self.assertIn("| I/O threads | `BENCH_IO_THREADS` | 3, 2 |", text)
        self.assertNotIn("I/O threads: ", text)

    def test_a_failure_of_one_value_is_told(self):
        self.reports[1].results.fail(SMALL, "zlink", 1, "hung")
        text = sweep_page.to_markdown(self.sweep, self.reports, [])
        self.assertIn("| PAIR 64 B | zlink | 800 ±50% | failed |", text)
        self.assertIn("## Failures\n\n- zlink, PAIR tcp 64 B, run 1: hung\n\n", text)

    def test_json_has_a_point_per_value(self):
        told = json.loads(sweep_page.to_json(self.sweep, self.reports))
        self.assertEqual([point["configuration"]["io_threads"] for point in told["points"]], [3, 2])
        with self.assertRaisesRegex(ValueError, "a sweep"):
            from_json(json.dumps(told))

    def test_a_column_is_taken_over(self):
        empty = make_report(Results())
        self.reports[0].results.fail(SMALL, "libzmq", 1, "hung")
        self.reports[0].syscalls.append({"library": "libzmq", "total": 1})
        empty.take(empty.columns[1], self.reports[0])
        self.assertEqual(empty.results.get(LARGE, "libzmq", "latency"), [10.0] * 3)
        self.assertEqual(empty.results.get(LARGE, "zlink", "latency"), [])
        self.assertTrue(empty.results.failed(SMALL, "libzmq"))
        self.assertEqual(len(empty.syscalls), 1)


class Syscalls(unittest.TestCase):
    TABLE = """% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 80.00    0.000800           8       100         3 sendto
 20.00    0.000200           4        50           recvfrom
------ ----------- ----------- --------- --------- ----------------
100.00    0.001000           6       150         3 total
"""

    def test_calls_by_name_without_the_total(self):
        self.assertEqual(parse(self.TABLE), {"sendto": 100, "recvfrom": 50})

    def test_only_what_grew_belongs_to_messages(self):
        few, many = {"sendto": 100, "mmap": 30}, {"sendto": 300, "recvfrom": 100, "mmap": 30}
        self.assertEqual(per_message(few, many, 100), {"sendto": 2.0, "recvfrom": 1.0})
