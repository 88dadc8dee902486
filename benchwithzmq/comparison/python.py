# SPDX-License-Identifier: MPL-2.0
"""Finds a Python that can draw: the project's environment, which the Makefile makes in .venv."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

ENVIRONMENT = Path(__file__).resolve().parents[2] / ".venv"


def use_project_environment() -> None:
    """Starts this program again with the project's Python, whose packages have the right versions. Returns if there is none."""
    python = ENVIRONMENT / "bin" / "python"
    if Path(sys.prefix) == ENVIRONMENT or not python.is_file():
        return
    os.execv(python, [str(python), *sys.argv])


def load_plots(package: str) -> object | None:
    """Returns the module `plots` of the package; None, with a line on stderr, if a Python package is missing."""
    try:
        return importlib.import_module(f"{package}.plots")
    except ModuleNotFoundError as missing:
        print(f"no plots: the Python package {missing.name} is missing; `make compare` installs it in .venv", file=sys.stderr)
        return None
