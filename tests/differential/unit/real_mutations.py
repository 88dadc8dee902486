# SPDX-License-Identifier: MPL-2.0
"""Plants differences into one library, and asks whether the machine finds each of them.

They are planted into the reference itself: this needs no zlink. Environment: DIFFERENTIAL_PLAYER and DIFFERENTIAL_REFERENCE, where they
are not the release build's and the system's.
"""

import os
import unittest
from collections.abc import Sequence
from pathlib import Path

from machine import references
from machine.compare import agree, first_difference
from machine.generator import generate
from machine.main import BUILD
from machine.player import Player, Results, mutations
from machine.script import Script

SEEDS = 240
PORTION = 30
# These cannot be seen with inproc, which has no events.
NEEDS_TCP = {"lost_event"}
TCP_SEEDS = 20
# The books are zlink's alone.
NEEDS_ZLINK = {"lost_count"}


class Mutations(unittest.TestCase):
    def setUp(self) -> None:
        self.program = Path(os.environ.get("DIFFERENTIAL_PLAYER", BUILD / "tests" / "differential" / "differential_player"))
        self.library = Path(os.environ.get("DIFFERENTIAL_REFERENCE", references.SYSTEM))
        self.own_library = Path(os.environ.get("DIFFERENTIAL_LIBRARY", BUILD / "compat" / "libzmq.so.5"))
        self.known: dict[str, list[tuple[Script, Results]]] = {}

    def player(self, mutation: str = "") -> Player:
        library = self.own_library if mutation in NEEDS_ZLINK else self.library
        return Player(self.program, library, 32, False, mutation)

    def scripts(self, profile: str) -> list[tuple[Script, Results]]:
        """Scripts on which the library agrees with itself, with their results."""
        if profile not in self.known:
            made = [generate(seed, profile) for seed in range(SEEDS if profile == "inproc" else TCP_SEEDS)]
            runs = self.player().run(made, 3)
            self.known[profile] = [(script, each[0]) for script, each in zip(made, runs) if agree(each)]
        return self.known[profile]

    def test_a_lost_count_is_found(self) -> None:
        scripts = [script for script, _ in self.scripts("inproc")[:PORTION]]
        results = self.player("lost_count").run(scripts, 1)
        self.assertTrue(any("received" in line for runs in results for line in runs[0]))

    def finds(self, mutation: str, scripts: Sequence[tuple[Script, Results]]) -> bool:
        player = self.player(mutation)
        for begin in range(0, len(scripts), PORTION):
            portion = scripts[begin:begin + PORTION]
            runs = player.run([script for script, _ in portion], 2)
            if any(all(first_difference(script, expected, got, []) for got in both) for (script, expected), both in zip(portion, runs)):
                return True
        return False

    def test_each_is_found(self) -> None:
        names = mutations(self.program)
        self.assertGreaterEqual(len(names), 10)
        for name in set(names) - NEEDS_ZLINK:
            with self.subTest(name):
                self.assertTrue(self.finds(name, self.scripts("tcp" if name in NEEDS_TCP else "inproc")))

    def test_nothing_is_found_where_nothing_is_planted(self) -> None:
        self.assertFalse(self.finds("", self.scripts("inproc")))

    def test_most_scripts_are_repeatable(self) -> None:
        self.assertGreater(len(self.scripts("inproc")), SEEDS * 0.9)


if __name__ == "__main__":
    unittest.main()
