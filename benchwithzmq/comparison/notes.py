# SPDX-License-Identifier: MPL-2.0
"""Remarks that the programs make on stderr besides their results: warnings, and the step of the clock."""

from __future__ import annotations

import dataclasses
import statistics
import sys


@dataclasses.dataclass
class Notes:
    """The remarks of all runs. A warning of the same place is kept and shown once."""

    warnings: list[dict[str, object]] = dataclasses.field(default_factory=list)
    clock_steps_ns: list[float] = dataclasses.field(default_factory=list)

    def read(self, errors: str) -> None:
        for line in errors.splitlines():
            fields = line.split(",")
            if fields[0] == "WARNING" and len(fields) >= 7:
                self.warn(fields)
            elif fields[0] == "CLOCK" and len(fields) == 3:
                self.clock_steps_ns.append(float(fields[2]))

    def warn(self, fields: list[str]) -> None:
        place = {"library": fields[1], "pattern": fields[2], "transport": fields[3], "size": int(fields[4]), "metric": fields[5]}
        if not any(place.items() <= known.items() for known in self.warnings):
            self.warnings.append({**place, "text": ",".join(fields[6:])})
            print(f"warning: {warning_text(self.warnings[-1])}", file=sys.stderr, flush=True)

    @property
    def clock_step_ns(self) -> float | None:
        """The median of the steps that the programs found; None if none told it."""
        return statistics.median(self.clock_steps_ns) if self.clock_steps_ns else None


def warning_text(warning: dict[str, object]) -> str:
    return "{library}, {pattern} {transport} {size} B, {metric}: {text}".format(**warning)
