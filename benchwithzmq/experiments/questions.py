# SPDX-License-Identifier: MPL-2.0
"""Reads the list of standing questions, questions.toml, into experiments."""

from __future__ import annotations

import tomllib
from pathlib import Path

from comparison.model import ComparisonError
from experiments.model import DEFAULT_METRICS, Experiment, Side, parse_cells, parse_environment

FOLDER = Path(__file__).resolve().parent
FILE = FOLDER / "questions.toml"
PATCHES = FOLDER / "patches"
STANDARD_CELLS = ["standard"]
VARIANT_KEYS = {"name", "hypothesis", "env", "baseline_env", "patch", "baseline_patch", "options", "cells", "pinned", "metrics",
                "engine", "why_not"}


def side(row: dict, prefix: str) -> Side:
    patch = row.get(f"{prefix}patch")
    return Side(environment=tuple(parse_environment(text) for text in row.get(f"{prefix}env", [])),
                patch=PATCHES / patch if patch else None,
                options=tuple(row.get("options", [])) if not prefix else ())


def cells_of(names: list[str], groups: dict[str, list[str]]) -> list[str]:
    """Returns single cells. A name without colons stands for the cells of a group."""
    unknown = [name for name in names if ":" not in name and name not in groups]
    if unknown:
        raise ComparisonError(f"there is no group of cells {unknown[0]!r}")
    return [text for name in names for text in (groups[name] if name in groups else [name])]


def experiment_of(row: dict, question: str, groups: dict[str, list[str]], runs: int) -> Experiment:
    wrong = set(row) - VARIANT_KEYS
    if wrong:
        raise ComparisonError(f"{row.get('name')}: unknown key {min(wrong)!r}")
    made = Experiment(
        name=row["name"], hypothesis=row["hypothesis"], question=question, baseline=side(row, "baseline_"),
        variant=side(row, ""), cells=parse_cells(cells_of(row.get("cells", STANDARD_CELLS), groups)), runs=runs,
        metrics=tuple(row.get("metrics", DEFAULT_METRICS)), pinned=row.get("pinned"), engine=row.get("engine"),
        why_not=row.get("why_not", ""), standing=True)
    made.check()
    for patch in (made.baseline.patch, made.variant.patch):
        if patch is not None and not patch.is_file():
            raise ComparisonError(f"{made.name}: there is no {patch.name} in {PATCHES.name}/")
    return made


def load(file: Path = FILE, runs: int | None = None) -> list[Experiment]:
    try:
        listed = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as failure:
        raise ComparisonError(f"{file.name}: {failure}") from None
    try:
        made = [experiment_of(row, question["question"], listed["cells"], runs or listed["runs"])
                for question in listed["question"] for row in question["variant"]]
    except KeyError as missing:
        raise ComparisonError(f"{file.name}: {missing} is missing") from None
    except TypeError as wrong:
        raise ComparisonError(f"{file.name}: {wrong}") from None
    names = [experiment.name for experiment in made]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ComparisonError(f"{file.name}: {min(twice)!r} is there twice")
    return made
