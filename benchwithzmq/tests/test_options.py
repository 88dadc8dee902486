# SPDX-License-Identifier: MPL-2.0
"""The command line and the environment become one plan, and a typing error never measures something else."""

import unittest
from pathlib import Path

from comparison.model import DEFAULT_SIZES, PATTERNS, ComparisonError, Settings
from comparison.options import make_plan


class Defaults(unittest.TestCase):
    def test_everything_three_times(self):
        plan = make_plan([], {})
        self.assertEqual(plan.patterns, tuple(PATTERNS))
        self.assertEqual(plan.transports, ("inproc", "tcp", "ipc"))
        self.assertEqual(plan.sizes, DEFAULT_SIZES)
        self.assertEqual(plan.runs, 3)
        self.assertEqual(len(plan.cells()), 8 * 3 * 6)
        self.assertTrue(plan.settings[0].pinned)
        self.assertEqual(plan.settings[0].run_ms, Settings.run_ms)

    def test_representative_matrix(self):
        plan = make_plan(["ALL", "--matrix", "representative"], {})
        self.assertEqual(plan.sizes, (64, 1024, 65536))
        self.assertEqual(len(plan.cells()), 8 * 3 * 3)
        self.assertEqual(plan.settings[0].run_ms, Settings.run_ms)

    def test_zlink_only_leaves_the_others_out(self):
        plan = make_plan(["--zlink-only"], {})
        self.assertFalse(plan.libzmq or plan.limit or plan.peers)


class Environment(unittest.TestCase):
    def test_every_variable_arrives(self):
        plan = make_plan(["pair"], {
            "BENCH_TRANSPORTS": "tcp, ipc", "BENCH_MSG_SIZES": "128 64", "BENCH_MSG_COUNT": "10",
            "BENCH_WARMUP_COUNT": "0", "BENCH_LAT_COUNT": "12", "BENCH_RUN_MS": "70", "BENCH_IO_THREADS": "2",
            "BENCH_SNDBUF": "4096", "BENCH_RCVBUF": "8192", "BENCH_HWM": "1000", "BENCH_NO_TASKSET": "1",
            "BENCH_MECHANISM": "curve", "BENCH_BODY_OFFSET": "good", "BENCH_HOLD_MEMORY_MIB": "64", "BENCH_BUSY_MEMORY": "1",
            "BENCH_DEBUG": "1"})
        self.assertEqual(plan.transports, ("tcp", "ipc"))
        self.assertEqual(plan.sizes, (64, 128))
        self.assertFalse(plan.settings[0].pinned)
        self.assertEqual(plan.settings[0].environment(), {
            "BENCH_MSG_COUNT": "10", "BENCH_WARMUP_COUNT": "0", "BENCH_LAT_COUNT": "12", "BENCH_RUN_MS": "70",
            "BENCH_IO_THREADS": "2", "BENCH_SNDBUF": "4096", "BENCH_RCVBUF": "8192", "BENCH_HWM": "1000",
            "BENCH_MECHANISM": "curve", "BENCH_TWO_PROCESSES": "0", "BENCH_BODY_OFFSET": "good",
            "BENCH_DEBUG": "1"})
        self.assertEqual((plan.settings[0].held_memory_mib, plan.settings[0].busy_memory), (64, True))

    def test_unset_counts_are_the_programs_choice(self):
        self.assertNotIn("BENCH_MSG_COUNT", make_plan([], {}).settings[0].environment())

    def test_wrong_values_are_refused(self):
        for name, value in (("BENCH_MSG_COUNT", "many"), ("BENCH_IO_THREADS", "0"), ("BENCH_HWM", "-1"),
                            ("BENCH_TRANSPORTS", "udp"), ("BENCH_MSG_SIZES", "64,big"), ("BENCH_MSG_SIZES", "0"),
                            ("BENCH_NO_TASKSET", "yes"), ("BENCH_TWO_PROCESSES", "2"),
                            ("BENCH_MECHANISM", "CURVE"), ("BENCH_MECHANISM", "plain"), ("BENCH_BODY_OFFSET", "4096"),
                            ("BENCH_HOLD_MEMORY_MIB", "-1"), ("BENCH_BUSY_MEMORY", "2")):
            with self.subTest(name=name, value=value), self.assertRaises(ComparisonError):
                make_plan([], {name: value})

    def test_two_processes_leave_inproc_out_but_refuse_it_by_name(self):
        self.assertEqual(make_plan([], {"BENCH_TWO_PROCESSES": "1"}).transports, ("tcp", "ipc"))
        with self.assertRaises(ComparisonError):
            make_plan([], {"BENCH_TWO_PROCESSES": "1", "BENCH_TRANSPORTS": "inproc,tcp"})

    def test_curve_leaves_out_inproc_and_the_limit(self):
        plan = make_plan([], {"BENCH_MECHANISM": "curve"})
        self.assertEqual((plan.transports, plan.libzmq, plan.limit), (("tcp", "ipc"), True, False))
        self.assertTrue(make_plan([], {"BENCH_MECHANISM": ""}).limit)
        with self.assertRaises(ComparisonError):
            make_plan([], {"BENCH_MECHANISM": "curve", "BENCH_TRANSPORTS": "inproc,tcp"})


class Arguments(unittest.TestCase):
    def test_pattern_in_any_case(self):
        self.assertEqual(make_plan(["Router_Router_Poll"], {}).patterns, ("ROUTER_ROUTER_POLL",))

    def test_refused(self):
        for arguments in (["streams"], ["--runs", "0"], ["--skip-libzmq", "--refresh-libzmq"],
                          ["--zlink-only", "--skip-libzmq"], ["--peer", "x"], ["--peer", "x=/no/such/file"],
                          ["--peer", f"limit={__file__}"], ["--peer", f"a,b={__file__}"]):
            with self.subTest(arguments=arguments), self.assertRaises(ComparisonError):
                make_plan(arguments, {})

    def test_peers(self):
        plan = make_plan(["--peer", f"one={__file__}", "--peer", f"two={__file__}"], {})
        self.assertEqual(plan.peers, (("one", Path(__file__).resolve()), ("two", Path(__file__).resolve())))
