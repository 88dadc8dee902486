# SPDX-License-Identifier: MPL-2.0
"""The page about performance tells what the results say, above all where zlink is behind, and names no place on a disk."""

import tempfile
import unittest
from pathlib import Path

from comparison import report as comparison
from comparison.model import Column
from performance.main import main
from performance.page import Part, behind, to_markdown
from scale import report as scale
from scale.model import Results
from tests import test_report, test_scale


def contents(report):
    return (report.cells, report.columns, report.settings, report.runs, report.pinned_to, report.results.values,
            report.results.failures)


class Reading(unittest.TestCase):
    def test_a_comparison_is_read_as_it_was_written(self):
        told = test_report.make_report(test_report.example())
        told.results.fail(test_report.SMALL, "zlink", 3, "hung")
        self.assertEqual(contents(comparison.from_json(comparison.to_json(told))), contents(told))

    def test_a_scale_run_is_read_as_it_was_written(self):
        results = Results()
        results.add(test_scale.FAN, "zlink", {"messages_per_s": 2.0})
        results.add(test_scale.FAN, "libzmq", {"messages_per_s": 1.0})
        told = test_scale.make_report(results)
        again = scale.from_json(scale.to_json(told))
        self.assertEqual((again.cells, again.columns, again.effort), (told.cells, told.columns, told.effort))
        self.assertEqual(again.results.spread(test_scale.FAN, "zlink", "messages_per_s").median, 2.0)

    def test_what_is_no_result_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "comparison.json").write_text("{}", encoding="utf-8")
            self.assertEqual(main(["--comparison", f"t={folder}", "--output", f"{folder}/page.md"]), 2)
            self.assertFalse((Path(folder) / "page.md").exists())


class Page(unittest.TestCase):
    def setUp(self):
        self.report = test_report.make_report(test_report.example())
        self.report.columns[0].file = Path("/somewhere/of/mine/libzlink.so")

    def test_where_zlink_is_behind_is_listed(self):
        found = {(row.cell, row.metric) for row in behind(self.report)}
        self.assertEqual(found, {(test_report.MIDDLE, "throughput")})
        text = to_markdown([Part("One processor", self.report, [Path("plot.png")])], None, "pictures")
        self.assertIn("| PAIR tcp 4 KiB | throughput | libzmq | 0.01 | no |", text)
        self.assertIn("pictures/plot.png", text)
        self.assertNotIn("/somewhere", text)

    def test_a_peer_that_is_ahead_is_listed(self):
        self.report.columns.append(Column("other", "peer"))
        self.report.results.add(test_report.SMALL, "other", {"throughput": 900.0, "latency": 9.0, "latency_p99": 18.0})
        found = [row for row in behind(self.report) if row.other == "other"]
        self.assertEqual([(row.cell, row.metric, row.overlaps) for row in found], [(test_report.SMALL, "throughput", True)])


if __name__ == "__main__":
    unittest.main()
