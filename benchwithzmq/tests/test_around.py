# SPDX-License-Identifier: MPL-2.0
"""The things around a measurement: folders of results, links to programs, Python, processes that take memory, costs."""

import contextlib
import datetime
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from comparison import build, cost, main, memory, place, python
from comparison.memory import MemoryLoad
from comparison.model import PROCESSOR_TIME, Cell, Column, ComparisonError, Results, Settings
from comparison.programs import Programs, RunFailed

CELL = Cell("PAIR", "tcp", 64)
NOW = datetime.datetime(2026, 11, 24, 3, 12, 0, tzinfo=datetime.timezone.utc)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def program(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path


class Place(InFolder):
    def test_a_file_or_a_folder_can_be_named(self):
        self.assertEqual(place.chosen(Path("a/b.json")), (Path("a"), "b"))
        self.assertEqual(place.chosen(Path("a/b")), (Path("a/b"), "comparison"))

    def test_each_run_has_its_folder_and_latest_leads_to_the_last(self):
        results = self.folder / "results" / "compare"
        first, second = place.make_dated(results, NOW), place.make_dated(results, NOW)
        self.assertEqual([first.name, second.name], ["2026-11-24T03-12-00Z", "2026-11-24T03-12-00Z-2"])
        for folder in (first, second):
            place.point_latest(folder)
            self.assertEqual((results / "latest").resolve(), folder)
        self.assertEqual(os.readlink(results / "latest"), second.name)

    def test_a_folder_named_latest_is_not_replaced(self):
        (self.folder / "latest").mkdir()
        with self.assertRaisesRegex(ComparisonError, "no link"):
            place.point_latest(place.make_dated(self.folder, NOW))


class Links(InFolder):
    def test_programs_of_the_build_are_in_build_bin(self):
        program = self.program("build/bench/benchwithzmq/comp_zlink_pair", "#!/bin/sh\n")
        (program.parent / "comp_data").touch()
        for _ in range(2):
            build.link_programs(self.folder, program.parent)
        self.assertEqual([path.name for path in (self.folder / "build" / "bin").iterdir()], ["comp_zlink_pair"])
        self.assertEqual((self.folder / "build" / "bin" / "comp_zlink_pair").resolve(), program)

    def test_links_do_not_lead_to_themselves_or_out_of_the_build(self):
        program = self.program("build/bin/comp_zlink_pair", "#!/bin/sh\n")
        build.link_programs(self.folder, program.parent)
        build.link_programs(self.folder, self.program("elsewhere/comp_limit", "").parent)
        self.assertFalse(program.is_symlink())
        self.assertFalse((self.folder / "build" / "bin" / "comp_limit").exists())

    def test_a_folder_of_programs_is_not_built(self):
        self.assertFalse(build.is_folder_of_programs(self.folder / "missing"))
        self.program("build/bench/benchwithzmq/comp_zlink_pair", "")
        self.assertFalse(build.is_folder_of_programs(self.folder / "build" / "bench"))
        self.assertTrue(build.is_folder_of_programs(self.folder / "build" / "bench" / "benchwithzmq"))
        self.assertEqual(Programs(self.folder / "build" / "bench", None).folder, Programs(
            self.folder / "build" / "bench" / "benchwithzmq", None).folder)


class ProjectPython(InFolder):
    def use(self, prefix="/usr"):
        """Returns what would be executed."""
        with mock.patch.object(python, "ENVIRONMENT", self.folder), mock.patch.object(sys, "prefix", prefix), \
             mock.patch.object(sys, "argv", ["a", "b"]), mock.patch("os.execv") as executed:
            python.use_project_environment()
        return [call.args for call in executed.call_args_list]

    def test_the_environment_of_the_project_is_used_if_there_is_one(self):
        self.assertEqual(self.use(), [])
        its = self.program("bin/python", "")
        self.assertEqual(self.use(), [(its, [str(its), "a", "b"])])
        self.assertEqual(self.use(str(self.folder)), [])

    def test_without_a_package_there_are_no_plots_and_a_line(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors:
            self.assertIsNone(python.load_plots("no_such_package"))
        self.assertIn("no plots: the Python package no_such_package is missing", errors.getvalue())


class KeptAway(unittest.TestCase):
    def told(self, environment):
        with mock.patch.dict(os.environ, environment, clear=True), contextlib.redirect_stderr(io.StringIO()) as errors:
            main.tell_what_is_kept_away()
        return errors.getvalue()

    def test_variables_of_the_loader_are_told_in_one_line(self):
        self.assertEqual(self.told({"LD_PRELOAD": ""}), "")
        self.assertRegex(self.told({"LD_PRELOAD": "x", "LD_LIBRARY_PATH": "y"}), r"^LD_LIBRARY_PATH and LD_PRELOAD .*\n$")


class Memory(InFolder):
    def setUp(self):
        super().setUp()
        self.program("comp_memory", '#!/bin/sh\necho "$@" >> "$0.words"\necho ready\ncat > /dev/null\necho end >> "$0.words"\n')

    def words(self):
        return (self.folder / "comp_memory.words").read_text(encoding="utf-8").splitlines()

    def test_memory_is_held_until_the_end(self):
        with MemoryLoad(self.folder) as load:
            for _ in range(2):
                load.switch_to(Settings(held_memory_mib=5), 0)
            self.assertEqual(self.words(), ["hold 5"])
        self.assertEqual(self.words(), ["hold 5", "end"])

    def test_settings_of_a_sweep_switch_it(self):
        with MemoryLoad(self.folder) as load:
            for mib in (5, 0, 6):
                load.switch_to(Settings(held_memory_mib=mib), 0)
        self.assertEqual(self.words(), ["hold 5", "end", "hold 6", "end"])

    def test_another_processor_is_busy(self):
        available = sorted(os.sched_getaffinity(0))
        with mock.patch("os.sched_getaffinity", return_value={available[0], 4097}), MemoryLoad(self.folder) as load:
            load.switch_to(Settings(busy_memory=True), 4097)
        self.assertEqual(self.words(), ["busy", "end"])

    def test_the_kernel_places_the_busy_process_where_nothing_is_pinned(self):
        with mock.patch("os.sched_getaffinity", return_value={3}), MemoryLoad(self.folder) as load:
            load.switch_to(Settings(busy_memory=True), None)
        self.assertEqual(self.words(), ["busy", "end"])

    def test_there_is_no_other_processor(self):
        with mock.patch("os.sched_getaffinity", return_value={3}), self.assertRaisesRegex(ComparisonError, "a second processor"):
            memory.other_processor(3)

    def test_a_missing_or_failing_program_is_an_error(self):
        settings = Settings(held_memory_mib=5)
        self.program("comp_memory", "#!/bin/sh\nexit 1\n")
        with MemoryLoad(self.folder) as load, self.assertRaisesRegex(ComparisonError, "hold 5 did not begin"):
            load.switch_to(settings, 0)
        (self.folder / "comp_memory").unlink()
        with MemoryLoad(self.folder) as load, self.assertRaisesRegex(ComparisonError, "comp_memory is missing"):
            load.switch_to(settings, 0)

    def test_an_end_before_the_end_of_the_measurement_is_an_error(self):
        self.program("comp_memory", "#!/bin/sh\necho ready\n")
        with MemoryLoad(self.folder) as load:
            load.switch_to(Settings(held_memory_mib=5), 0)
            load.running[("hold", "5")].wait()
            with self.assertRaisesRegex(ComparisonError, "ended during the measurement"):
                load.switch_to(Settings(held_memory_mib=5), 0)


class Cost(InFolder):
    """The program spends a time of its own, and 20 us for each message."""

    def setUp(self):
        super().setUp()
        self.column = Column("zlink", "zlink", Path("/lib/right.so"))
        self.program("comp_zlink_pair", f"""#!{sys.executable}
import os, sys, time
end = time.process_time() + 0.05 + 20e-6 * int(os.environ["BENCH_MSG_COUNT"])
while time.process_time() < end: pass
assert os.environ["BENCH_LAT_COUNT"] == "0"
print(f"RESULT,{{sys.argv[1]}},PAIR,tcp,64,throughput,5")
""")

    def test_a_failed_cost_leaves_the_cell_its_other_values(self):
        results = Results()
        results.add(CELL, "zlink", {"throughput": 1.0})
        results.fail(CELL, "zlink", 1, "processor time: too short", of_cost=True)
        self.assertEqual(results.get(CELL, "zlink", "throughput"), [1.0])
        results.fail(CELL, "zlink", 1, "hung")
        self.assertEqual(results.get(CELL, "zlink", "throughput"), [])

    def test_a_publisher_that_drops_has_no_cost_of_a_message(self):
        dropping = Settings(high_water_mark=1000)
        cost.refuse_lossy(Cell("PUBSUB", "tcp", 64), Settings())
        cost.refuse_lossy(CELL, dropping)
        with self.assertRaises(RunFailed):
            cost.refuse_lossy(Cell("PUBSUB", "tcp", 64), dropping)

    def test_the_start_of_the_program_does_not_count(self):
        measured = cost.processor_time(Programs(self.folder, None), self.column, CELL, Settings(), 30, 20000)
        self.assertAlmostEqual(measured[PROCESSOR_TIME], 20, delta=2)

    def test_the_measured_rate_plans_the_count(self):
        results = Results()
        results.add(CELL, "zlink", {"throughput": 1e6})
        self.assertEqual(cost.message_count(results, CELL, self.column, Settings(run_ms=500)), 500_000)
        self.assertEqual(cost.message_count(results, CELL, self.column, Settings(run_ms=10)), 250_000)
        with self.assertRaises(RunFailed):
            cost.message_count(Results(), CELL, self.column, Settings())
