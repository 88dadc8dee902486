# SPDX-License-Identifier: MPL-2.0
"""Runs one benchmark program and reads what it prints; a program that fails, hangs or says less is an error."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from comparison.model import PATTERNS, Cell, Column, ComparisonError, Settings

INFIX = {"zlink": "zlink", "libzmq": "std_zmq", "peer": "peer"}
# Neither a library search path of the caller's nor settings for something else decide what is measured.
UNWANTED = ("LD_LIBRARY_PATH", "LD_PRELOAD")
UNWANTED_PREFIXES = ("BENCH_", "ZMQ_", "ZLINK_")


class RunFailed(Exception):
    """One run of one program gave no result; the text says why."""


class Programs:
    """The programs of one build directory. `processor`: what runs are pinned to, None for no pinning."""

    def __init__(self, build_dir: Path, processor: int | None) -> None:
        inside = build_dir / "benchwithzmq"
        self.folder = inside if inside.is_dir() else build_dir
        self.processor = processor

    def path(self, column: Column, pattern: str) -> Path:
        program = PATTERNS[pattern].program
        name = "comp_limit" if column.kind == "limit" else f"comp_{INFIX[column.kind]}_{program}"
        path = self.folder / name
        if not path.is_file():
            raise ComparisonError(f"{path} is missing; build the target bench_programs, or leave out --reuse-build")
        return path

    def pinning(self) -> list[str]:
        return ["taskset", "-c", str(self.processor)] if self.processor is not None else []

    def metrics(self, cell: Cell) -> Sequence[str]:
        """What a program prints for this cell."""
        return PATTERNS[cell.pattern].metrics

    def command(self, column: Column, cell: Cell) -> list[str]:
        words = [*self.pinning(), str(self.path(column, cell.pattern))]
        if column.kind == "limit":
            words.append(PATTERNS[cell.pattern].program)
        return words + [column.name, cell.transport, str(cell.size)]

    def identify(self, column: Column) -> None:
        """Fills in which file and version the column's programs load; asks a program, measures nothing."""
        if column.kind == "limit":
            column.version = "bare sockets and shared memory"
            return
        command = [str(self.path(column, "PAIR")), "--library"]
        output = run(command, child_environment(column, None), 30)
        column.file, column.version = loaded_library(output[1])

    def measure(self, column: Column, cell: Cell, settings: Settings, timeout_s: float) -> dict[str, float]:
        output, errors = run(self.command(column, cell), child_environment(column, settings), timeout_s)
        if column.kind != "limit":
            file, _ = loaded_library(errors)
            if file != column.file:
                raise RunFailed(f"it loaded {file} instead of {column.file}")
        ignored = [line for line in errors.splitlines() if line.startswith("zlink: ") and line.endswith("ignored")]
        if ignored:
            raise RunFailed(ignored[0])
        return read_results(output, column.name, cell, self.metrics(cell))


def child_environment(column: Column, settings: Settings | None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items()
            if name not in UNWANTED and not name.startswith(UNWANTED_PREFIXES)}
    if settings is not None:
        kept.update(settings.environment())
    if column.kind == "peer":
        kept["BENCH_PEER_LIBRARY"] = str(column.file)
    kept.update(column.environment)
    return kept


def run(command: list[str], environment: dict[str, str], timeout_s: float) -> tuple[str, str]:
    """stdout and stderr of a command that ended well. A hung one is killed with all it started."""
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            output, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            kill_group(process.pid)
            raise RunFailed(f"hung: killed after {timeout_s:g} s") from None
        except BaseException:
            kill_group(process.pid)
            raise
    if process.returncode != 0:
        raise RunFailed(f"{ending(process.returncode)}: {last_words(errors)}")
    return output, errors


def kill_group(leader: int) -> None:
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def ending(status: int) -> str:
    return f"exit status {status}" if status > 0 else f"killed by {signal.Signals(-status).name}"


def last_words(errors: str) -> str:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    told = [line for line in lines if line.startswith("FAIL: ")] or lines[-1:]
    return told[0].removeprefix("FAIL: ") if told else "it said nothing"


def loaded_library(errors: str) -> tuple[Path, str]:
    for line in errors.splitlines():
        fields = line.split(",")
        if fields[0] == "LIBRARY" and len(fields) >= 4:
            return Path(",".join(fields[2:-1])), fields[-1]
    raise RunFailed("it did not say which library it loaded")


def read_results(output: str, label: str, cell: Cell, wanted: Sequence[str] | None = None) -> dict[str, float]:
    """The metrics of the cell (or those wanted). Each must be there once, for this cell, and be a positive number."""
    found: dict[str, float] = {}
    for line in output.splitlines():
        fields = line.strip().split(",")
        if fields[0] != "RESULT":
            continue
        if len(fields) != 7 or fields[1:5] != [label, cell.pattern, cell.transport, str(cell.size)]:
            raise RunFailed(f"it printed a line for something else: {line.strip()!r}")
        if fields[5] in found:
            raise RunFailed(f"it printed {fields[5]} twice")
        found[fields[5]] = number(fields[6])
    missing = [metric for metric in wanted or PATTERNS[cell.pattern].metrics if metric not in found]
    if missing:
        raise RunFailed(f"it printed no {missing[0]}")
    return found


def number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value <= 0:
        raise RunFailed(f"it printed {text!r} as a result")
    return value


def pinned_processor(settings: Settings) -> int | None:
    """The last processor this process may use: the first one tends to have the interrupts."""
    if not settings.pinned:
        return None
    if shutil.which("taskset") is None:
        raise ComparisonError("taskset is missing (package util-linux); BENCH_NO_TASKSET=1 does without pinning")
    return max(os.sched_getaffinity(0))
