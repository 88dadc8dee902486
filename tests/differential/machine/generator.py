# SPDX-License-Identifier: MPL-2.0
"""One seed and one profile make one script, always the same. The seed picks a theme; some scripts get noise."""

from __future__ import annotations

import random

from machine.program import NO_DRAFTS, Drafts, Program
from machine.script import Script
from machine.themes import THEMES, Theme
from machine.themes.noise import disturb

PROFILES = ("inproc", "tcp", "ipc", "mixed")
NOISY = 0.25


def theme_names() -> list[str]:
    return [theme.name for theme in THEMES]


def themes_of(profile: str, drafts: Drafts) -> list[Theme]:
    return [theme for theme in THEMES if (drafts.functions or not theme.drafts) and (profile != "inproc" or theme.inside)]
# Over inproc the counters of zlink know of every message; over a network the system holds some.
BOOKS = "books"


def generate(seed: int, profile: str, drafts: Drafts = NO_DRAFTS, theme: str | None = None) -> Script:
    source = random.Random(f"{profile} {seed}")
    choices = themes_of(profile, drafts)
    chosen = source.choices(choices, [each.weight for each in choices])[0]
    if theme is not None:
        chosen = next(each for each in THEMES if each.name == theme)
    program = Program(source, profile, drafts)
    chosen.write(program)
    if profile == "inproc":
        program.lines.append(BOOKS)
    program.finish()
    if chosen.may_be_noisy and source.random() < NOISY:
        disturb(program)
    if profile == "inproc":
        program.lines.append(BOOKS)
    return Script(f"{profile} {seed} {chosen.name}", tuple(program.lines))
