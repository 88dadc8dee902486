# SPDX-License-Identifier: MPL-2.0
"""Library files: of a build directory, or of the last commit with a patch or build options, in a work tree of its own.
Also what git says about a commit: its date, whether a patch fits it, and whether the sources changed since."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from comparison.build import OPTIONS
from comparison.model import ComparisonError
from experiments.model import Side

LIBRARY = "libzlink.so"
UNKNOWN = "unknown"
NO_HISTORY = "unknown: there is no git, or no history"
NOT_COMMITTED = "with changes that are not committed"
INHERITED = ("ZLINK_LTO", "ZLINK_NATIVE")


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


def has_history(repository: Path) -> bool:
    """Returns false in a source archive, and where git is not installed."""
    return (repository / ".git").exists() and shutil.which("git") is not None


def git(repository: Path, *words: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess | None:
    """Returns None if there is no history to ask."""
    if not has_history(repository):
        return None
    return subprocess.run(["git", *words], cwd=repository, capture_output=True, text=True, check=False,
                          env={**os.environ, **(environment or {})})


def commit_text(repository: Path) -> str:
    """Returns the short name and the date of the last commit."""
    told = git(repository, "log", "-1", "--abbrev=12", "--format=%h of %cs")
    return told.stdout.strip() if told and told.returncode == 0 else UNKNOWN


def changed(repository: Path) -> bool:
    """Returns whether the library's sources differ from the last commit."""
    told = git(repository, "status", "--porcelain", "--", "src", "include", "cmake", "CMakeLists.txt")
    return bool(told and told.stdout.strip())


def staleness(repository: Path, text: str) -> str:
    """Returns whether the sources changed since the commit that a page names."""
    if NOT_COMMITTED in text:
        return "yes: it measured changes that were not committed"
    name = text.split()[0]
    known = git(repository, "cat-file", "-e", f"{name}^{{commit}}")
    if known is None or known.returncode != 0:
        return "unknown: this tree has no such commit"
    same = git(repository, "diff", "--quiet", name, "--", "src", "include").returncode == 0
    return "no" if same else "yes: the sources changed since"


def applies(repository: Path, patch: Path) -> str:
    """Returns an empty text if the patch fits the last commit, otherwise why it does not."""
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder) / "index")}
        read = git(repository, "read-tree", "HEAD", environment=index)
        if read is None:
            return NO_HISTORY
        done = git(repository, "apply", "--check", "--cached", str(patch), environment=index)
    return "" if done.returncode == 0 else done.stderr.strip()


def inherited_options(build_dir: Path) -> tuple[str, ...]:
    """Returns those options of a build directory that the libraries beside it have to be built with."""
    cache = build_dir / "CMakeCache.txt"
    lines = cache.read_text(encoding="utf-8").splitlines() if cache.is_file() else []
    return tuple(f"{name}={value}" for name, _, value in (line.partition(":BOOL=") for line in lines) if name in INHERITED)


class Sources:
    """The work tree is made with the first library that needs it and removed by close(); the library files stay in `folder`.
    Owner: one run of the tool at a time."""

    def __init__(self, repository: Path, folder: Path, say: Callable[[str], None], inherited: tuple[str, ...] = ()) -> None:
        self.repository = repository
        self.folder = folder
        self.inherited = inherited
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
                     *(f"-D{option}" for option in (*self.inherited, *options))]
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
