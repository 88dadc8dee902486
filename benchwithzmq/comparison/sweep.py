# SPDX-License-Identifier: MPL-2.0
"""A sweep: one variable with several values. Each value has settings of its own; everything else is the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from comparison.environment import MATRIX_VARIABLES, refuse_unknown_names, tuning_names
from comparison.model import ComparisonError


@dataclasses.dataclass(frozen=True)
class Sweep:
    """The variable and its values, in the order of the command line."""

    variable: str
    values: tuple[str, ...]

    @property
    def only_zlink(self) -> bool:
        """Returns true if the variable reaches the programs of zlink alone."""
        return self.variable in tuning_names()


def parse_sweep(text: str, environment: Mapping[str, str]) -> Sweep:
    """NAME=VALUE,VALUE,..."""
    variable, _, listed = text.partition("=")
    values = tuple(dict.fromkeys(word.strip() for word in listed.split(",") if word.strip()))
    if len(values) < 2:
        raise ComparisonError(f"--sweep {text!r} is not NAME=VALUE,VALUE with two different values or more")
    if variable in MATRIX_VARIABLES:
        raise ComparisonError(f"--sweep {variable}: this variable takes a list by itself")
    if variable not in tuning_names() and not variable.startswith("BENCH_"):
        raise ComparisonError(f"--sweep {variable}: this is neither a BENCH_ setting nor a variable of docs/api/tuning.md")
    refuse_unknown_names([variable])
    if environment.get(variable):
        raise ComparisonError(f"--sweep {variable}: the environment sets {variable}={environment[variable]} too")
    return Sweep(variable, values)
