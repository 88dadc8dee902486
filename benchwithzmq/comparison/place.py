# SPDX-License-Identifier: MPL-2.0
"""Where results go: the place that --output names, or a new folder with the date beside those of earlier runs."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

from comparison.environment import REPOSITORY
from comparison.model import ComparisonError

RESULTS = REPOSITORY / "results" / "compare"
LATEST = "latest"


def chosen(output: Path) -> tuple[Path, str]:
    """The folder that --output names, and the first part of the files' names."""
    if output.suffix == ".json":
        return output.parent, output.stem
    return output, "comparison"


def make_dated(results: Path, now: datetime.datetime) -> Path:
    """Makes a folder for a run that begins now."""
    name = now.strftime("%Y-%m-%dT%H-%M-%SZ")
    results.mkdir(parents=True, exist_ok=True)
    for number in range(1, 1000):
        folder = results / (name if number == 1 else f"{name}-{number}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue  # two runs began in the same second
    raise ComparisonError(f"{results} has no room for a folder {name}")


def point_latest(folder: Path) -> None:
    """Makes the link `latest` beside the folder point to it."""
    link = folder.parent / LATEST
    if link.exists() and not link.is_symlink():
        raise ComparisonError(f"{link} is no link; the results are in {folder}")
    unfinished = folder.parent / f".{LATEST}-{folder.name}"
    unfinished.symlink_to(folder.name)
    os.replace(unfinished, link)
