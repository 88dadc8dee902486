# SPDX-License-Identifier: MPL-2.0
"""Every cell of run_web.py with zlink, as short as can be, and every work of the other libraries that are there.

ZLINK_BENCH_PROGRAMS names the programs' folder. Not found by discovery; CMake registers it as bench.web.
"""

import dataclasses
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from comparison.programs import RunFailed
from web.cells import LIBRARIES, QUICK, all_cells
from web.programs import Certificate, Programs

FOLDER = Path(os.environ["ZLINK_BENCH_PROGRAMS"])
SMOKE = dataclasses.replace(QUICK, run_ms=20, connections=20)
TIMEOUT_S = 30


class EveryCell(unittest.TestCase):
    def setUp(self):
        if not (FOLDER / "web_zlink").is_file():
            self.skipTest("these programs are not built with zlink")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.programs = Programs(FOLDER, Path(sys.executable), Certificate(Path(folder.name)))

    def test_all_cells(self):
        for library in LIBRARIES:
            try:
                self.programs.version(library)
            except RunFailed:
                self.assertNotEqual(library.name, "zlink")
                continue
            for cell in all_cells(SMOKE):
                # tls and ws stand for wss: a second of each Python program is long.
                if not library.has(cell) or (library.name != "zlink" and (cell.get("transport") == "wss" or cell.get("size") != 64)):
                    continue
                with self.subTest(library=library.name, cell=str(cell)):
                    measured = self.programs.measure(library, cell, TIMEOUT_S)
                    self.assertEqual(set(measured), set(cell.metrics))
                    for name, value in measured.items():
                        self.assertGreater(value, 0, name)

    def test_a_key_of_another_certificate_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            strange = Certificate(Path(folder))
            self.programs.certificate.file.write_text(strange.file.read_text(encoding="utf-8"), encoding="utf-8")
            cell = next(cell for cell in all_cells(SMOKE) if cell.get("transport") == "tls")
            with self.assertRaisesRegex(RunFailed, "Key was rejected"):
                self.programs.measure(LIBRARIES[0], cell, TIMEOUT_S)

    def test_wrong_words_are_refused(self):
        for program, words in (("web_zlink", []), ("web_zlink", ["server", "sideways", "ws", "1", "1", "1", "c", "k", "1"]),
                               ("web_zlink", ["server", "up", "ws", "0", "1", "1", "c", "k", "1"]), ("web_idle", ["tls", "0", "sockets"]),
                               ("web_idle", ["tls", "1", "both"]), ("web_bare", ["server", "up", "ws", "1", "1", "1", "c", "k", "1"])):
            done = subprocess.run([FOLDER / program, *words], capture_output=True, text=True, check=False)
            with self.subTest(program=program, words=words):
                self.assertEqual(done.returncode, 1)
                self.assertIn("FAIL: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
