# SPDX-License-Identifier: MPL-2.0
"""A series is one complete measurement. It is stored as JSON in the repository, and every page is made from stored series.

A stored series holds at most three values for each cell, library and metric: the least, the median and the greatest of the
runs. Their median, least and greatest are those of the runs, so the code that reads all runs reads a stored series too.
"""

from __future__ import annotations

import dataclasses
import json
import re
import statistics
import subprocess
from pathlib import Path

from comparison import machine
from comparison import report as comparison
from comparison.model import ComparisonError
from performance.parts import PARTS
from scale import report as scale

NUMBERS = (1, 2)
DIGITS = 4
# Processor features that decide how memory is copied and how fast encryption is.
TELLING_FLAGS = ("erms", "fsrm", "avx2", "avx512f", "aes", "vaes", "constant_tsc", "hypervisor")


@dataclasses.dataclass
class Series:
    number: int
    started: str
    commit: str
    host: dict[str, str]
    parts: dict[str, comparison.Report]
    scale: scale.Report

    @property
    def name(self) -> str:
        return f"series {self.number}"


def newest(stored: list[Series]) -> Series:
    return max(stored, key=lambda series: series.started)


def stored_file(root: Path, number: int) -> Path:
    return root / "docs" / "performance" / f"series-{number}.json"


def load_all(root: Path) -> list[Series]:
    """The stored series, in the order of their numbers."""
    return [load(stored_file(root, number), number) for number in NUMBERS if stored_file(root, number).is_file()]


def load(path: Path, number: int) -> Series:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        parts = {key: comparison.from_json(json.dumps(told["parts"][key])) for key in PARTS if key in told["parts"]}
        scaled = scale.from_json(json.dumps(told["scale"]))
        return Series(number, told["started"], told["commit"], told["host"], parts, scaled)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ComparisonError(f"{path} does not hold a series: {problem}") from None


def next_number(root: Path) -> int:
    """The number of the first series that is missing, or of the older one."""
    stored = load_all(root)
    missing = [number for number in NUMBERS if number not in {series.number for series in stored}]
    return missing[0] if missing else min(stored, key=lambda series: series.started).number


def newest_results(folder: Path, name: str) -> Path:
    """The file of results below a folder; the newest one if there are several."""
    found = sorted(folder.rglob(name), key=lambda path: path.stat().st_mtime)
    if not found:
        raise ComparisonError(f"{folder} holds no {name}")
    return found[-1]


def store(root: Path, number: int, results: Path, commit: str) -> Path:
    """Reduces the results of all parts to a stored series; returns its file."""
    parts = {key: reduced(newest_results(results / key, "comparison.json")) for key in PARTS}
    scaled = reduced(newest_results(results / "scale", "scale.json"))
    told = {"format": 1, "started": min(part["started"] for part in parts.values()), "commit": commit, "host": host(),
            "parts": parts, "scale": scaled}
    path = stored_file(root, number)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(lines_of(told, 4) + "\n", encoding="utf-8")
    return path


def reduced(path: Path) -> dict[str, object]:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told["interrupted"]:
            raise ComparisonError(f"{path}: the measurement was interrupted")
        for cell in told["cells"]:
            for metrics in cell["results"].values():
                metrics.update({name: least_median_greatest(values) for name, values in metrics.items()})
        for library in told["libraries"]:
            library["file"] = Path(library["file"]).name if library["file"] else None
        for failure in told["failures"]:
            failure["reason"] = re.sub(r"(?:/[\w.+-]+)+/", "", failure["reason"])
        for row in told.get("syscalls_per_message", []):
            row["calls"] = {}
        return rounded(told)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise ComparisonError(f"{path} does not hold results: {problem}") from None


def least_median_greatest(values: list[float]) -> list[float]:
    if len(values) < 2:
        return values
    return [min(values), statistics.median(values), max(values)]


def rounded(value: object) -> object:
    """All numbers with four significant digits, also in lists and objects; whole numbers without a fraction."""
    if isinstance(value, dict):
        return {key: rounded(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [rounded(inner) for inner in value]
    if isinstance(value, float):
        short = float(f"{value:.{DIGITS}g}")
        return int(short) if short.is_integer() else short
    return value


def lines_of(value: object, levels: int) -> str:
    """JSON with a line for each entry of the outer levels, so that a change of one cell is a change of one line."""
    if levels == 0 or not isinstance(value, (dict, list)) or not value:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    if isinstance(value, list):
        return "[\n" + ",\n".join(lines_of(inner, levels - 1) for inner in value) + "\n]"
    entries = (f"{json.dumps(key)}:{lines_of(inner, levels - 1)}" for key, inner in value.items())
    return "{\n" + ",\n".join(entries) + "\n}"


def host() -> dict[str, str]:
    """The properties of this machine that the comparison does not record."""
    flags = next((line.partition(":")[2].split() for line in machine.read_text("/proc/cpuinfo").splitlines()
                  if line.startswith("flags")), [])
    return {"flags": " ".join(flag for flag in TELLING_FLAGS if flag in flags) or "unknown"}


def current_commit(root: Path) -> str:
    """The commit of the sources that are measured; says so if they were changed since."""
    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=False)
        return done.stdout.strip()

    commit = git("rev-parse", "--short=12", "HEAD") or "unknown"
    changed = git("status", "--porcelain", "--", "src", "include", "cmake", "CMakeLists.txt", "benchwithzmq")
    return f"{commit} with changes" if changed else commit
