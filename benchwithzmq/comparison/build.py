# SPDX-License-Identifier: MPL-2.0
"""Configures and builds the benchmark programs, and makes links to them in build/bin."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from comparison.model import ComparisonError

OPTIONS = ("-DCMAKE_BUILD_TYPE=Release", "-DZLINK_LTO=ON", "-DZLINK_BUILD_BENCH=ON", "-DZLINK_BUILD_TESTS=OFF")
PROGRAMS = ("comp_*", "scale_*", "web_*", "count_allocations.so")


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


def is_folder_of_programs(folder: Path) -> bool:
    """Returns true if the programs lie in the folder itself, so that there is nothing to build."""
    return any(folder.glob("comp_*_pair"))


def link_programs(repository: Path, programs: Path) -> None:
    """Makes build/bin/<program> lead to the programs, if they were built below build/."""
    bin_folder = repository / "build" / "bin"
    if repository / "build" not in programs.parents or programs == bin_folder:
        return
    bin_folder.mkdir(exist_ok=True)
    for program in (path for pattern in PROGRAMS for path in programs.glob(pattern) if os.access(path, os.X_OK)):
        unfinished = bin_folder / f".{program.name}.{os.getpid()}"
        unfinished.symlink_to(os.path.relpath(program, bin_folder))
        os.replace(unfinished, bin_folder / program.name)
