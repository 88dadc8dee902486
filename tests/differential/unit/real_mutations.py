# SPDX-License-Identifier: MPL-2.0
"""Plants differences into one library, and asks whether the machine finds each of them.

Environment: DIFFERENTIAL_PLAYER, DIFFERENTIAL_REFERENCE.
"""

import os
import unittest
from collections.abc import Sequence
from pathlib import Path

from machine.compare import agree, first_difference
from machine.generator import generate
from machine.player import Player, Results, mutations
from machine.script import Script

SEEDS = 240
PORTION = 30
# These cannot be seen with inproc, which has no events.
NEEDS_TCP = {"lost_event"}
TCP_SEEDS = 20


class Mutations(unittest.TestCase):
    def setUp(self) -> None:
        self.program = Path(os.environ["DIFFERENTIAL_PLAYER"])
        self.library = Path(os.environ["DIFFERENTIAL_REFERENCE"])
        self.known: dict[str, list[tuple[Script, Results]]] = {}

    def player(self, mutation: str = "") -> Player:
        return Player(self.program, self.library, 8, False, mutation)

    def scripts(self, profile: str) -> list[tuple[Script, Results]]:
        """Scripts on which the library agrees with itself, with their results."""
        if profile not in self.known:
            made = [generate(seed, profile) for seed in range(SEEDS if profile == "inproc" else TCP_SEEDS)]
            runs = self.player().run(made, 3)
            self.known[profile] = [(script, each[0]) for script, each in zip(made, runs) if agree(each)]
        return self.known[profile]

    def finds(self, mutation: str, scripts: Sequence[tuple[Script, Results]]) -> bool:
        player = self.player(mutation)
        for begin in range(0, len(scripts), PORTION):
            portion = scripts[begin:begin + PORTION]
            runs = player.run([script for script, _ in portion])
            if any(first_difference(script, expected, got[0], []) for (script, expected), got in zip(portion, runs)):
                return True
        return False

    def test_each_is_found(self) -> None:
        names = mutations(self.program)
        self.assertGreaterEqual(len(names), 10)
        for name in names:
            with self.subTest(name):
                self.assertTrue(self.finds(name, self.scripts("tcp" if name in NEEDS_TCP else "inproc")))

    def test_most_scripts_are_repeatable(self) -> None:
        self.assertGreater(len(self.scripts("inproc")), SEEDS * 0.9)


if __name__ == "__main__":
    unittest.main()
