# SPDX-License-Identifier: MPL-2.0
"""The file of known answers: asked once, and never for several runs or for another library."""

import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

from machine.known import Known
from machine.player import Player, Results
from machine.script import Script

ONE, OTHER = Script("one", ("ctx c0",)), Script("other", ("ctx c1",))


class Counted(Player):
    """Plays without a program: the n-th run gives n."""

    runs = 0

    def run(self, scripts: Sequence[Script], repeat: int = 1) -> list[list[Results]]:
        given = []
        for _ in scripts:
            given.append([(str(Counted.runs + index),) for index in range(repeat)])
            Counted.runs += repeat
        return given


class KnownAnswers(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "player").write_bytes(b"player")
        (self.folder / "library").write_bytes(b"library")
        Counted.runs = 0

    def known(self, drafts: bool = False) -> Known:
        return Known(Counted(self.folder / "player", self.folder / "library", drafts=drafts), self.folder / "known.sqlite")

    def test_one_run_is_kept(self) -> None:
        self.assertEqual(self.known().run([ONE, OTHER]), [[("0",)], [("1",)]])
        self.assertEqual(self.known().run([OTHER, ONE]), [[("1",)], [("0",)]])

    def test_several_runs_are_new(self) -> None:
        known = self.known()
        known.run([ONE])
        self.assertEqual(known.run([ONE], 2), [[("1",), ("2",)]])

    def test_another_library_is_asked(self) -> None:
        self.known().run([ONE])
        (self.folder / "library").write_bytes(b"newer")
        self.assertEqual(self.known().run([ONE]), [[("1",)]])
        self.assertEqual(self.known(drafts=True).run([ONE]), [[("2",)]])


if __name__ == "__main__":
    unittest.main()
