# SPDX-License-Identifier: MPL-2.0
"""Results of libzmq kept for --skip-libzmq: usable only where machine, library file and every setting are the same."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path

from comparison.model import PATTERNS, Cell, Column, ComparisonError, Results, Settings

FORMAT = 2


def make_key(machine: dict[str, object], library: Column, settings: Settings, runs: int,
             processor: int | None) -> dict[str, object]:
    """Flat, so that a difference can be named."""
    key: dict[str, object] = {"format": FORMAT, "runs": runs, "pinned_to": processor, "library.version": library.version,
                              "library.file": str(library.file), "library.sha256": library.sha256}
    key.update({f"machine.{name}": value for name, value in machine.items()})
    key.update({f"settings.{name}": value for name, value in settings.described().items() if name not in ("debug", "tuning")})
    key.update({f"tuning.{name}": value for name, value in settings.tuning.items()})
    return key


def differences(cached: dict[str, object], wanted: dict[str, object]) -> list[str]:
    names = sorted(set(cached) | set(wanted))
    return [f"{name}: cached {cached.get(name)!r}, now {wanted.get(name)!r}" for name in names
            if cached.get(name) != wanted.get(name)]


def read(path: Path) -> dict[str, object] | None:
    """The stored cache; None when there is none that can be read."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    well_formed = isinstance(stored, dict) and isinstance(stored.get("key"), dict) \
        and isinstance(stored.get("cells"), dict)
    return stored if well_formed else None


def load(path: Path, key: dict[str, object], cells: Iterable[Cell], results: Results, column: Column) -> None:
    """Puts the cached values of the cells into the results; refuses with the reason when they do not fit."""
    again = "measure libzmq again, without --skip-libzmq"
    stored = read(path)
    if stored is None:
        raise ComparisonError(f"there is no cache of libzmq results in {path}: {again}")
    different = differences(stored["key"], key)
    if different:
        raise ComparisonError(f"the cached libzmq results are of another configuration: {again}\n  "
                              + "\n  ".join(different))
    for cell in cells:
        if column.lacks(cell.transport):
            continue
        values = stored["cells"].get(cell.key)
        if not complete(values, cell, key["runs"]):
            raise ComparisonError(f"the cache has no libzmq results for {cell}: {again}")
        results.values.setdefault(cell, {})[column.name] = values
    column.cached = True


def complete(values: object, cell: Cell, runs: object) -> bool:
    return isinstance(values, dict) and all(
        isinstance(values.get(metric), list) and len(values[metric]) == runs
        for metric in PATTERNS[cell.pattern].metrics)


def store(path: Path, key: dict[str, object], results: Results, column: Column, refresh: bool) -> None:
    """Adds complete cells to a cache with the same key; with another key, or to refresh, begins a new one."""
    stored = None if refresh else read(path)
    cells = dict(stored["cells"]) if stored and not differences(stored["key"], key) else {}
    for cell in results.values:
        values = results.values[cell].get(column.name)
        if complete(values, cell, key["runs"]) and not results.failed(cell, column.name):
            cells[cell.key] = values
    if not cells:
        return  # nothing to keep is no reason to lose an older cache
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".new")
    unfinished.write_text(json.dumps({"key": key, "cells": cells}, indent=1), encoding="utf-8")
    os.replace(unfinished, path)
