# SPDX-License-Identifier: MPL-2.0
"""The programs of the comparison, with a library file of their own per side, and the one that times first messages."""

from __future__ import annotations

import sys
from pathlib import Path

from comparison.model import Cell, Column
from comparison.programs import Programs
from experiments.model import FIRST_MESSAGE, metrics_of

FIRST_MESSAGE_PROGRAM = Path(__file__).with_name("first_message.py")


class ExperimentPrograms(Programs):
    """Knows FIRST_MESSAGE besides the patterns."""

    def command(self, column: Column, cell: Cell) -> list[str]:
        if cell.pattern != FIRST_MESSAGE:
            return super().command(column, cell)
        return [*self.pinning(), sys.executable, str(FIRST_MESSAGE_PROGRAM), column.name, cell.transport, str(cell.size)]

    def metrics(self, cell: Cell) -> tuple[str, ...]:
        return metrics_of(cell)
