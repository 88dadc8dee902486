# SPDX-License-Identifier: MPL-2.0
"""Processes that hold memory or keep it busy while something else is measured: the program comp_memory."""

from __future__ import annotations

import os
import selectors
import subprocess
from pathlib import Path

from comparison.model import ComparisonError, Settings
from comparison.programs import child_environment

PROGRAM = "comp_memory"
READY_WITHIN_S = 120


class MemoryLoad:
    """Runs comp_memory as the settings of the next measurement ask for. Use it with `with`: the end stops all processes."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / PROGRAM
        self.running: dict[tuple[str, ...], subprocess.Popen[str]] = {}

    def __enter__(self) -> MemoryLoad:
        return self

    def __exit__(self, *_: object) -> None:
        self.become(set())

    def switch_to(self, settings: Settings, processor: int | None) -> None:
        """processor: the one that measures; None if the measurement is not pinned. Then no process is pinned."""
        wanted: set[tuple[str, ...]] = set()
        if settings.held_memory_mib:
            wanted.add(("hold", str(settings.held_memory_mib)))
        if settings.busy_memory:
            wanted.add(("busy",) if processor is None else ("busy", str(other_processor(processor))))
        self.become(wanted)

    def become(self, wanted: set[tuple[str, ...]]) -> None:
        for words in set(self.running) - wanted:
            process = self.running.pop(words)
            process.communicate()  # closes its input, which ends it
        for words in sorted(wanted):
            if words not in self.running:
                self.running[words] = self.start(words)
            elif self.running[words].poll() is not None:
                raise ComparisonError(f"{PROGRAM} {words[0]} ended during the measurement")

    def start(self, words: tuple[str, ...]) -> subprocess.Popen[str]:
        if not self.program.is_file():
            raise ComparisonError(f"{self.program} is missing: BENCH_HOLD_MEMORY_MIB and BENCH_BUSY_MEMORY need it; build the "
                                  "target bench_programs")
        command = [str(self.program), *words]
        if words[0] == "busy" and len(words) == 2:
            command = ["taskset", "-c", words[1], str(self.program), words[0]]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True,
                                   env=child_environment(None, None))
        if not is_ready(process):
            process.kill()
            process.communicate()
            raise ComparisonError(f"{PROGRAM} {' '.join(words)} did not begin")
        return process


def is_ready(process: subprocess.Popen[str]) -> bool:
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        return bool(selector.select(READY_WITHIN_S)) and process.stdout.readline().strip() == "ready"


def other_processor(measuring: int) -> int:
    """Returns a processor for the busy process. Raises ComparisonError if there is only one."""
    others = sorted(os.sched_getaffinity(0) - {measuring})
    if not others:
        raise ComparisonError("BENCH_BUSY_MEMORY=1 needs a second processor; this machine lets the run use only one")
    return others[0]
