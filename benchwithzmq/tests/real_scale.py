# SPDX-License-Identifier: MPL-2.0
"""Every scenario of the scale program, as small as can be, with every library. ZLINK_BENCH_PROGRAMS names the programs' folder.

Not found by discovery, because it needs a build; CMake registers it as bench.scale.
"""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from comparison.model import Column
from scale.cells import SMOKE, all_cells
from scale.model import How
from scale.programs import Programs

FOLDER = Path(os.environ["ZLINK_BENCH_PROGRAMS"])
TIMEOUT_S = 60
# Those that count something can be nothing; time, rates and round trips cannot.
POSITIVE = ("_per_s", "_us")


class EveryScenario(unittest.TestCase):
    def setUp(self):
        self.programs = Programs(FOLDER)
        self.columns = [Column("libzmq", "libzmq")]
        if (FOLDER / "scale_zlink").is_file():
            self.columns.append(Column("zlink", "zlink"))
        for column in self.columns:
            self.programs.identify(column)
        # Any library can be a peer.
        self.columns.append(Column("peer", "peer", self.columns[0].file))
        self.programs.identify(self.columns[-1])

    def test_all_cells(self):
        for column in self.columns:
            for cell in all_cells(SMOKE):
                if cell.how is How.COUNTING_SYSTEM_CALLS and shutil.which("strace") is None:
                    continue
                with self.subTest(column=column.name, cell=str(cell)):
                    measured = self.programs.measure(column, cell, TIMEOUT_S)
                    self.assertEqual(set(measured), set(cell.metrics))
                    for name, value in measured.items():
                        if name.endswith(POSITIVE) and name != "processor_us":
                            self.assertGreater(value, 0, name)

    def test_libzmqs_allocations_are_counted(self):
        cell = next(cell for cell in all_cells(SMOKE) if cell.how is How.COUNTING_ALLOCATIONS and cell.get("size") == 65536)
        # A body of this size cannot come from anywhere else than the heap.
        self.assertGreaterEqual(self.programs.measure(self.columns[0], cell, TIMEOUT_S)["allocations"], 1)

    def test_wrong_words_are_refused(self):
        for words in ([], ["x"], ["x", "nothing"], ["x", "connections"], ["x", "connections", "connections=0"],
                      ["x", "connections", "connections=many"], ["x", "connections", "connections=1", "peers=1"],
                      ["x", "connections", "connections=1", "connections=1"],
                      ["x", "round_trips", "transport=udp", "size=64", "run_ms=1"]):
            done = subprocess.run([FOLDER / "scale_std_zmq", *words], capture_output=True, text=True, check=False)
            with self.subTest(words=words):
                self.assertEqual(done.returncode, 1)
                self.assertIn("FAIL: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
