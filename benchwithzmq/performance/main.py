# SPDX-License-Identifier: MPL-2.0
"""Reads the results, draws the plots, writes the page."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from comparison import report as comparison_report
from comparison.model import ComparisonError
from performance.page import Part, to_markdown
from scale import report as scale_report

REPOSITORY = Path(__file__).resolve().parents[2]


def main(arguments: Sequence[str]) -> int:
    """0: the page is written; 2: a result is missing or no result."""
    try:
        write(parse(arguments))
        return 0
    except ComparisonError as error:
        print(f"run_performance.py: {error}", file=sys.stderr)
        return 2


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run_performance.py", description=__doc__)
    parser.add_argument("--comparison", action="append", default=[], metavar="TITLE=FOLDER",
                        help="results of run_comparison.py; may be given several times")
    parser.add_argument("--scale", type=Path, metavar="FOLDER", help="results of run_scale.py")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "docs" / "PERFORMANCE.md", metavar="FILE")
    parser.add_argument("--pictures", type=Path, default=REPOSITORY / "docs" / "pictures", metavar="FOLDER")
    return parser.parse_args(arguments)


def read(path: Path, from_json):
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ComparisonError(f"{path} does not hold results: {problem}") from None


def load_plots():
    try:
        from comparison import plots as of_comparisons
        from scale import plots as of_scale
    except ModuleNotFoundError as missing:
        raise ComparisonError(f"the Python package {missing.name} is missing: pip install -r "
                              "benchwithzmq/requirements.txt (in a virtual environment)") from None
    return of_comparisons, of_scale


def write(wanted: argparse.Namespace) -> None:
    comparison_plots, scale_plots = load_plots()
    wanted.pictures.mkdir(parents=True, exist_ok=True)
    parts = []
    for number, named in enumerate(wanted.comparison, 1):
        title, separator, folder = named.partition("=")
        if not separator:
            raise ComparisonError(f"--comparison {named}: TITLE=FOLDER is wanted")
        told = read(Path(folder) / "comparison.json", comparison_report.from_json)
        drawn = comparison_plots.draw(told, wanted.pictures, f"performance-{number}")
        parts.append(Part(title, told, drawn))
    scale = None
    if wanted.scale:
        told = read(wanted.scale / "scale.json", scale_report.from_json)
        scale = Part("Scale and real deployments", told, scale_plots.draw(told, wanted.pictures, "performance-scale"))
    if not parts:
        raise ComparisonError("no --comparison was given")
    text = to_markdown(parts, scale, os.path.relpath(wanted.pictures, wanted.output.parent))
    wanted.output.write_text(text, encoding="utf-8")
    print(f"{wanted.output}, {sum(len(part.plots) for part in [*parts, *([scale] if scale else [])])} plots")
