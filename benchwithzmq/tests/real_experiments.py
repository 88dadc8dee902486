# SPDX-License-Identifier: MPL-2.0
"""The commands that pages give for measuring again, run by a shell with few and short runs. ZLINK_BENCH_PROGRAMS names the programs' folder.

Not found by discovery, because it needs a build; CMake registers it as bench.experiments and bench.experiment_patch.
"""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from comparison.options import REPOSITORY
from experiments import index, questions, sources

BUILD = Path(os.environ["ZLINK_BENCH_PROGRAMS"]).parent
PAGES = REPOSITORY / "docs" / "experiments"
SMALL = "--runs 3 --cells dealer_router:tcp:1024,first_message:tcp:64"


def command_of(page):
    """The last block of code of a page."""
    return page.read_text(encoding="utf-8").rpartition("```\n")[0].rpartition("```\n")[2].strip()


class Again(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_again(self, command, name):
        """Returns the page that the command wrote."""
        line = f"{command} --build-dir '{BUILD}' --reuse-build --out '{self.folder}'"
        environment = {**os.environ, "BENCH_RUN_MS": "10"}
        done = subprocess.run(["bash", "-c", line], cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return self.folder / f"{name}.md"

    def check(self, page, name):
        text = page.read_text(encoding="utf-8")
        self.assertRegex(text, r"\| FIRST_MESSAGE tcp 64 B \| latency \| [0-9.]+ µs \| [0-9.]+ µs \| [0-9.]+ \| .* \| [0-9.]+ µs \| [0-9.]+ \|")
        self.assertIn(", 3 runs\n", index.field(text, "Measured") + "\n")
        self.assertNotIn("## Failures", text)
        self.assertIn(f"# {name}\n", text)


class Environment(Again):
    def test_of_a_page_that_is_there_and_of_the_page_that_it_wrote(self):
        first = self.run_again(f"{command_of(PAGES / 'tcp-nodelay.md')} {SMALL}", "tcp-nodelay")
        self.check(first, "tcp-nodelay")
        self.assertIn("[tcp-nodelay](tcp-nodelay.md)", (self.folder / index.INDEX).read_text(encoding="utf-8"))
        command = command_of(first)
        first.unlink()
        self.check(self.run_again(command, "tcp-nodelay"), "tcp-nodelay")

    def test_of_an_experiment_of_ones_own(self):
        first = self.run_again(f"benchwithzmq/run_experiment.py own --hypothesis \"it's quick\" --env BENCH_SNDBUF=65536 {SMALL}", "own")
        command = command_of(first)
        first.unlink()
        again = self.run_again(command, "own")
        self.check(again, "own")
        self.assertEqual(command_of(again), command)
        self.assertFalse((self.folder / index.INDEX).exists())


@unittest.skipUnless(sources.has_history(REPOSITORY), "a source archive has no history to patch")
class Patch(Again):
    def test_a_patch_is_built_and_measured(self):
        patched = next(one for one in questions.load() if one.name == "idle-back-off")
        self.assertIsNotNone(patched.variant.patch)
        page = self.run_again(f"{command_of(PAGES / 'idle-back-off.md')} {SMALL}", "idle-back-off")
        self.check(page, "idle-back-off")
        self.assertIn("- variant: the patch `idle-back-off.patch`", page.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
