# SPDX-License-Identifier: MPL-2.0
"""Pages are numbered on, say what was measured, and are listed; libraries come from where the sides say."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from comparison.model import Cell, Column, ComparisonError, Settings
from experiments import page, sources
from experiments.intervals import analyse
from experiments.model import Experiment, Side
from experiments.page import Told, append_page, next_number, render, render_index, side_text
from experiments.sources import Sources, applies, built_library, commit, library_of
from experiments.verdict import Verdict

CELL = Cell("PAIR", "tcp", 64)
SAMPLE = {CELL: {"throughput": ([1e6] * 6, [1.1e6] * 6), "latency": ([10.0] * 6, [8.0] * 6)}}
MACHINE = {"identity": "secret", "processor": "a processor", "processors": 2, "memory_mib": 1, "system": "s", "kernel": "k",
           "c_library": "c"}


def told(**changed):
    experiment = Experiment("spin", "it | helps", Side(), Side((("ZLINK_SPIN_US", "5"),), patch=Path("/home/x/a.patch")), (CELL,),
                            6, question="Does it?")
    columns = [Column(name, "peer", Path("/home/x/build/lib.so"), "4.3.5", "ab" * 32) for name in ("baseline", "variant")]
    fields = {"experiment": experiment, "date": "2020-01-02", "machine": MACHINE, "commit": "abc", "settings": Settings(),
              "pinned_to": 1, "columns": columns, "analysis": analyse(SAMPLE, 50), "verdict": Verdict("keep", "it is better"),
              "failures": [], "command": "run it", **changed}
    return Told(**fields)


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "docs"

    def test_a_page_says_all(self):
        text = render(7, told())
        for part in ("# 0007 spin\n", "- Hypothesis: it | helps\n", "- Verdict: **keep**: it is better\n", "- Date: 2020-01-02\n",
                     "Does it?", "- baseline: as it is\n", "- variant: `ZLINK_SPIN_US=5`, the patch `a.patch`\n", "a processor",
                     "commit abc", "sha256 abababababababab", "pinned to one processor", "6 runs of each side",
                     "| PAIR tcp 64 B | throughput | 1 M/s | 1.1 M/s | 1.100 | 1.100 to 1.100 | better |",
                     "| PAIR tcp 64 B | latency | 10 µs | 8 µs | 1.250 | 1.250 to 1.250 | better |",
                     "| **geometric mean**, latency |", "| **geometric mean** |", "Keep only if", "run it"):
            self.assertIn(part, text)

    def test_no_path_or_mark_of_the_machine(self):
        text = render(7, told())
        self.assertNotIn("/home", text)
        self.assertNotIn("secret", text)

    def test_failures_are_told(self):
        failure = {"pattern": "PAIR", "transport": "tcp", "size": 64, "library": "variant", "run": 2, "reason": "hung"}
        self.assertIn("- variant, PAIR tcp 64 B, run 2: hung", render(1, told(failures=[failure])))
        self.assertIn("- Gain: -\n", render(1, told(analysis=analyse({}))))

    def test_numbers_go_on(self):
        first = append_page(self.folder, told())
        second = append_page(self.folder, told())
        self.assertEqual([first.name, second.name], ["0001-spin.md", "0002-spin.md"])
        (self.folder / "0041-older.md").write_text("# 0041 older\n", encoding="utf-8")
        (self.folder / "9999.md").touch()
        self.assertEqual(next_number(self.folder), 42)

    def test_the_index_lists_every_page(self):
        append_page(self.folder, told())
        append_page(self.folder, told(verdict=Verdict("drop", "it is worse")))
        text = (self.folder / page.INDEX).read_text(encoding="utf-8")
        self.assertIn("| [0001 spin](0001-spin.md) | it \\| helps | **keep**: it is better | 1.173 (1.173 to 1.173) | 2020-01-02 |", text)
        self.assertIn("| [0002 spin](0002-spin.md) | it \\| helps | **drop**: it is worse |", text)

    def test_an_index_without_pages(self):
        self.assertIn("None yet.", render_index({}))

    def test_sides(self):
        self.assertEqual(side_text(Side(options=("ZLINK_NATIVE=ON",))), "`-DZLINK_NATIVE=ON`")
        self.assertEqual(side_text(Side(library=Path("/x/liba.so"))), "another library file, `liba.so`")


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
        self.git("add", ".")
        self.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "first")
        self.patch = self.make_patch("two.patch", "two\n")
        self.sources = Sources(self.repository, self.top / "work", lambda line: None)
        self.addCleanup(self.sources.close)

    def git(self, *words):
        return subprocess.run(["git", *words], cwd=self.repository, capture_output=True, text=True, check=True).stdout

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
        self.assertEqual(applies(self.repository, self.patch), "")
        self.file.write_text("other\n", encoding="utf-8")
        self.assertIn("a.txt", applies(self.repository, self.patch))
        self.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-a", "-m", "second")
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
        self.assertEqual(commit(self.repository), (self.git("rev-parse", "--short=12", "HEAD").strip(), False))
        self.file.write_text("changed\n", encoding="utf-8")
        self.assertTrue(commit(self.repository)[1])

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
