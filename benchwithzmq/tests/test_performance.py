# SPDX-License-Identifier: MPL-2.0
"""The pages tell what the stored series say, above all where zlink is behind, and a changed number is found."""

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from comparison import report as comparison
from comparison.model import PROCESSOR_TIME, Cell, Column, ComparisonError
from comparison.programs import RunFailed
from performance import newcomer, page, pages, series
from performance.costs import add_cost
from performance.main import main
from performance.measure import scale_command
from performance.parts import PARTS, SCALE_MINUTES, estimated_minutes, named_peers
from performance.readme import BEGIN, END, LANGUAGES
from performance.values import behind, compared, measured
from scale import report as scale
from scale.model import Results
from tests import test_report, test_scale

STREAM = Cell("PUSHPULL", "tcp", 64)
TRIP = Cell("REQREP", "tcp", 64)


def comparison_results():
    results = test_report.example()
    for name, rate in (("zlink", 9e6), ("libzmq", 1e6), ("limit", 8e6)):
        for run in (0.9, 1.0, 1.3):
            results.add(STREAM, name, {"throughput": rate * run})
    report = test_report.make_report(results)
    report.started = "2026-01-02 03:04 UTC"
    report.columns[0].file = Path("/somewhere/of/mine/libzlink.so")
    report.syscalls = [{"pattern": "PUSHPULL", "transport": "tcp", "size": 64, "library": "zlink", "total": 0.0123456,
                        "calls": {"sendto": 0.01}}]
    return report


def scale_results():
    results = Results()
    results.add(test_scale.FAN, "zlink", {"messages_per_s": 2.0})
    results.add(test_scale.FAN, "libzmq", {"messages_per_s": 1.0})
    return test_scale.make_report(results)


def write_results(folder, report):
    for key in PARTS:
        (folder / key).mkdir(parents=True)
        (folder / key / "comparison.json").write_text(comparison.to_json(report), encoding="utf-8")
    (folder / "scale").mkdir()
    (folder / "scale" / "scale.json").write_text(scale.to_json(scale_results()), encoding="utf-8")


class Tree(unittest.TestCase):
    """A tree with READMEs, the results of one measurement, and nothing stored yet."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root, self.results = Path(folder.name) / "root", Path(folder.name) / "results"
        self.root.mkdir()
        for name in LANGUAGES:
            (self.root / name).write_text(f"before\n{BEGIN}\nold 1.23\n{END}\nafter\n", encoding="utf-8")
        self.report = comparison_results()

    def store(self, number=1):
        if not self.results.is_dir():
            write_results(self.results, self.report)
        series.store(self.root, number, self.results, "abc123")
        picture = pages.pictures_folder(self.root) / newcomer.picture(series.load_all(self.root)[-1])
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.touch()
        pages.write(self.root, series.load_all(self.root))

    def check(self):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = main(["--check", "--root", str(self.root)])
        return status, said.getvalue()

    def change(self, name, before, after):
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(before, text)
        path.write_text(text.replace(before, after, 1), encoding="utf-8")


class Check(Tree):
    def test_nothing_stored_is_nothing_to_check(self):
        self.assertEqual(self.check(), (0, "performance: no stored series, nothing to check\n"))

    def test_written_pages_are_right(self):
        self.store()
        self.assertEqual(self.check(), (0, "performance: 1 stored series, 0 problems\n"))
        self.store(2)
        self.assertEqual(self.check(), (0, "performance: 2 stored series, 0 problems\n"))

    def test_a_changed_number_is_found_in_every_kind_of_file(self):
        cells = "docs/performance/one-processor/pushpull.md"
        for name in ("README.md", "README.ko.md", "docs/PERFORMANCE.md", cells):
            with self.subTest(name=name):
                self.store()
                self.change(name, "9 M", "9.5 M")
                status, said = self.check()
                self.assertEqual(status, 1)
                self.assertIn(f"{name}:", said)

    def test_a_changed_series_is_found(self):
        self.store()
        self.change("docs/performance/series-1.json", "9000000", "9100000")
        self.assertEqual(self.check()[0], 1)

    def test_a_page_without_cells_and_a_missing_picture_are_found(self):
        self.store()
        (self.root / "docs/performance/one-processor/other.md").write_text("5 M\n", encoding="utf-8")
        next(pages.pictures_folder(self.root).glob("*.png")).unlink()
        status, said = self.check()
        self.assertEqual(status, 1)
        self.assertIn("other.md: no stored series has these cells", said)
        self.assertIn("series-1.png is missing", said)

    def test_a_series_that_is_none_is_told(self):
        self.store()
        (self.root / "docs/performance/series-1.json").write_text("{}", encoding="utf-8")
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(main(["--check", "--root", str(self.root)]), 2)


class Stored(Tree):
    def test_a_series_holds_least_median_and_greatest(self):
        self.report.results.values[STREAM]["zlink"]["throughput"] = [5.0, 1.0, 3.00004, 2.0, 4.0]
        self.store()
        found = series.load_all(self.root)[0].parts["one-processor"]
        self.assertEqual(found.results.get(STREAM, "zlink", "throughput"), [1, 3, 5])
        self.assertEqual(found.results.get(test_report.SMALL, "libzmq", "throughput"), [50, 100, 150])

    def test_a_series_names_no_place_on_a_disk(self):
        self.report.results.fail(test_report.SMALL, "limit", 1, "it loaded /somewhere/of/mine/lib.so instead")
        self.store()
        for path in self.root.rglob("*.*"):
            self.assertNotIn("somewhere", path.read_text(encoding="utf-8"))
        self.assertIn("it loaded lib.so instead", (self.root / "docs/PERFORMANCE.md").read_text(encoding="utf-8"))

    def test_an_interrupted_measurement_is_refused(self):
        self.report.interrupted = True
        with self.assertRaisesRegex(ComparisonError, "interrupted"):
            self.store()

    def test_a_missing_part_is_refused(self):
        write_results(self.results, self.report)
        (self.results / "one-processor" / "comparison.json").unlink()
        with self.assertRaisesRegex(ComparisonError, "holds no comparison.json"):
            self.store()

    def test_the_older_series_is_replaced(self):
        self.assertEqual(series.next_number(self.root), 1)
        self.store(1)
        self.assertEqual(series.next_number(self.root), 2)
        self.store(2)
        self.change("docs/performance/series-1.json", '"started":"2026-01-02', '"started":"2026-01-09')
        self.assertEqual(series.next_number(self.root), 2)


class Page(Tree):
    def text(self, name="docs/PERFORMANCE.md"):
        return (self.root / name).read_text(encoding="utf-8")

    def test_both_series_stand_side_by_side(self):
        self.store(1)
        self.report.results.values[STREAM]["zlink"]["throughput"] = [2e6] * 3
        for path in self.results.rglob("comparison.json"):
            path.write_text(comparison.to_json(self.report), encoding="utf-8")
        self.store(2)
        cells = self.text("docs/performance/one-processor/pushpull.md")
        self.assertIn("| tcp 64 B | 1 | 9 M ±20% | 1 M ±20% | 8 M ±20% | 9.00 | 1.12 |", cells)
        self.assertIn("| tcp 64 B | 2 | 2 M | 1 M ±20% | 8 M ±20% | 2.00 | 0.25 |", cells)
        self.assertIn("| messages/s, tcp, 64 B | 9 M / 2 M | 1 M / 1 M | 8 M / 8 M |", self.text("README.md"))
        self.assertIn("| 초당 메시지, tcp, 64 B | 9 M / 2 M | 1 M / 1 M | 8 M / 8 M |", self.text("README.ko.md"))

    def test_a_round_trip_is_twice_the_latency(self):
        self.store()
        self.assertIn("| round trip, tcp, 64 B, p50 | 1 | 10 µs ±0% | 20 µs ±0% | 2 µs ±0% |", self.text())
        self.assertIn("| round trip, tcp, 64 B, p99 | 1 | 20 µs ±0% | 40 µs ±0% | 4 µs ±0% |", self.text())

    def test_costs_have_a_table(self):
        self.store()
        cells = self.text("docs/performance/one-processor/pushpull.md")
        self.assertIn("## System calls per message", cells)
        self.assertIn("| tcp 64 B | 1 | 0.0123 | - | - | - | - |", cells)
        self.assertNotIn("## Latency", cells)

    def test_a_failed_cell_has_no_number(self):
        self.report.results.fail(STREAM, "libzmq", 2, "hung")
        self.store()
        self.assertIn("| tcp 64 B | 1 | 9 M ±20% | failed | 8 M ±20% | - | 1.12 |",
                      self.text("docs/performance/one-processor/pushpull.md"))
        self.assertIn("- Series 1, one-processor: libzmq, PUSHPULL tcp 64 B, run 2: hung", self.text())

    def test_the_readme_keeps_everything_else(self):
        self.store()
        self.assertTrue(self.text("README.md").startswith(f"before\n{BEGIN}\n"))
        self.assertTrue(self.text("README.md").endswith(f"{END}\nafter\n"))
        self.assertNotIn("1.23", self.text("README.md"))

    def test_a_readme_without_markers_is_told(self):
        (self.root / "README.md").write_text("nothing\n", encoding="utf-8")
        with self.assertRaisesRegex(ComparisonError, "README.md lacks the lines"):
            self.store()

    def test_where_zlink_is_behind_is_listed(self):
        self.store()
        found = {(row.cell, row.metric) for row in behind(self.report)}
        self.assertEqual(found, {(test_report.MIDDLE, "throughput")})
        self.assertIn("| one-processor | PAIR tcp 4 KiB | throughput | libzmq | 0.01 |", self.text())
        values = len(list(compared(self.report)))
        self.assertIn(f"- Series 1: {len(PARTS)} of {values * len(PARTS)} values.", self.text())
        self.assertIn(f"behind libzmq in {len(PARTS)} of {values * len(PARTS)} values of series 1.", self.text("README.md"))

    def test_a_peer_that_is_ahead_is_listed(self):
        self.report.columns.append(Column("other", "peer"))
        self.report.results.add(test_report.SMALL, "other", {"throughput": 900.0, "latency": 9.0, "latency_p99": 18.0})
        self.store()
        self.assertIn("| one-processor | PAIR tcp 64 B | throughput | other | 0.89* |", self.text())

    def test_values_that_scatter_are_counted(self):
        self.store()
        self.assertIn("| one-processor | 1 | zlink ±0%, 5 of 16; ", self.text())

    def test_pictures_of_the_newest_series_are_shown(self):
        self.store()
        text = page.to_markdown(series.load_all(self.root), lambda start: [f"{start}plot.png"])
        self.assertIn("![Two threads, one processor: plot](pictures/performance-one-processor-plot.png)", text)


class Costs(unittest.TestCase):
    def test_a_failure_leaves_out_its_value_only(self):
        report = comparison_results()
        with mock.patch("comparison.cost.processor_time", side_effect=RunFailed("too short")), \
                mock.patch("comparison.syscalls.count", return_value={"sendto": 0.5, "recvfrom": 0.25}):
            told = add_cost(report, None, STREAM, Column("libzmq", "libzmq"))
        self.assertEqual(told, "FAILED (too short), 0.75 calls")
        self.assertEqual(measured(report, STREAM, "libzmq", "system_calls").median, 0.75)
        self.assertIsNone(measured(report, STREAM, "libzmq", PROCESSOR_TIME))
        self.assertEqual(measured(report, STREAM, "libzmq", "throughput").median, 1e6)

    def test_processor_time_is_a_value_of_the_cell(self):
        report = comparison_results()
        with mock.patch("comparison.cost.processor_time", return_value={PROCESSOR_TIME: 1.5}), \
                mock.patch("comparison.syscalls.count", return_value={}):
            add_cost(report, None, STREAM, Column("zlink", "zlink"))
        self.assertEqual(measured(report, STREAM, "zlink", PROCESSOR_TIME).median, 1.5)


class Table(unittest.TestCase):
    def test_every_part_can_be_measured(self):
        for part in PARTS.values():
            self.assertTrue(part.plan([], trial=False).cells(), part.key)

    def test_a_series_takes_less_than_three_quarters_of_an_hour(self):
        minutes = SCALE_MINUTES + sum(estimated_minutes(part, [], trial=False) for part in PARTS.values())
        self.assertLess(minutes, 45)

    def test_a_trial_is_short_and_not_for_the_repository(self):
        self.assertLess(sum(estimated_minutes(part, [], trial=True) for part in PARTS.values()), 10)
        self.assertIn("--quick", scale_command(trial=True))
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(main(["--measure", "--trial"]), 2)

    def test_a_peer_that_is_no_file_is_refused(self):
        with self.assertRaisesRegex(ComparisonError, "there is no file"):
            named_peers(["other=/nowhere.so"])


class Reading(unittest.TestCase):
    def test_a_comparison_is_read_as_it_was_written(self):
        told = comparison_results()
        told.results.fail(test_report.SMALL, "zlink", 3, "hung")
        self.assertEqual(json.loads(comparison.to_json(comparison.from_json(comparison.to_json(told)))),
                         json.loads(comparison.to_json(told)))

    def test_a_scale_run_is_read_as_it_was_written(self):
        told = scale_results()
        again = scale.from_json(scale.to_json(told))
        self.assertEqual((again.cells, again.columns, again.effort), (told.cells, told.columns, told.effort))
        self.assertEqual(again.results.spread(test_scale.FAN, "zlink", "messages_per_s").median, 2.0)


if __name__ == "__main__":
    unittest.main()
