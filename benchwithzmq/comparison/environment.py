# SPDX-License-Identifier: MPL-2.0
"""Reads the settings and zlink's tuning variables from the environment, and refuses names that it does not know."""

from __future__ import annotations

import difflib
import functools
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from comparison.model import ComparisonError, Settings
from comparison.settings import FIELD_OF, TABLE

REPOSITORY = Path(__file__).resolve().parents[2]
MATRIX_VARIABLES = ("BENCH_TRANSPORTS", "BENCH_MSG_SIZES")
PREFIXES = ("BENCH_", "ZMQ_ASIO_", "ZMQ_IN_BATCH", "ZMQ_OUT_BATCH", "ZLINK_")
PEER_VARIABLE = "BENCH_PEER_LIBRARY"
# The loader would take another library than the one that is measured.
LOADER_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD")


@functools.cache
def tuning_names() -> tuple[str, ...]:
    """The variables of zlink: the rows of docs/api/tuning.md, which a test of the library compares with its own."""
    page = REPOSITORY / "docs" / "api" / "tuning.md"
    names = re.findall(r"^\| `([A-Z0-9_]+)` \|", page.read_text(encoding="utf-8"), re.M)
    if not names:
        raise ComparisonError(f"{page} has no table of variables")
    return tuple(names)


def is_ours(name: str) -> bool:
    """Returns true if the variable changes a measurement, or looks as if it should."""
    return name.startswith(PREFIXES) or name in tuning_names()


def refuse_unknown_names(names: Iterable[str]) -> None:
    """Raises ComparisonError for a name that looks like a setting and is none."""
    known = [*FIELD_OF, *MATRIX_VARIABLES, *tuning_names()]
    for name in sorted(filter(is_ours, names)):
        if name == PEER_VARIABLE:
            raise ComparisonError(f"{name} is for one program alone; here --peer NAME=PATH adds a library")
        if name not in known:
            nearest = difflib.get_close_matches(name, known, n=1, cutoff=0)[0]
            raise ComparisonError(f"there is no variable {name}; the nearest name is {nearest}")


def read_setting(variable: str, text: str) -> object:
    try:
        return TABLE[FIELD_OF[variable]].read(text)
    except ValueError as taken:
        raise ComparisonError(f"{variable}={text!r} is not {taken}") from None


def settings_in(environment: Mapping[str, str], **other_defaults: object) -> Settings:
    """The BENCH_* settings that are set, the defaults for all others. An empty variable counts as one that is not set."""
    given = {field: environment.get(row.variable, "").strip() for field, row in TABLE.items()}
    values = {field: read_setting(TABLE[field].variable, text) for field, text in given.items() if text}
    return Settings(**{**other_defaults, **values})


def read_tuning(environment: Mapping[str, str]) -> dict[str, str]:
    """zlink's variables that are set. The library itself checks their values."""
    return {name: environment[name] for name in tuning_names() if environment.get(name)}
