# SPDX-License-Identifier: MPL-2.0
"""Configures and builds the benchmark programs."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from comparison.model import ComparisonError

OPTIONS = ("-DCMAKE_BUILD_TYPE=Release", "-DZLINK_LTO=ON", "-DZLINK_BUILD_BENCH=ON", "-DZLINK_BUILD_TESTS=OFF")


def build(repository: Path, build_dir: Path) -> None:
    configure = ["cmake", "-S", str(repository), "-B", str(build_dir), *OPTIONS]
    if not (build_dir / "CMakeCache.txt").exists() and shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    compile_all = ["cmake", "--build", str(build_dir), "--target", "bench_programs", "-j", str(os.cpu_count() or 1)]
    for what, command in (("configuring", configure), ("building", compile_all)):
        print(f"{what} {build_dir}", flush=True)
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        except FileNotFoundError:
            raise ComparisonError("cmake is missing (package cmake)") from None
        if done.returncode != 0:
            raise ComparisonError(f"{what} failed:\n{done.stdout}")
