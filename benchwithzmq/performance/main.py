# SPDX-License-Identifier: MPL-2.0
"""Measures a series, stores it, writes the pages and the READMEs' numbers from the stored series, or checks them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from comparison.model import ComparisonError
from performance import pages, series
from performance.measure import measure
from performance.parts import named_peers

REPOSITORY = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str]) -> int:
    """0: done; 1: --check found a difference; 2: it could not be done; 130: interrupted."""
    try:
        return act(parse(arguments))
    except ComparisonError as error:
        print(f"run_performance.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run_performance.py", description=__doc__,
                                     epilog="Without --measure, --store or --check it writes the pages from the stored series.")
    add = parser.add_argument
    actions = parser.add_mutually_exclusive_group()
    actions.add_argument("--measure", action="store_true", help="measure a series, store it, write the pages")
    actions.add_argument("--store", action="store_true", help="store the results that --measure left, write the pages")
    actions.add_argument("--check", action="store_true", help="fail if a page differs from the stored series")
    add("--series", type=int, choices=series.NUMBERS, help="the series to replace; the older one if left out")
    add("--peer", action="append", default=[], metavar="NAME=PATH", help="another library file with the same ABI")
    add("--build-dir", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    add("--results", type=Path, default=REPOSITORY / "results" / "performance", metavar="FOLDER")
    add("--root", type=Path, default=REPOSITORY, metavar="FOLDER", help="the tree whose documents are written or checked")
    add("--all-costs", action="store_true", help="system calls and processor time of every cell: ten minutes more")
    add("--trial", action="store_true", help="tiny runs, only to try this program; needs a --root of its own")
    return parser.parse_args(arguments)


def act(wanted: argparse.Namespace) -> int:
    root = wanted.root.resolve()
    if wanted.check:
        return check(root)
    if wanted.trial and root == REPOSITORY:
        raise ComparisonError("--trial needs a --root of its own: its numbers say nothing")
    draw = load_pictures()
    if wanted.measure or wanted.store:
        number = wanted.series or series.next_number(root)
        results = wanted.results.resolve() / f"series-{number}"
        commit = series.current_commit(REPOSITORY)
        if wanted.measure:
            measure(results, named_peers(wanted.peer), wanted.build_dir.resolve(), wanted.trial, wanted.all_costs)
        print(series.store(root, number, results, commit))
    stored = series.load_all(root)
    if not stored:
        raise ComparisonError("there is no stored series: make performance measures one")
    drawn = draw(pages.pictures_folder(root), stored)
    print(f"{pages.write(root, stored)} files and {drawn} pictures from {len(stored)} stored series")
    return 0


def load_pictures():
    """Asked for before the measurement, so that a missing package does not cost an hour."""
    try:
        from performance.pictures import draw
    except ModuleNotFoundError as missing:
        raise ComparisonError(f"the Python package {missing.name} is missing: pip install -r "
                              "benchwithzmq/requirements.txt (in a virtual environment)") from None
    return draw


def check(root: Path) -> int:
    stored = series.load_all(root)
    if not stored:
        print("performance: no stored series, nothing to check")
        return 0
    found = pages.problems(root, stored)
    for problem in found:
        print(problem)
    print(f"performance: {len(stored)} stored series, {len(found)} problems")
    return 1 if found else 0
