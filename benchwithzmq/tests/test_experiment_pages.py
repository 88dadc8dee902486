# SPDX-License-Identifier: MPL-2.0
"""Pages say what was measured and are listed; libraries come from where the sides say; git tells what is stale."""

import dataclasses
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from comparison.model import Cell, Column, ComparisonError, Results, Settings
from comparison.options import REPOSITORY
from experiments import index, questions, sources
from experiments.intervals import analyse, sample_of
from experiments.model import Experiment, Side
from experiments.page import Told, render, side_text, write_page
from experiments.sources import Sources, applies, built_library, changed, commit_text, inherited_options, library_of, staleness
from experiments.verdict import Verdict, agreement_text

CELL = Cell("PAIR", "tcp", 64)
MACHINE = {"identity": "secret", "processor": "a processor", "processors": 2, "memory_mib": 1, "system": "s", "kernel": "k",
           "c_library": "c"}


def results(sides=(("baseline", 1.0), ("variant", 1.25), ("libzmq", 0.5))):
    made = Results()
    for name, factor in sides:
        for _ in range(3):
            made.add(CELL, name, {"throughput": 1e6 * factor, "latency": 10.0 / factor})
    return made


def told(**changed):
    experiment = Experiment("spin", "it | helps", Side(), changed.pop("variant", Side((("ZLINK_SPIN_US", "5"),), patch=Path("/home/x/a.patch"))),
                            (CELL,), 3, question="Does it?", why_not="of this", standing=True)
    measured = changed.pop("results", results())
    columns = [Column(name, "peer", Path("/home/x/build/lib.so"), "4.3.5", "ab" * 32)
               for name in measured.values.get(CELL, {"baseline": 1, "variant": 1})]
    fields = {"experiment": experiment, "date": "2020-01-02", "machine": MACHINE, "commit": "abc of 2020-01-01", "stale": "no",
              "settings": Settings(), "pinned_to": 1, "columns": columns, "results": measured,
              "analysis": analyse(sample_of(experiment, measured)), "verdict": Verdict("keep", "it is better"), "command": "run it",
              **changed}
    return Told(**fields)


class Pages(unittest.TestCase):
    def test_a_page_says_all(self):
        text = render(told())
        for part in ("# spin\n", "- Hypothesis: it | helps\n", "- Verdict: **keep**: it is better\n", "- Measured: 2020-01-02, 3 runs\n",
                     "- Commit: abc of 2020-01-01\n", "- Stale: no\n", "- Engine: does without it nevertheless: of this\n",
                     "Does it?", "- baseline: as it is\n", "- variant: `ZLINK_SPIN_US=5`, the patch `a.patch`\n", "a processor",
                     "sha256 abababababababab", "pinned to one processor", "- 3 runs; ", "| libzmq | variant / libzmq |",
                     "| PAIR tcp 64 B | throughput | 1 M/s | 1.25 M/s | 1.250 | 1.250 to 1.250 | better | 500 k/s | 2.50 |",
                     "| PAIR tcp 64 B | latency | 10 µs | 8 µs | 1.250 | 1.250 to 1.250 | better | 20 µs | 2.50 |",
                     "| **geometric mean**, latency |", "| **geometric mean** |", "- **keep**: the 95 %", "run it"):
            self.assertIn(part, text)

    def test_libzmq_has_two_columns_where_it_gets_the_settings(self):
        sides = (("baseline", 1.0), ("variant", 1.25), ("libzmq", 0.5), ("libzmq-variant", 1.0))
        text = render(told(results=results(sides), variant=Side((("BENCH_SNDBUF", "5"),))))
        self.assertIn("- libzmq gets the settings of the baseline, libzmq-variant those of the variant\n", text)
        self.assertIn("| 1.250 | 1.250 to 1.250 | better | 500 k/s | 1 M/s | 1.25 |", text)

    def test_all_rows_of_a_table_are_equally_long(self):
        for sides in ((("baseline", 1.0), ("variant", 1.25)), (("baseline", 1.0), ("variant", 1.25), ("libzmq", 1.0))):
            lines = [line for line in render(told(results=results(sides))).splitlines() if line.startswith("| ")]
            self.assertEqual(len({line.count("|") for line in lines}), 1)

    def test_no_path_or_mark_of_the_machine(self):
        text = render(told())
        self.assertNotIn("/home", text)
        self.assertNotIn("secret", text)

    def test_failures_are_told(self):
        failed = results()
        failed.fail(CELL, "libzmq", 2, "hung")
        text = render(told(results=failed))
        self.assertIn("- libzmq, PAIR tcp 64 B, run 2: hung", text)
        self.assertIn("| better | - | - |", text)
        self.assertIn("- Gain: -\n", render(told(results=Results())))

    def test_sides(self):
        self.assertEqual(side_text(Side(options=("ZLINK_NATIVE=ON",))), "`-DZLINK_NATIVE=ON`")
        self.assertEqual(side_text(Side(library=Path("/x/liba.so"))), "another library file, `liba.so`")


class Index(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)
        self.folder = self.top / "docs"
        self.experiment = told().experiment

    def text(self, *experiments):
        index.write_index(self.folder, experiments or [self.experiment], self.top)
        return (self.folder / index.INDEX).read_text(encoding="utf-8")

    def test_a_page_replaces_the_one_before(self):
        for word in ("keep", "drop"):
            self.assertEqual(write_page(self.folder, told(verdict=Verdict(word, "so"))).name, "spin.md")
        self.assertEqual([path.name for path in index.pages(self.folder)], ["spin.md"])
        self.assertIn("| [spin](spin.md) | **drop**: so | 1.250 (1.250 to 1.250) | does without it, as the verdict says | 2020-01-02, 3 runs | "
                      "abc of 2020-01-01 | unknown", self.text())

    def test_a_question_without_a_page_is_listed(self):
        self.assertIn("| spin | not measured yet |", self.text())

    def test_what_changes_without_a_measurement_is_brought_up_to_date(self):
        path = write_page(self.folder, told())
        text = self.text(dataclasses.replace(self.experiment, why_not="of | that"))
        self.assertIn("nevertheless: of \\| that | 2020", text)
        page = path.read_text(encoding="utf-8")
        self.assertIn("- Engine: does without it nevertheless: of | that\n", page)
        self.assertIn("- Stale: unknown", page)

    def test_a_verdict_that_the_engine_does_not_follow_needs_a_reason(self):
        write_page(self.folder, told())
        self.assertEqual(index.problems(self.folder, [self.experiment]), [])
        silent = dataclasses.replace(self.experiment, why_not="")
        self.assertIn("why_not for spin", index.problems(self.folder, [silent])[0])
        write_page(self.folder, told(verdict=Verdict("drop", "it is worse")))
        self.assertEqual(index.problems(self.folder, [silent]), [])

    def test_a_page_without_a_question_is_a_problem(self):
        write_page(self.folder, told())
        self.assertEqual(index.problems(self.folder, []), ["spin.md: no question has this name"])


class CommittedPages(unittest.TestCase):
    FOLDER = REPOSITORY / "docs" / "experiments"

    def test_they_are_in_order(self):
        self.assertEqual(index.problems(self.FOLDER, questions.load()), [])

    def test_the_index_lists_them_as_they_are(self):
        text = (self.FOLDER / index.INDEX).read_text(encoding="utf-8")
        for experiment in questions.load():
            path = index.page_of(self.FOLDER, experiment)
            with self.subTest(name=experiment.name):
                if path.is_file():
                    page = path.read_text(encoding="utf-8")
                    fields = " | ".join(index.field(page, name) for name in ("Verdict", "Gain", "Engine", "Measured", "Commit", "Stale"))
                    self.assertIn(f"| [{experiment.name}]({path.name}) | {fields} |", text)
                    self.assertIn(agreement_text(experiment, index.verdict_word(page)), page)
                else:
                    self.assertIn(f"| {experiment.name} | not measured yet |", text)


@unittest.skipUnless(shutil.which("git"), "git is not installed")
class Libraries(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve()
        self.repository = self.top / "repository"
        (self.repository / "src").mkdir(parents=True)
        self.file = self.repository / "src" / "a.txt"
        self.file.write_text("one\n", encoding="utf-8")
        self.git("init", "-q")
        self.commit_all()
        self.patch = self.make_patch("two.patch", "two\n")
        self.sources = Sources(self.repository, self.top / "work", lambda line: None)
        self.addCleanup(self.sources.close)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.repository, capture_output=True, text=True, check=True).stdout

    def commit_all(self):
        self.git("add", ".")
        self.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "a change")

    def make_patch(self, name, text):
        self.file.write_text(text, encoding="utf-8")
        (self.top / name).write_text(self.git("diff"), encoding="utf-8")
        self.git("checkout", "-q", "--", "src")
        return self.top / name

    def fake_compile(self, made, options):
        """The 'library' is the source, so that it shows what was compiled."""
        built = made.folder / "built.so"
        text = (made.tree / "src" / "a.txt").read_text(encoding="utf-8")
        built.write_text(text + " ".join(options), encoding="utf-8")
        return built

    def content(self, patch, options=()):
        with mock.patch.object(Sources, "compile", lambda made, options: self.fake_compile(made, options)):
            return self.sources.library(patch, options).read_text(encoding="utf-8")

    def test_a_patch_is_compiled_in_a_tree_of_its_own_and_taken_back(self):
        self.file.write_text("not committed\n", encoding="utf-8")
        self.assertEqual([self.content(self.patch), self.content(None), self.content(self.patch)], ["two\n", "one\n", "two\n"])
        self.assertEqual(self.content(None, ("A=1",)), "one\nA=1")
        self.assertEqual(self.file.read_text(encoding="utf-8"), "not committed\n")
        self.sources.close()
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)

    def test_a_patch_that_does_not_fit_is_said_and_harms_nothing(self):
        self.file.write_text("other\n", encoding="utf-8")
        self.assertEqual(applies(self.repository, self.patch), "")  # the last commit counts
        self.commit_all()
        self.assertIn("a.txt", applies(self.repository, self.patch))
        with self.assertRaisesRegex(ComparisonError, "two.patch does not fit"):
            self.content(self.patch)
        self.assertEqual(self.content(None), "other\n")

    def test_a_failed_build_takes_the_patch_back(self):
        with mock.patch.object(Sources, "compile", side_effect=ComparisonError("building")), self.assertRaises(ComparisonError):
            self.sources.library(self.patch, ())
        self.assertEqual(self.content(None), "one\n")

    def test_the_tree_of_an_interrupted_run_is_replaced(self):
        self.content(None)
        self.sources.open = False  # as if another process had left it
        self.sources.made.clear()
        self.assertEqual(self.content(None), "one\n")

    def test_commit_and_changes(self):
        self.assertRegex(commit_text(self.repository), r"^[0-9a-f]{12} of \d{4}-\d\d-\d\d$")
        self.assertFalse(changed(self.repository))
        self.file.write_text("changed\n", encoding="utf-8")
        self.assertTrue(changed(self.repository))

    def test_a_page_is_stale_once_the_sources_changed(self):
        measured = commit_text(self.repository)
        (self.repository / "docs.md").write_text("new\n", encoding="utf-8")
        self.commit_all()
        self.assertEqual(staleness(self.repository, measured), "no")
        self.assertTrue(staleness(self.repository, f"{measured} {sources.NOT_COMMITTED}").startswith("yes"))
        self.file.write_text("changed\n", encoding="utf-8")
        self.assertTrue(staleness(self.repository, measured).startswith("yes"))
        self.commit_all()
        self.assertTrue(staleness(self.repository, measured).startswith("yes"))
        self.assertEqual(staleness(self.repository, commit_text(self.repository)), "no")

    def test_what_cannot_be_known_is_said(self):
        self.assertTrue(staleness(self.repository, "0123456789ab of 2020-01-01").startswith("unknown"))
        self.assertTrue(staleness(self.top, commit_text(self.repository)).startswith("unknown"))
        self.assertEqual(commit_text(self.top), sources.UNKNOWN)
        self.assertTrue(applies(self.top, self.patch).startswith("unknown"))

    def test_libraries_are_built_with_the_options_of_the_build_beside_them(self):
        (self.top / "CMakeCache.txt").write_text("ZLINK_LTO:BOOL=OFF\nZLINK_TIDY:STRING=x\nZLINK_BUILD_BENCH:BOOL=ON\n", encoding="utf-8")
        self.assertEqual(inherited_options(self.top), ("ZLINK_LTO=OFF",))
        self.assertEqual(inherited_options(self.repository), ())

    def test_where_a_library_comes_from(self):
        base, given = Path("/base.so"), Path("/given.so")
        asked = []
        made = mock.Mock(library=lambda patch, options: asked.append((patch, options)) or Path("/built.so"))
        plain, patched = Side(), Side(patch=self.patch)
        self.assertEqual(library_of(plain, Side((("ZLINK_SPIN_US", "1"),)), base, made), base)
        self.assertEqual(library_of(Side(library=given), plain, base, made), given)
        self.assertEqual(asked, [])
        self.assertEqual(library_of(plain, patched, base, made), Path("/built.so"))
        self.assertEqual(library_of(patched, plain, base, made), Path("/built.so"))
        self.assertEqual(asked, [(None, ()), (self.patch, ())])

    def test_the_library_of_a_build_directory(self):
        with self.assertRaises(ComparisonError):
            built_library(self.top)
        (self.top / "src").mkdir()
        (self.top / "src" / "libzlink.so.1").touch()
        (self.top / "src" / sources.LIBRARY).symlink_to("libzlink.so.1")
        self.assertEqual(built_library(self.top), self.top / "src" / "libzlink.so.1")


if __name__ == "__main__":
    unittest.main()
