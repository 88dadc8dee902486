# SPDX-License-Identifier: MPL-2.0
"""What a program prints is taken only when it is complete, for this cell, and from the right library."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from comparison.model import Cell, Column, ComparisonError, Settings
from comparison.programs import Programs, RunFailed, child_environment, loaded_library, read_results, run

CELL = Cell("PAIR", "tcp", 64)
GOOD = """RESULT,zlink,PAIR,tcp,64,throughput,1000.5
RESULT,zlink,PAIR,tcp,64,latency,5.25
RESULT,zlink,PAIR,tcp,64,latency_p99,9.75
"""


class ReadResults(unittest.TestCase):
    def test_complete(self):
        self.assertEqual(read_results(GOOD, "zlink", CELL),
                         {"throughput": 1000.5, "latency": 5.25, "latency_p99": 9.75})

    def test_other_lines_are_nothing(self):
        self.assertEqual(len(read_results("hello\n" + GOOD, "zlink", CELL)), 3)

    def test_one_way_patterns_have_no_latency(self):
        output = "RESULT,zlink,PUBSUB,tcp,64,throughput,7\n"
        self.assertEqual(read_results(output, "zlink", Cell("PUBSUB", "tcp", 64)), {"throughput": 7.0})

    def test_refused(self):
        first, rest = GOOD.split("\n", 1)
        for output in ("", rest, first, GOOD + first, GOOD.replace("zlink", "libzmq"), GOOD.replace(",64,", ",65,"),
                       GOOD.replace("1000.5", "0"), GOOD.replace("1000.5", "-1"), GOOD.replace("1000.5", "nan"),
                       GOOD.replace("5.25", "inf"), GOOD.replace("5.25", ""), GOOD.replace(",5.25", ""),
                       GOOD.replace("PAIR", "PUBSUB")):
            with self.subTest(output=output), self.assertRaises(RunFailed):
                read_results(output, "zlink", CELL)


class LoadedLibrary(unittest.TestCase):
    def test_file_and_version(self):
        self.assertEqual(loaded_library("DEBUG: x\nLIBRARY,a,/lib/l.so,4.3.4,0f\n"), (Path("/lib/l.so"), "4.3.4"))

    def test_a_comma_in_the_path(self):
        self.assertEqual(loaded_library("LIBRARY,a,/a,b/l.so,4.3.4,0f")[0], Path("/a,b/l.so"))

    def test_silence_is_refused(self):
        with self.assertRaises(RunFailed):
            loaded_library("nothing of the kind")


class Run(unittest.TestCase):
    def python(self, code, timeout_s=30.0):
        return run([sys.executable, "-c", code], dict(os.environ), timeout_s)

    def test_output(self):
        self.assertEqual(self.python("print('x')"), ("x\n", ""))

    def test_a_failure_tells_its_reason(self):
        with self.assertRaisesRegex(RunFailed, "exit status 3: lost a message"):
            self.python("import sys; print('FAIL: lost a message\\nmore', file=sys.stderr); sys.exit(3)")

    def test_a_crash_names_the_signal(self):
        with self.assertRaisesRegex(RunFailed, "SIGABRT"):
            self.python("import os; os.abort()")

    def test_a_hang_is_ended_with_its_children(self):
        code = ("import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()']);"
                "import signal; signal.pause()")
        # The child holds the output pipes: if it lived on, this would not return.
        with self.assertRaisesRegex(RunFailed, "hung"):
            self.python(code, timeout_s=1.0)


class ChildEnvironment(unittest.TestCase):
    def test_search_paths_and_stray_settings_do_not_get_through(self):
        with mock.patch.dict(os.environ, {"LD_PRELOAD": "x", "LD_LIBRARY_PATH": "y", "BENCH_OTHER": "1",
                                          "BENCH_HWM": "7"}):
            made = child_environment(Column("zlink", "zlink"), Settings(high_water_mark=5))
        self.assertFalse({"LD_PRELOAD", "LD_LIBRARY_PATH", "BENCH_OTHER", "BENCH_PEER_LIBRARY"} & set(made))
        self.assertEqual(made["BENCH_HWM"], "5")

    def test_a_peer_is_named_by_its_file(self):
        made = child_environment(Column("p", "peer", Path("/lib/p.so")), Settings())
        self.assertEqual(made["BENCH_PEER_LIBRARY"], "/lib/p.so")

    def test_tuning_reaches_zlink_alone(self):
        settings = Settings(tuning={"ZLINK_SPIN_US": "7"}, held_memory_mib=3, busy_memory=True, pinned=False)
        with mock.patch.dict(os.environ, {"ZLINK_SPIN_US": "9", "ZMQ_ASIO_MIN_OUT_BATCH": "1"}):
            made = {kind: child_environment(Column(kind, kind, Path("/lib/p.so")), settings)
                    for kind in ("zlink", "libzmq", "peer", "limit")}
        self.assertEqual({kind for kind, each in made.items() if "ZLINK_SPIN_US" in each}, {"zlink"})
        self.assertEqual(made["zlink"]["ZLINK_SPIN_US"], "7")
        for each in made.values():
            self.assertFalse({"ZMQ_ASIO_MIN_OUT_BATCH", "BENCH_HOLD_MEMORY_MIB", "BENCH_BUSY_MEMORY", "BENCH_NO_TASKSET"} & set(each))


class Measure(unittest.TestCase):
    """With a script in the place of a program."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.column = Column("zlink", "zlink", Path("/lib/right.so"))

    def program(self, library):
        path = self.folder / "comp_zlink_pair"
        path.write_text(f"#!/bin/sh\necho LIBRARY,zlink,{library},4.3.5,0f\n"
                        "echo CLOCK,zlink,20 >&2\necho WARNING,zlink,PAIR,tcp,64,latency,0.1 ms, too short >&2\n"
                        "[ -z \"$ZLINK_SPIN_US\" ] || echo \"zlink: ZLINK_SPIN_US=$ZLINK_SPIN_US: no value; ignored\" >&2\n"
                        "for metric in throughput latency latency_p99; do echo RESULT,$1,PAIR,$2,$3,$metric,5; done\n",
                        encoding="utf-8")
        path.chmod(0o755)
        return Programs(self.folder, None)

    def test_arguments_are_label_transport_size(self):
        with contextlib.redirect_stderr(io.StringIO()):
            measured = self.program("/lib/right.so").measure(self.column, CELL, Settings(), 30)
        self.assertEqual(measured, {"throughput": 5.0, "latency": 5.0, "latency_p99": 5.0})

    def test_remarks_are_noted_and_a_warning_is_shown_once(self):
        programs = self.program("/lib/right.so")
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            programs.measure(self.column, CELL, Settings(), 30)
            programs.measure(self.column, CELL, Settings(), 30)
        self.assertEqual(errors.getvalue(), "warning: zlink, PAIR tcp 64 B, latency: 0.1 ms, too short\n")
        self.assertEqual([warning["text"] for warning in programs.notes.warnings], ["0.1 ms, too short"])
        self.assertEqual(programs.notes.clock_step_ns, 20)

    def test_a_value_that_the_library_ignores_is_refused(self):
        programs, settings = self.program("/lib/right.so"), Settings(tuning={"ZLINK_SPIN_US": "x"})
        with self.assertRaisesRegex(RunFailed, "^ZLINK_SPIN_US=x: no value$"):
            programs.check_tuning(self.column, settings)
        with self.assertRaisesRegex(RunFailed, "^ZLINK_SPIN_US=x: no value$"):
            programs.measure(self.column, CELL, settings, 30)
        programs.check_tuning(self.column, Settings())

    def test_another_library_than_expected_is_refused(self):
        with self.assertRaisesRegex(RunFailed, "/lib/wrong.so instead of /lib/right.so"):
            self.program("/lib/wrong.so").measure(self.column, CELL, Settings(), 30)

    def test_a_missing_program_is_said_before_measuring(self):
        with self.assertRaises(ComparisonError):
            Programs(self.folder, None).command(self.column, CELL)

    def test_pinning_and_the_limit_program(self):
        (self.folder / "comp_limit").touch()
        command = Programs(self.folder, 3).command(Column("limit", "limit"), CELL)
        self.assertEqual(command, ["taskset", "-c", "3", str(self.folder / "comp_limit"), "pair", "limit", "tcp", "64"])
