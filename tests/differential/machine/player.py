# SPDX-License-Identifier: MPL-2.0
"""Runs the player on one library: scripts in, results out."""

from __future__ import annotations

import dataclasses
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from machine.program import Drafts
from machine.script import MARK, Script, write

Results = tuple[str, ...]  # one text for each line of a script, fewer if the script ended the process


class PlayerFailed(Exception):
    """The player could not run; the text says why."""


@dataclasses.dataclass(frozen=True)
class Player:
    program: Path
    library: Path
    jobs: int = 4
    drafts: bool = True
    mutation: str = ""

    def run(self, scripts: Sequence[Script], repeat: int = 1) -> list[list[Results]]:
        """For each script the results of each run of it."""
        if not scripts:
            return []
        words = ["--repeat", str(repeat), "--jobs", str(self.jobs)]
        if not self.drafts:
            words.append("--no-drafts")
        if self.mutation:
            words += ["--mutate", self.mutation]
        runs = split_results(self.call(words, write(scripts)))
        if len(runs) != len(scripts) * repeat:
            raise PlayerFailed(f"{len(runs)} results for {len(scripts)} scripts, {repeat} times each")
        return [runs[index:index + repeat] for index in range(0, len(runs), repeat)]

    def ask_drafts(self) -> Drafts:
        """What of the drafts the library has."""
        probe = Script("probe", ("ctx c0", "socket s0 c0 ROUTER", "set s0 ROUTER_NOTIFY i4 1"))
        return Drafts(self.call(["--has-drafts"], "").strip() == "1", self.run([probe])[0][0][2:] == ("0",))

    def call(self, words: Sequence[str], script: str) -> str:
        command = [str(self.program), "--library", str(self.library), *words]
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "ZLINK_", "ZMQ_"))}
        done = subprocess.run(command, input=script, capture_output=True, text=True, errors="replace", check=False,
                              env=environment)
        if done.returncode != 0:
            raise PlayerFailed(f"{' '.join(command)}: {done.stderr.strip() or f'exit status {done.returncode}'}")
        return done.stdout


def split_results(output: str) -> list[Results]:
    runs: list[list[str]] = []
    for line in output.splitlines():
        if line.startswith(MARK):
            runs.append([])
        elif runs:
            runs[-1].append(line)
    return [tuple(run) for run in runs]


def mutations(program: Path) -> list[str]:
    return subprocess.run([str(program), "--mutations"], capture_output=True, text=True, check=True).stdout.split()
