# SPDX-License-Identifier: MPL-2.0
"""The command line: seeds or a stored script, on two libraries."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from machine import accepted, references, script
from machine.campaign import Campaign, Tally
from machine.compare import Difference, padded
from machine.generator import PROFILES, generate, theme_names
from machine.known import Known
from machine.player import Player, PlayerFailed
from machine.program import Drafts
from machine.script import Script

REPOSITORY = Path(__file__).resolve().parents[3]
BUILD = REPOSITORY / "build" / "release"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="run.py", description="Finds differences between libzmq and zlink.")
    made.add_argument("--seeds", type=int, default=300, metavar="N", help="how many seeds")
    made.add_argument("--first", type=int, default=1, metavar="N", help="the first seed")
    made.add_argument("--scripts", type=Path, nargs="+", metavar="FILE", help="the scripts of these files instead of seeds")
    made.add_argument("--without", type=Path, metavar="FILE", help="leave out the seeds of this file, a line each: 'inproc 12 ...'")
    made.add_argument("--profile", choices=PROFILES, default="inproc", help="which transports the scripts use")
    made.add_argument("--theme", choices=theme_names(), help="scripts of one theme only")
    made.add_argument("--reference", default="system", metavar="FILE",
                      help="the library that is right: a file, 'system', or 'wheel' for the one inside pyzmq's wheel")
    made.add_argument("--library", type=Path, default=BUILD / "compat" / "libzmq.so.5", metavar="FILE", help="the library under test")
    made.add_argument("--player", type=Path, default=BUILD / "tests" / "differential" / "differential_player", metavar="FILE")
    made.add_argument("--jobs", type=int, default=32, metavar="N", help="scripts at a time")
    made.add_argument("--mutate", default="", metavar="NAME", help="plant a difference into the library under test")
    made.add_argument("--minimise", choices=("none", "groups", "all"), default="groups", help="which differences to make small")
    made.add_argument("--seconds", type=float, default=float("inf"), help="begin no batch after this time")
    made.add_argument("--output", type=Path, default=REPOSITORY / "build" / "differential", metavar="DIR", help="for small scripts")
    made.add_argument("--differences", type=Path, default=REPOSITORY / "docs" / "DIFFERENCES.md", metavar="FILE", help="accepted rows")
    made.add_argument("--forget", action="store_true", help="play scripts on the reference that it has answered before, too")
    made.add_argument("--print", action="store_true", help="print the scripts and run nothing")
    made.add_argument("--replay", type=Path, metavar="FILE", help="run the scripts of a file and print both results")
    return made


def main(arguments: Sequence[str]) -> int:
    """0: no unexplained difference; 1: some; 2: it could not run."""
    given = parser().parse_args(arguments)
    try:
        return run(given)
    except (PlayerFailed, references.NoReference, accepted.RowError, OSError) as error:
        print(f"run.py: {error}", file=sys.stderr)
        return 2


def say(text: str) -> None:
    print(text, flush=True)


def run(given: argparse.Namespace) -> int:
    file = references.find(given.reference, given.output / "wheel")
    drafts = Player(given.player, file).ask_drafts()
    reference = Player(given.player, file, given.jobs, drafts.functions)
    subject = Player(given.player, given.library, given.jobs, drafts.functions, given.mutate)
    if given.replay:
        return replay(script.read(given.replay), reference, subject)
    scripts = scripts_of(given, drafts)
    if given.print:
        say(script.write(scripts))
        return 0
    asked = reference if given.forget else Known(reference, given.output / "known.sqlite")
    campaign = Campaign(asked, subject, accepted.read_rows(given.differences), say)
    tally = campaign.run(scripts, given.seconds)
    tell(tally, campaign, given)
    return 1 if tally.differences else 0


def scripts_of(given: argparse.Namespace, drafts: Drafts) -> Iterable[Script]:
    if given.scripts:
        return [each for file in given.scripts for each in script.read(file)]
    left_out = seeds_in(given.without, given.profile) if given.without else set()
    seeds = (seed for seed in range(given.first, given.first + given.seeds) if seed not in left_out)
    return (generate(seed, given.profile, drafts, given.theme) for seed in seeds)


def seeds_in(file: Path, profile: str) -> set[int]:
    lines = [line.split(" ") for line in file.read_text(encoding="utf-8").splitlines()]
    return {int(words[1]) for words in lines if words[0] == profile}


def tell(tally: Tally, campaign: Campaign, given: argparse.Namespace) -> None:
    say("")
    for group in tally.groups():
        chosen = group if given.minimise == "all" else group[:1]
        say(f"-- {len(group)} scripts: {', '.join(each.script.title for each in group[:8])}")
        for each in chosen:
            tell_one(campaign.minimised(each) if given.minimise != "none" else each, given)
    say(tally.told())


def tell_one(difference: Difference, given: argparse.Namespace) -> None:
    given.output.mkdir(parents=True, exist_ok=True)
    file = given.output / (difference.script.title.replace(" ", "-") + ".script")
    file.write_text(difference.script.text(), encoding="utf-8")
    for line in difference.script.lines[:difference.index]:
        say(f"    {line}")
    say(f"    {difference.told()}")
    say(f"    again: tests/differential/run.py --reference {given.reference} --library {given.library} --replay {file}")


def replay(scripts: Sequence[Script], reference: Player, subject: Player) -> int:
    different = False
    for each, expected, got in zip(scripts, reference.run(scripts), subject.run(scripts)):
        say(script.MARK + each.title)
        count = len(each.lines)
        for line, one, other in zip(each.lines, padded(expected[0], count), padded(got[0], count)):
            if one == other:
                say(f"  {line} -> {one}")
            else:
                different = True
                say(f"! {line}\n    reference: {one}\n    subject:   {other}")
    return 1 if different else 0
