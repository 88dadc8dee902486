#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""tools/make_release.py in a small repository: it tags what can be released, and names what is in the way."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tools")]
from make_packages import VERSIONS, version_of_tree  # noqa: E402

VERSION = version_of_tree()
CHANGES = """# Changes

About this page.

## {version}, {date}

- The first change.

### Of the headers

- The second change.

## 0.0.1, 2020-01-01

- An old change.
"""


class Release(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.top = pathlib.Path(place.name)
        for name in (*VERSIONS, "tools/make_packages.py", "tools/make_release.py"):
            (self.top / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(TOP / name, self.top / name)
        self.git("init", "--quiet")
        self.changelog()

    def git(self, *arguments):
        people = {f"GIT_{who}_{what}": "test@example.invalid" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        environment = {**os.environ, **people, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(["git", *arguments], cwd=self.top, env=environment, text=True, capture_output=True, check=True).stdout

    def changelog(self, version=VERSION, date="2026-01-02"):
        (self.top / "CHANGELOG.md").write_text(CHANGES.format(version=version, date=date), encoding="utf-8")
        self.commit()

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a change")

    def release(self, *arguments):
        environment = {**os.environ, "GIT_COMMITTER_NAME": "test", "GIT_COMMITTER_EMAIL": "test@example.invalid",
                       "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run([sys.executable, "-B", self.top / "tools/make_release.py", *arguments], env=environment, text=True,
                              capture_output=True, check=False)

    def refused(self, why):
        for arguments in (["--check"], ["--unsigned"]):
            done = self.release(*arguments)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(why, done.stderr)
        self.assertNotIn(f"v{VERSION}", self.git("tag").split())

    def test_tags_the_commit_with_its_part_of_the_changelog(self):
        self.assertEqual(self.release("--check").returncode, 0)
        self.assertEqual(self.git("tag"), "")
        done = self.release("--unsigned")
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = f"zlink {VERSION}\n\n- The first change.\n\n### Of the headers\n\n- The second change.\n"
        self.assertEqual(self.git("for-each-ref", "--format=%(contents)", f"refs/tags/v{VERSION}").strip(), wanted.strip())
        self.assertEqual(self.git("rev-parse", f"v{VERSION}^{{commit}}"), self.git("rev-parse", "HEAD"))
        self.assertEqual(self.release("--notes").stdout, wanted)

    def test_refuses_a_tag_that_is_there(self):
        self.assertEqual(self.release("--unsigned").returncode, 0)
        done = self.release("--unsigned")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("is there already", done.stderr)

    def test_refuses_changes_that_are_not_committed(self):
        (self.top / "new.txt").write_text("new\n")
        self.refused("not committed")

    def test_refuses_a_changelog_without_a_date(self):
        self.changelog(date="unreleased")
        self.refused("has no date")

    def test_refuses_a_date_that_is_to_come(self):
        self.changelog(date="9999-12-31")
        self.refused("is to come")

    def test_refuses_a_changelog_of_another_version(self):
        self.changelog(version="99.0.0")
        self.refused("begins with version 99.0.0")

    def test_refuses_files_that_name_different_versions(self):
        place = self.top / "CMakeLists.txt"
        place.write_text(re.sub(r"(project\(zlink VERSION) [\d.]+", r"\1 99.0.0", place.read_text()))
        self.commit()
        self.refused("different versions")

    def test_refuses_a_version_below_a_tag(self):
        self.git("tag", "v99.0.0")
        self.refused("has a tag already")

    def test_signs_unless_told_otherwise(self):
        self.git("config", "gpg.program", "false")
        done = self.release()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("git made no tag", done.stderr)
        self.assertEqual(self.git("tag"), "")


if __name__ == "__main__":
    unittest.main()
