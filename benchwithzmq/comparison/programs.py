# SPDX-License-Identifier: MPL-2.0
"""Runs one benchmark program and reads what it prints; a program that fails, hangs or says less is an error."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from comparison.environment import LOADER_VARIABLES, PEER_VARIABLE, is_ours
from comparison.model import PATTERNS, Cell, Column, ComparisonError, Settings
from comparison.notes import Notes

INFIX = {"zlink": "zlink", "libzmq": "std_zmq", "peer": "peer"}
SHORTEST = {"BENCH_MSG_COUNT": "1", "BENCH_WARMUP_COUNT": "0", "BENCH_LAT_COUNT": "0"}


class RunFailed(Exception):
    """One run of one program gave no result; the text says why."""


class CostFailed(RunFailed):
    """A run that was to tell the cost of a message gave none."""


class Programs:
    """The programs of a build directory or a folder. `processor`: what runs are pinned to, None for no pinning."""

    def __init__(self, build_dir: Path, processor: int | None) -> None:
        self.folder = programs_folder(build_dir)
        self.processor = processor
        self.notes = Notes()

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
            column.version = "bare sockets, shared memory and OpenSSL"
            return
        command = [str(self.path(column, "PAIR")), "--library"]
        column.file, column.version = loaded_library(run(command, child_environment(column, None), 30)[0])

    def check_tuning(self, column: Column, settings: Settings) -> None:
        """Lets the library read the variables of tuning, which it does when the first socket is made."""
        words = [str(self.path(column, "PAIR")), column.name, "inproc", "1"]
        environment = {**child_environment(column, settings), **SHORTEST, "BENCH_MECHANISM": "null", "BENCH_TWO_PROCESSES": "0"}
        refuse_ignored(run(words, environment, 30)[1])

    def measure(self, column: Column, cell: Cell, settings: Settings, timeout_s: float) -> dict[str, float]:
        output, errors = run(self.command(column, cell), child_environment(column, settings), timeout_s)
        if column.kind != "limit":
            file, _ = loaded_library(output)
            if file != column.file:
                raise RunFailed(f"it loaded {file} instead of {column.file}")
        refuse_ignored(errors)
        self.notes.read(errors)
        return read_results(output, column.name, cell, self.metrics(cell))


def programs_folder(build_dir: Path) -> Path:
    inside = build_dir / "benchwithzmq"
    return inside if inside.is_dir() else build_dir


def refuse_ignored(errors: str) -> None:
    """Raises RunFailed if zlink refused the value of a variable."""
    for line in errors.splitlines():
        if line.startswith("zlink: ") and line.endswith("ignored"):
            raise RunFailed(line.removeprefix("zlink: ").removesuffix("; ignored"))


def child_environment(column: Column | None, settings: Settings | None) -> dict[str, str]:
    """The caller's environment without anything that changes a measurement, and then the settings of this one."""
    kept = {name: value for name, value in os.environ.items() if name not in LOADER_VARIABLES and not is_ours(name)}
    if settings is not None:
        kept.update(settings.environment())
    if column is None:
        return kept
    if column.kind == "zlink" and settings is not None:
        kept.update(settings.tuning)
    if column.kind == "peer":
        kept[PEER_VARIABLE] = str(column.file)
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


def loaded_library(output: str) -> tuple[Path, str]:
    """File and version from the line LIBRARY,<label>,<file>,<version>,<SHA-256>."""
    for line in output.splitlines():
        fields = line.split(",")
        if fields[0] == "LIBRARY" and len(fields) >= 5:
            return Path(",".join(fields[2:-2])), fields[-2]
    raise RunFailed("it did not say which library it loaded")


def read_results(output: str, label: str, cell: Cell, wanted: Sequence[str] | None = None) -> dict[str, float]:
    """The metrics of the cell (or those wanted). Each must be there once, for this cell, and be a positive number."""
    def told() -> Iterator[tuple[str, str]]:
        for line in output.splitlines():
            fields = line.strip().split(",")
            if fields[0] != "RESULT":
                continue
            if len(fields) != 7 or fields[1:5] != [label, cell.pattern, cell.transport, str(cell.size)]:
                raise RunFailed(f"it printed a line for something else: {line.strip()!r}")
            yield fields[5], fields[6]
    return numbers_of(told(), wanted or PATTERNS[cell.pattern].metrics, positive=True)


def numbers_of(told: Iterable[tuple[str, str]], wanted: Sequence[str], positive: bool = False) -> dict[str, float]:
    """The wanted values of those that a program told. Each must be there once and be a number."""
    found: dict[str, float] = {}
    for name, text in told:
        if name in found:
            raise RunFailed(f"it printed {name} twice")
        found[name] = number(text, positive)
    missing = [name for name in wanted if name not in found]
    if missing:
        raise RunFailed(f"it printed no {missing[0]}")
    return {name: found[name] for name in wanted}


def number(text: str, positive: bool) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or (positive and value <= 0):
        raise RunFailed(f"it printed {text!r} as a result")
    return value


def pinned_processor(settings: Settings) -> int | None:
    """The last processor this process may use: the first one tends to have the interrupts."""
    if not settings.pinned:
        return None
    if shutil.which("taskset") is None:
        raise ComparisonError("taskset is missing (package util-linux); BENCH_NO_TASKSET=1 does without pinning")
    return max(os.sched_getaffinity(0))
