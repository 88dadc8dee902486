# SPDX-License-Identifier: MPL-2.0
"""run_comparison.py as a user calls it, with the real programs. ZLINK_BENCH_PROGRAMS names their folder.

Not found by discovery, because it needs a build; CMake registers it as bench.runner.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(os.environ["ZLINK_BENCH_PROGRAMS"])
RUNNER = Path(__file__).resolve().parents[1] / "run_comparison.py"
QUICK = {"BENCH_RUN_MS": "20", "BENCH_TRANSPORTS": "tcp", "BENCH_MSG_SIZES": "64"}


@unittest.skipUnless((FOLDER / "comp_zlink_pair").is_file(), "the build has no zlink")
class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def call(self, *arguments, **settings):
        kept = {name: value for name, value in os.environ.items() if name != "ZLINK_BENCH_PROGRAMS"}
        return subprocess.run(
            [sys.executable, RUNNER, "pair", "--runs", "2", "--build-dir", FOLDER, "--output", self.folder / "out.json", "--cache",
             self.folder / "cache.json", *arguments],
            env={**kept, **QUICK, **settings}, capture_output=True, text=True, check=False, timeout=120)

    def measured(self, *arguments, **settings):
        done = self.call(*arguments, **settings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((self.folder / "out.json").read_text(encoding="utf-8")), done

    def refused(self, reason, *arguments, **settings):
        done = self.call(*arguments, **settings)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(reason, done.stderr)
        self.assertFalse((self.folder / "out.json").exists())

    def test_every_library_and_what_it_costs(self):
        told, done = self.measured("--cost", LD_LIBRARY_PATH="/nowhere")
        [cell] = told["cells"]
        for name in ("zlink", "libzmq", "limit"):
            self.assertEqual({metric: len(values) for metric, values in cell["results"][name].items()},
                             {"throughput": 2, "latency": 2, "latency_p99": 2, "processor_us_per_message": 2})
            self.assertTrue(0.001 < min(cell["results"][name]["processor_us_per_message"]) < 1000, cell)
        self.assertGreater(told["clock_step_ns"], 0)
        self.assertIn("LD_LIBRARY_PATH of the environment will not reach the programs", done.stderr)
        self.assertIn("## Settings", (self.folder / "out.md").read_text(encoding="utf-8"))

    def test_transports_that_libzmq_lacks(self):
        for transport in ("tls", "ws", "wss"):
            told, done = self.measured(BENCH_TRANSPORTS=transport)
            [cell] = told["cells"]
            self.assertEqual(sorted(cell["results"]), ["limit", "zlink"])
            self.assertNotIn("FAILED", done.stdout)
            page = (self.folder / "out.md").read_text(encoding="utf-8")
            self.assertRegex(page, r"\| PAIR 64 B \| [0-9.]+ [kM] [^|]*\| - \| [0-9.]+ [kM]")

    def test_cached_results_fit_the_same_tuning_only(self):
        self.measured(ZLINK_SPIN_US="5")
        told, _ = self.measured("--skip-libzmq", ZLINK_SPIN_US="5")
        self.assertEqual([library["cached"] for library in told["libraries"]], [False, True, False])
        (self.folder / "out.json").unlink()
        self.refused("tuning.ZLINK_SPIN_US: cached '5', now '6'", "--skip-libzmq", ZLINK_SPIN_US="6")

    def test_wrong_values_and_names_are_refused_before_measuring(self):
        self.refused("ZLINK_SPIN_US=soon: not a value that it takes", ZLINK_SPIN_US="soon")
        self.refused("ZLINK_SPIN_US=soon: not a value that it takes", "--sweep", "ZLINK_SPIN_US=1,soon")
        self.refused("there is no variable ZLINK_SPINS_US; the nearest name is ZLINK_SPIN_US", ZLINK_SPINS_US="1")

    def test_a_sweep_of_a_variable_of_zlink_measures_the_others_once(self):
        told, done = self.measured("--sweep", "ZLINK_SPIN_US=0,50,adaptive")
        self.assertEqual([point["configuration"]["tuning"]["ZLINK_SPIN_US"] for point in told["points"]], ["0", "50", "adaptive"])
        results = [point["cells"][0]["results"] for point in told["points"]]
        self.assertEqual(len({tuple(each["libzmq"]["throughput"]) for each in results}), 1)
        self.assertEqual(len({tuple(each["zlink"]["throughput"]) for each in results}), 3)
        self.assertIn("zlink=adaptive", done.stdout)

    def test_memory_is_held_during_a_run(self):
        told, _ = self.measured("--zlink-only", BENCH_HOLD_MEMORY_MIB="16")
        self.assertEqual(told["configuration"]["held_memory_mib"], 16)
        if len(os.sched_getaffinity(0)) > 1:
            self.measured("--zlink-only", BENCH_BUSY_MEMORY="1")
        self.measured("--zlink-only", BENCH_BUSY_MEMORY="1", BENCH_NO_TASKSET="1")

    def test_a_count_that_is_too_small_is_told(self):
        told, done = self.measured("--zlink-only", BENCH_MSG_COUNT="100")
        self.assertIn("warning: zlink, PAIR tcp 64 B, throughput: ", done.stderr)
        self.assertEqual(told["warnings"][0]["metric"], "throughput")


if __name__ == "__main__":
    unittest.main()
