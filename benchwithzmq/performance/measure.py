# SPDX-License-Identifier: MPL-2.0
"""Measures all parts of a series, one program after the other, and says how long it will take."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from comparison.model import ComparisonError
from performance.costs import add_costs
from performance.parts import PARTS, SCALE_MINUTES, estimated_minutes
from performance.series import newest_results

PROGRAMS = Path(__file__).resolve().parents[1]
MEASURED, SOME_FAILED = 0, 1
UNWANTED = ("BENCH_", "ZMQ_", "ZLINK_", "LD_")


def measure(results: Path, peers: Sequence[str], build_dir: Path, trial: bool, all_costs: bool) -> None:
    """Fills a folder of results for each part, and one for scale. Raises ComparisonError if a program could not end."""
    estimates = {key: estimated_minutes(part, peers, trial, all_costs) for key, part in PARTS.items()}
    estimates["scale"] = SCALE_MINUTES if not trial else 1.0
    print(f"{len(estimates)} parts, about {sum(estimates.values()):.0f} minutes, results in {results}", flush=True)
    if results.is_dir():
        shutil.rmtree(results)  # a part of an earlier measurement must not be stored with this one
    begin = time.monotonic()
    for place, key in enumerate(estimates, 1):
        left = sum(list(estimates.values())[place - 1:])
        print(f"== part {place} of {len(estimates)}: {key}, about {estimates[key]:.0f} minutes; {left:.0f} minutes left in all",
              flush=True)
        if key == "scale":
            run(scale_command(trial), {}, build_dir, results / key)
        else:
            part = PARTS[key]
            run(["run_comparison.py", *part.arguments(peers, trial)], part.variables(trial), build_dir, results / key)
            add_costs(newest_results(results / key, "comparison.json"), build_dir, part.sizes_of_costs(all_costs))
    print(f"measured in {(time.monotonic() - begin) / 60:.0f} minutes", flush=True)


def scale_command(trial: bool) -> list[str]:
    return ["run_scale.py", *(["--quick", "--only", "latency", "--only", "cost"] if trial else ["--runs", "3"])]


def run(command: Sequence[str], variables: dict[str, str], build_dir: Path, output: Path) -> None:
    """No setting of the caller's environment takes part: a series always has the settings of the table."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(UNWANTED)}
    words = [sys.executable, str(PROGRAMS / command[0]), *command[1:], "--build-dir", str(build_dir), "--reuse-build",
             "--output", str(output)]
    status = subprocess.run(words, env={**environment, **variables}, check=False).returncode
    if status == SOME_FAILED:
        print(f"{output.name}: a cell failed; the page will list it", flush=True)
    elif status != MEASURED:
        raise ComparisonError(f"{command[0]} for {output.name} ended with status {status}; nothing was stored")
