# SPDX-License-Identifier: MPL-2.0
"""The generator: repeatable, within its profile, and with no word that the player does not know."""

import re
import unittest
from pathlib import Path

from machine import options
from machine.generator import PROFILES, generate, theme_names
from machine.program import NO_DRAFTS, Drafts

PLAYER = Path(__file__).resolve().parents[1] / "player"
SEEDS = range(120)
ALL = Drafts(functions=True, options=True)


def known_commands() -> set[str]:
    text = "".join(file.read_text(encoding="utf-8") for file in PLAYER.glob("*_commands.cpp"))
    tables = re.findall(r"constexpr command commands\[\] = \{(.*?)\};", text, re.S)
    return set(re.findall(r'\{"(\w+)"', "".join(tables)))


class Generator(unittest.TestCase):
    def test_same_seed_same_script(self) -> None:
        for profile in PROFILES:
            for drafts in (NO_DRAFTS, ALL):
                self.assertEqual(generate(7, profile, drafts), generate(7, profile, drafts))

    def test_other_seed_other_script(self) -> None:
        self.assertEqual(len({generate(seed, "inproc").lines for seed in SEEDS}), len(SEEDS))

    def test_every_command_is_known(self) -> None:
        known = known_commands()
        self.assertIn("send", known)
        for profile in PROFILES:
            for seed in SEEDS:
                for line in generate(seed, profile, ALL).lines:
                    self.assertIn(line.split(" ")[0], known, line)

    def test_every_option_is_known(self) -> None:
        names = (PLAYER / "names.cpp").read_text(encoding="utf-8")
        known = set(re.findall(r"TYPE\((\w+)\)", names))
        for name in (*options.integers(True), *options.WIDE, *options.texts(True), *options.HARMLESS):
            self.assertIn(name, known)

    def test_every_theme_makes_scripts(self) -> None:
        for theme in theme_names():
            for profile in ("tcp", "mixed"):
                self.assertTrue(generate(1, profile, ALL, theme).lines, theme)

    def test_inproc_scripts_stay_inside(self) -> None:
        for seed in SEEDS:
            for line in generate(seed, "inproc", ALL).lines:
                self.assertIsNone(re.match(r"(bind|connect) \w+ (tcp:\d|ipc:\d|tcp://[\d{*])", line), line)

    def test_without_drafts_no_draft_function(self) -> None:
        for profile in PROFILES:
            for seed in SEEDS:
                for line in generate(seed, profile, NO_DRAFTS).lines:
                    self.assertIsNone(re.match(r"poller|join|leave|psend|gsend|connect_peer|peer_state|ctx_\w+_ext", line), line)


if __name__ == "__main__":
    unittest.main()
