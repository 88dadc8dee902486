#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""What the packages' files promise, as far as it can be seen without building them; make test-install builds and uses them."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "packaging/python"), str(TOP / "tests/install"), str(TOP / "tools")]
import make_site  # noqa: E402
import pages  # noqa: E402
import zlink  # noqa: E402


class Recipes(unittest.TestCase):
    def test_all_name_one_version(self):
        subprocess.run([sys.executable, "-B", TOP / "tools/make_packages.py", "--check"], check=True, stdout=subprocess.DEVNULL)

    def test_the_page_has_a_program_and_commands_for_each_language(self):
        for name, file in (("c", "hello.c"), ("cpp", "hello.cpp"), ("python", "hello.py"), ("node", "hello.mjs"), ("java", "Hello.java"),
                           ("go", "hello.go"), ("rust", "hello.rs")):
            files, commands = pages.steps(name)
            self.assertEqual(list(files), [file])
            self.assertNotRegex(commands, r"(?m)^apt-get", "a reader is not root")
        self.assertIn("make install", pages.steps("source")[1])

    def test_the_korean_page_has_the_same_programs_and_commands(self):
        fences = [re.findall(r"(?m)^```\w+\n(?s:.*?)^```$", (TOP / name).read_text(encoding="utf-8")) for name in ("docs/INSTALL.md", "docs/INSTALL.ko.md")]
        self.assertEqual(*fences)

    def test_the_first_program_of_the_readmes_is_that_of_the_page(self):
        program = pages.steps("cpp")[0]["hello.cpp"]
        for name in ("README.md", "README.ko.md"):
            self.assertIn(program, (TOP / name).read_text(encoding="utf-8"))

    def test_no_debian_package_pulls_the_name_of_libzmq_in(self):
        stanzas = (TOP / "packaging/debian/control").read_text(encoding="utf-8").split("\n\n")
        self.assertIn("Package: libzlink-zmq5-compat", "\n".join(stanzas))
        for stanza in stanzas:
            for line in stanza.splitlines():
                if line.startswith(("Depends:", "Pre-Depends:", "Recommends:", "Suggests:", "Provides:", "Build-Depends:")):
                    self.assertNotIn("zmq", line)


class Site(unittest.TestCase):
    @unittest.skipUnless((TOP / ".git").exists(), "the list of pages is asked of git")
    def test_every_page_is_in_the_navigation_and_every_link_leads_to_something(self):
        with tempfile.TemporaryDirectory() as out:
            subprocess.run([sys.executable, "-B", TOP / "tools/make_site.py", "--out", out, "--stage-only"], check=True)
            navigation = pathlib.Path(out, "mkdocs.yml").read_text(encoding="utf-8").split("\nnav:\n")[1]
            found = sorted(str(page.relative_to(pathlib.Path(out, "pages"))) for page in pathlib.Path(out, "pages").rglob("*.md"))
            self.assertIn("api/counters.md", found)
            self.assertEqual(found, sorted(re.findall(r"[\w./-]+\.md", navigation)))

    def test_a_page_of_an_unknown_folder_and_a_link_to_nothing_are_found(self):
        with self.assertRaises(SystemExit):
            make_site.navigation({"docs/new/a.md": "new/a.md"})
        self.assertEqual(list(make_site.dead_links("docs/a.md", "[a](README.md#x) [b](../CMakeLists.txt) [c](missing.md) [d](https://x.example)")),
                         ["docs/a.md: a link to missing.md, which is not there"])


class WordsOfTheWheel(unittest.TestCase):
    def words(self, *words):
        return [word if word != sys.executable else "PYTHON" for word in zlink.with_interpreter(list(words))]

    def test_a_script_gets_the_interpreter(self):
        script = os.path.relpath(__file__)
        self.assertEqual(self.words("run", script, "a"), ["run", "PYTHON", script, "a"])
        self.assertEqual(self.words("run", "--verbose", "--library", "x", script), ["run", "--verbose", "--library", "x", "PYTHON", script])
        self.assertEqual(self.words("run", "--", script), ["run", "--", "PYTHON", script])

    def test_all_else_stays(self):
        for words in ([], ["info"], ["run"], ["run", "--help"], ["run", "missing.py"], ["run", "sleep", "1"], ["cat", "x.py"]):
            self.assertEqual(self.words(*words), words)


if __name__ == "__main__":
    unittest.main()
