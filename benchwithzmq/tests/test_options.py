# SPDX-License-Identifier: MPL-2.0
"""The command line and the environment become one plan, and a typing error never measures something else."""

import unittest
from pathlib import Path

from comparison.environment import settings_in, tuning_names
from comparison.model import DEFAULT_SIZES, PATTERNS, TRANSPORTS, ComparisonError, Settings
from comparison.options import make_plan


class Defaults(unittest.TestCase):
    def test_everything_three_times(self):
        plan = make_plan([], {})
        self.assertEqual(plan.patterns, tuple(PATTERNS))
        self.assertEqual(plan.transports, ("inproc", "tcp", "ipc", "tls", "ws", "wss"))
        self.assertEqual(plan.sizes, DEFAULT_SIZES)
        self.assertEqual(plan.runs, 3)
        self.assertEqual(len(plan.cells()), (8 * 3 + 2 * 3) * 6)
        self.assertTrue(plan.settings[0].pinned)
        self.assertEqual(plan.settings[0].run_ms, Settings.run_ms)

    def test_representative_matrix(self):
        plan = make_plan(["ALL", "--matrix", "representative"], {})
        self.assertEqual(plan.sizes, (64, 1024, 65536))
        self.assertEqual(len(plan.cells()), (8 * 3 + 2 * 3) * 3)
        self.assertEqual(plan.settings[0].run_ms, Settings.run_ms)

    def test_transports_that_are_named_have_every_pattern(self):
        self.assertEqual({cell.pattern for cell in make_plan([], {"BENCH_TRANSPORTS": "tls"}).cells()}, set(PATTERNS))

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
        self.assertEqual(make_plan([], {"BENCH_TWO_PROCESSES": "1"}).transports, TRANSPORTS[1:])
        with self.assertRaises(ComparisonError):
            make_plan([], {"BENCH_TWO_PROCESSES": "1", "BENCH_TRANSPORTS": "inproc,tcp"})

    def test_curve_leaves_out_inproc_and_the_limit(self):
        plan = make_plan([], {"BENCH_MECHANISM": "curve"})
        self.assertEqual((plan.transports, plan.libzmq, plan.limit), (TRANSPORTS[1:], True, False))
        self.assertTrue(make_plan([], {"BENCH_MECHANISM": ""}).limit)
        with self.assertRaises(ComparisonError):
            make_plan([], {"BENCH_MECHANISM": "curve", "BENCH_TRANSPORTS": "inproc,tcp"})


class Names(unittest.TestCase):
    def test_an_unknown_name_is_refused_with_the_nearest_one(self):
        for name, nearest in (("BENCH_MSG_SIZE", "BENCH_MSG_SIZES"), ("BENCH_IOTHREADS", "BENCH_IO_THREADS"),
                              ("ZMQ_IN_BATCHSIZE", "ZMQ_IN_BATCH_SIZE"), ("ZLINK_SPIN", "ZLINK_SPIN_US"), ("ZMQ_ASIO_MIN_OUT", "ZMQ_ASIO_MIN_OUT_BATCH")):
            with self.subTest(name=name), self.assertRaisesRegex(ComparisonError, f"{name}; the nearest name is {nearest}$"):
                make_plan([], {name: "1"})

    def test_the_library_of_a_single_program_is_refused(self):
        with self.assertRaisesRegex(ComparisonError, "--peer"):
            make_plan([], {"BENCH_PEER_LIBRARY": "/lib/p.so"})

    def test_other_names_do_not_matter(self):
        make_plan([], {"PATH": "x", "ZMQ_OTHER": "x", "LD_PRELOAD": "x"})

    def test_every_name_of_the_librarys_table_is_known(self):
        self.assertIn("ZMQ_ASIO_MIN_OUT_BATCH", tuning_names())
        given = {name: "1" for name in tuning_names()}
        self.assertEqual(make_plan([], given).settings[0].tuning, given)

    def test_an_empty_value_is_not_set(self):
        self.assertEqual(make_plan([], {"ZLINK_SPIN_US": "", "BENCH_HWM": ""}).settings, make_plan([], {}).settings)

    def test_experiments_do_not_take_tuning_from_the_environment(self):
        self.assertEqual(settings_in({"ZLINK_SPIN_US": "5"}).tuning, {})


class Sweeps(unittest.TestCase):
    def plan(self, sweep, environment=None):
        return make_plan(["--sweep", sweep], environment or {})

    def test_a_setting(self):
        plan = self.plan("BENCH_IO_THREADS=1,2,4")
        self.assertEqual([settings.io_threads for settings in plan.settings], [1, 2, 4])
        self.assertFalse(plan.sweep.only_zlink)

    def test_a_variable_of_zlink(self):
        plan = self.plan("ZLINK_SPIN_US=0,adaptive")
        self.assertEqual([settings.tuning for settings in plan.settings], [{"ZLINK_SPIN_US": "0"}, {"ZLINK_SPIN_US": "adaptive"}])
        self.assertTrue(plan.sweep.only_zlink)

    def test_the_matrix_is_what_all_values_can_measure(self):
        plan = self.plan("BENCH_MECHANISM=null,curve")
        self.assertEqual((plan.transports, plan.limit), (TRANSPORTS[1:], False))

    def test_refused(self):
        for sweep in ("BENCH_IO_THREADS", "BENCH_IO_THREADS=1", "BENCH_IO_THREADS=1,1", "BENCH_IO_THREADS=1,x", "BENCH_MSG_SIZES=1,2",
                      "BENCH_THREADS=1,2", "HOME=1,2", "ZLINK_SPINS=1,2"):
            with self.subTest(sweep=sweep), self.assertRaises(ComparisonError):
                self.plan(sweep)
        with self.assertRaisesRegex(ComparisonError, "the environment sets BENCH_HWM=5 too"):
            self.plan("BENCH_HWM=0,1000", {"BENCH_HWM": "5"})
        with self.assertRaisesRegex(ComparisonError, "cache"):
            make_plan(["--sweep", "BENCH_HWM=0,1000", "--skip-libzmq"], {})


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
