# SPDX-License-Identifier: MPL-2.0
"""Library files: of a build directory, or of the last commit with a patch or build options, in a work tree of its own."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from comparison.build import OPTIONS
from comparison.model import ComparisonError
from experiments.model import Side

LIBRARY = "libzlink.so"


def run(command: Sequence[str], what: str, folder: Path | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    except FileNotFoundError:
        raise ComparisonError(f"{what}: {command[0]} is missing") from None
    if done.returncode != 0:
        raise ComparisonError(f"{what}:\n{done.stdout}")
    return done.stdout.strip()


def built_library(build_dir: Path) -> Path:
    """The library file of a build directory."""
    for place in (build_dir / "src" / LIBRARY, build_dir / LIBRARY):
        if place.is_file():
            return place.resolve()
    raise ComparisonError(f"there is no {LIBRARY} in {build_dir}")


def commit(repository: Path) -> tuple[str, bool]:
    """The short name of the last commit, and whether the library's sources differ from it."""
    name = run(["git", "rev-parse", "--short=12", "HEAD"], "reading the commit", repository)
    changes = run(["git", "status", "--porcelain", "--", "src", "include", "cmake", "CMakeLists.txt"], "reading the changes",
                  repository)
    return name, bool(changes)


def applies(repository: Path, patch: Path) -> str:
    """Empty when the patch fits the sources as they lie there, or why not."""
    done = subprocess.run(["git", "apply", "--check", str(patch)], cwd=repository, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip()


class Sources:
    """The work tree is made with the first library that needs it and removed by close(); the library files stay in `folder`.
    Owner: one run of the tool at a time."""

    def __init__(self, repository: Path, folder: Path, say: Callable[[str], None]) -> None:
        self.repository = repository
        self.folder = folder
        self.tree = folder / "source"
        self.say = say
        self.made: dict[tuple[Path | None, tuple[str, ...]], Path] = {}
        self.open = False

    def library(self, patch: Path | None, options: tuple[str, ...]) -> Path:
        key = (patch, options)
        if key not in self.made:
            self.check_out()
            self.made[key] = self.build(patch, options)
        return self.made[key]

    def check_out(self) -> None:
        if self.open:
            return
        self.close()  # what an interrupted run left
        self.folder.mkdir(parents=True, exist_ok=True)
        run(["git", "worktree", "add", "--detach", "--force", str(self.tree), "HEAD"], "checking out the last commit",
            self.repository)
        self.open = True

    def close(self) -> None:
        if self.tree.exists():
            run(["git", "worktree", "remove", "--force", str(self.tree)], "removing the work tree", self.repository)
        self.open = False

    def build(self, patch: Path | None, options: tuple[str, ...]) -> Path:
        label = "-".join([patch.stem if patch else "plain", *(option_label(options) if options else [])])
        self.say(f"building the library: {label}")
        if patch is not None:
            run(["git", "apply", str(patch)], f"{patch.name} does not fit the last commit any more", self.tree)
        try:
            library = self.compile(options)
        finally:
            if patch is not None:
                run(["git", "apply", "--reverse", str(patch)], f"taking {patch.name} back", self.tree)
        kept = self.folder / f"{label}.so"
        shutil.copyfile(library, kept)
        return kept.resolve()

    def compile(self, options: tuple[str, ...]) -> Path:
        build_dir = self.folder / "-".join(["build", *option_label(options)])
        configure = ["cmake", "-S", str(self.tree), "-B", str(build_dir), *OPTIONS, "-DZLINK_BUILD_BENCH=OFF",
                     *(f"-D{option}" for option in options)]
        if not (build_dir / "CMakeCache.txt").exists() and shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        run(configure, "configuring")
        run(["cmake", "--build", str(build_dir), "--target", "zlink", "-j", str(os.cpu_count() or 1)], "building")
        return built_library(build_dir)


def option_label(options: Sequence[str]) -> list[str]:
    return [hashlib.sha256(" ".join(options).encode()).hexdigest()[:8]] if options else []


def library_of(side: Side, other: Side, base: Path, sources: Sources) -> Path:
    """A side that is not built stands beside a built one as the last commit, built in the same way."""
    if side.library is not None:
        return side.library
    if side.built or other.built:
        return sources.library(side.patch, side.options)
    return base
