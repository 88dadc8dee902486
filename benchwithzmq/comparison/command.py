# SPDX-License-Identifier: MPL-2.0
"""The ends of a command: what it says, and how it gives up."""

from __future__ import annotations

import sys
from collections.abc import Callable

from comparison.model import ComparisonError


def say(line: str) -> None:
    print(line, flush=True)


def status_of(command: str, work: Callable[[], int]) -> int:
    """Returns the status that the work returns; 2 if it could not begin, with one line that says why."""
    try:
        return work()
    except ComparisonError as error:
        print(f"{command}: {error}", file=sys.stderr)
        return 2
