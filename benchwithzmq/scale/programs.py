# SPDX-License-Identifier: MPL-2.0
"""Runs the scale program of a library for one cell and reads what it prints."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from comparison import syscalls
from comparison.model import Column, ComparisonError
from comparison.programs import INFIX, RunFailed, child_environment, loaded_library, numbers_of, programs_folder, run
from scale.model import Cell, How


# A run of so few messages is little but start and end. Not half of the others: two long runs that batch differently could
# differ by less than nothing.
FEW_MESSAGES = 10


class Programs:
    """The programs of one build directory."""

    def __init__(self, build_dir: Path) -> None:
        self.folder = programs_folder(build_dir)

    def built(self, name: str) -> Path:
        path = self.folder / name
        if not path.is_file():
            raise ComparisonError(f"{path} is missing; build the target bench_programs, or leave out --reuse-build")
        return path

    def program(self, column: Column) -> Path:
        return self.built(f"scale_{INFIX[column.kind]}")

    def identify(self, column: Column) -> None:
        """Fills in which file and version the column's program loads."""
        output, _ = run([str(self.program(column)), "--library"], child_environment(column, None), 30)
        column.file, column.version = loaded_library(output)

    def measure(self, column: Column, cell: Cell, timeout_s: float) -> dict[str, float]:
        match cell.how:
            case How.ALONE:
                return self.values(column, cell, self.words(column, cell), {}, timeout_s)
            case How.COUNTING_ALLOCATIONS:
                preload = {"LD_PRELOAD": str(self.built("count_allocations.so"))}
                return self.values(column, cell, self.words(column, cell), preload, timeout_s)
            case How.COUNTING_SYSTEM_CALLS:
                return {"system_calls": self.system_calls(column, cell, timeout_s)}

    def words(self, column: Column, cell: Cell, **other: object) -> list[str]:
        parameters = {**dict(cell.parameters), **other}
        return [str(self.program(column)), column.name, cell.scenario,
                *(f"{name}={value}" for name, value in parameters.items())]

    def values(self, column: Column, cell: Cell, command: list[str], environment: dict[str, str],
               timeout_s: float) -> dict[str, float]:
        output, _ = run(command, {**child_environment(column, None), **environment}, timeout_s)
        file, _ = loaded_library(output)
        if file != column.file:
            raise RunFailed(f"it loaded {file} instead of {column.file}")
        return read_values(output, column.name, cell.metrics)

    def system_calls(self, column: Column, cell: Cell, timeout_s: float) -> float:
        """Of each further message, so that start and end of the program cancel out."""
        def calls(messages: int) -> int:
            with tempfile.TemporaryDirectory() as folder:
                table = Path(folder) / "table"
                command = [*syscalls.STRACE, str(table), *self.words(column, cell, messages=messages)]
                run(command, child_environment(column, None), timeout_s)
                return sum(syscalls.parse(table.read_text(encoding="utf-8")).values())

        # The program warms up with a tenth of the messages: that many more are sent, too.
        few, many = FEW_MESSAGES, int(str(cell.get("messages")))
        return (calls(many) - calls(few)) / (many + many // 10 - few - few // 10)


def read_values(output: str, label: str, wanted: tuple[str, ...]) -> dict[str, float]:
    def told() -> Iterator[tuple[str, str]]:
        for line in output.splitlines():
            fields = line.strip().split(",")
            if fields[0] != "SCALE":
                continue
            if len(fields) != 4 or fields[1] != label:
                raise RunFailed(f"it printed a line for something else: {line.strip()!r}")
            yield fields[2], fields[3]
    return numbers_of(told(), wanted)
