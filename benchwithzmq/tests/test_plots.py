# SPDX-License-Identifier: MPL-2.0
"""Plots are drawn without a warning, also of a matrix with gaps."""

import importlib.util
import tempfile
import unittest
import warnings
from pathlib import Path

from comparison.model import Cell
from comparison.sweep import Sweep
from tests.test_report import example, make_report


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "needs matplotlib")
class Plots(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        caught = warnings.catch_warnings()
        caught.__enter__()
        self.addCleanup(caught.__exit__, None, None, None)
        warnings.simplefilter("error", UserWarning)

    def report(self):
        """Over tls one pattern of three was measured."""
        results = example()
        results.add(Cell("PAIR", "tls", 64), "zlink", {"throughput": 10.0, "latency": 2.0})
        return make_report(results)

    def test_a_transport_with_few_patterns(self):
        from comparison import plots
        names = {path.name for path in plots.draw(self.report(), self.folder, "x")}
        self.assertIn("x-throughput-tls.png", names)
        self.assertIn("x-latency-tcp.png", names)

    def test_a_sweep_with_a_cell_that_failed(self):
        from comparison import plots
        report = self.report()
        report.cells[:] = [Cell("PAIR", "tls", 64), Cell("PAIR", "tls", 1024)]
        sweep = Sweep("io_threads", ("1", "2"))
        names = {path.name for path in plots.draw_sweep(sweep, [report, report], self.folder, "x")}
        self.assertIn("x-sweep-throughput-tls.png", names)


if __name__ == "__main__":
    unittest.main()
