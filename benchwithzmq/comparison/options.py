# SPDX-License-Identifier: MPL-2.0
"""The command line and the BENCH_* environment, turned into one Plan."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from comparison.environment import MATRIX_VARIABLES, REPOSITORY, read_tuning, refuse_unknown_names, settings_in
from comparison.model import (DEFAULT_SIZES, OWN_TRANSPORTS, OWN_TRANSPORTS_PATTERNS, PATTERNS, REPRESENTATIVE_SIZES, TRANSPORTS, Cell,
                              ComparisonError, Settings)
from comparison.place import RESULTS
from comparison.settings import TABLE
from comparison.sweep import Sweep, parse_sweep

RESERVED_NAMES = ("zlink", "libzmq", "limit")


@dataclasses.dataclass(frozen=True)
class Plan:
    """What this call of the comparison is to do."""

    patterns: tuple[str, ...]
    transports: tuple[str, ...]
    every_cell: bool  # each pattern over each transport
    sizes: tuple[int, ...]
    runs: int
    settings: tuple[Settings, ...]  # one, or one for each value of the sweep
    sweep: Sweep | None
    peers: tuple[tuple[str, Path], ...]
    libzmq: bool
    limit: bool
    skip_libzmq: bool
    refresh_libzmq: bool
    build_dir: Path
    reuse_build: bool
    output: Path | None  # None: a new folder with the date
    cache: Path
    timeout_s: float | None
    syscalls: bool
    cost: bool

    def cells(self) -> list[Cell]:
        return [Cell(pattern, transport, size) for pattern in self.patterns for transport in self.transports
                if self.every_cell or transport not in OWN_TRANSPORTS or pattern in OWN_TRANSPORTS_PATTERNS
                for size in self.sizes]

    def timeout_for(self, settings: Settings) -> float:
        return self.timeout_s if self.timeout_s is not None else default_timeout_s(settings)


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="run_comparison.py", description="Measures zlink and libzmq, interleaved, on the same work.",
        epilog=f"Environment: {', '.join([*MATRIX_VARIABLES, *(row.variable for row in TABLE.values())])}; and the variables "
               "of docs/api/tuning.md, for zlink. See benchwithzmq/README.md.")
    add = made.add_argument
    add("pattern", nargs="?", default="ALL", metavar="PATTERN|ALL",
        help="one of " + ", ".join(PATTERNS) + " (case does not matter), or ALL")
    add("--runs", type=int, default=3, metavar="N", help="how often every cell is measured (default 3)")
    add("--matrix", choices=("full", "representative"), default="full",
        help="representative: sizes 64, 1024, 65536, about five minutes")
    add("--refresh-libzmq", action="store_true", help="drop the cached libzmq results and measure them anew")
    add("--skip-libzmq", action="store_true", help="do not measure libzmq: use the cached results, if they fit")
    add("--zlink-only", action="store_true", help="measure zlink and nothing else")
    add("--peer", action="append", default=[], metavar="NAME=PATH", help="another library file with the same ABI")
    add("--sweep", metavar="NAME=VALUE,VALUE", help="measure with each of these values of one variable; one page for all")
    add("--syscalls", action="store_true", help="count system calls per message too (needs strace)")
    add("--cost", action="store_true", help="measure processor time per message too")
    add("--build-dir", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR",
        help="where to build, or a folder with the programs, as build/bin")
    add("--reuse-build", action="store_true", help="do not configure or build, use what is in --build-dir")
    add("--output", type=Path, default=None, metavar="FILE",
        help="FILE.json: the results, report and plots beside it; any other name: a directory for all of them (default: a new "
             f"directory with the date in {RESULTS.relative_to(REPOSITORY)}, and the link latest)")
    add("--cache", type=Path, default=REPOSITORY / "results" / "cache" / "libzmq.json", metavar="FILE",
        help="where libzmq's results are kept for --skip-libzmq")
    add("--timeout", type=float, default=None, metavar="SECONDS",
        help="when a program counts as hung (default: 30 s plus 20 times its planned length; 600 s with fixed counts)")
    return made


def make_plan(arguments: Sequence[str], environment: Mapping[str, str]) -> Plan:
    """Raises ComparisonError on anything that is not understood; argparse exits by itself."""
    given = parser().parse_args(arguments)
    refuse_contradictions(given)
    refuse_unknown_names(environment)
    sweep = parse_sweep(given.sweep, environment) if given.sweep else None
    environments = [{**environment, sweep.variable: value} for value in sweep.values] if sweep else [environment]
    settings = tuple(dataclasses.replace(settings_in(each), tuning=read_tuning(each)) for each in environments)
    return Plan(
        patterns=named_patterns(given.pattern), transports=common_transports(environment, settings),
        every_cell=bool(listed(environment, "BENCH_TRANSPORTS")),
        sizes=read_sizes(environment, given.matrix), runs=given.runs, settings=settings, sweep=sweep,
        peers=tuple(named_peer(text) for text in given.peer), libzmq=not given.zlink_only,
        limit=not given.zlink_only and all(each.mechanism == "null" for each in settings), skip_libzmq=given.skip_libzmq,
        refresh_libzmq=given.refresh_libzmq, build_dir=given.build_dir.resolve(), reuse_build=given.reuse_build,
        output=given.output.resolve() if given.output else None, cache=given.cache.resolve(), timeout_s=given.timeout,
        syscalls=given.syscalls, cost=given.cost)


def refuse_contradictions(given: argparse.Namespace) -> None:
    if given.runs < 1:
        raise ComparisonError("--runs must be at least 1")
    if given.zlink_only and (given.skip_libzmq or given.refresh_libzmq or given.peer):
        raise ComparisonError("--zlink-only leaves nothing for --skip-libzmq, --refresh-libzmq or --peer to do")
    if given.skip_libzmq and given.refresh_libzmq:
        raise ComparisonError("--skip-libzmq and --refresh-libzmq exclude each other")
    if given.sweep and (given.skip_libzmq or given.refresh_libzmq):
        raise ComparisonError("the cache holds results of one configuration: not with --sweep")


def named_patterns(text: str) -> tuple[str, ...]:
    name = text.upper()
    if name == "ALL":
        return tuple(PATTERNS)
    if name not in PATTERNS:
        raise ComparisonError(f"there is no pattern {text!r}; there are {', '.join(PATTERNS)} and ALL")
    return (name,)


def named_peer(text: str) -> tuple[str, Path]:
    name, separator, path = text.partition("=")
    if not separator or not re.fullmatch(r"[A-Za-z0-9_.+-]+", name) or name in RESERVED_NAMES:
        raise ComparisonError(f"--peer {text!r} is not NAME=PATH with a name of its own")
    file = Path(path).resolve()
    if not file.is_file():
        raise ComparisonError(f"--peer {name}: there is no file {path}")
    return name, file


def listed(environment: Mapping[str, str], name: str) -> list[str]:
    words = re.split(r"[,\s]+", environment.get(name, "").strip())
    return list(dict.fromkeys(word for word in words if word))


def read_sizes(environment: Mapping[str, str], matrix: str) -> tuple[int, ...]:
    words = listed(environment, "BENCH_MSG_SIZES")
    if not words:
        return REPRESENTATIVE_SIZES if matrix == "representative" else DEFAULT_SIZES
    if not all(word.isdecimal() and int(word) > 0 for word in words):
        raise ComparisonError(f"BENCH_MSG_SIZES={environment['BENCH_MSG_SIZES']!r} is not a list of sizes in bytes")
    return tuple(sorted(int(word) for word in words))


def inproc_excluded_by(settings: Settings) -> str | None:
    """Why inproc cannot be measured with these settings."""
    if settings.two_processes:
        return "inproc does not leave its process: not with BENCH_TWO_PROCESSES=1"
    if settings.mechanism != "null":
        return f"inproc has no handshake: not with BENCH_MECHANISM={settings.mechanism}"
    return None


def read_transports(environment: Mapping[str, str], settings: Settings) -> tuple[str, ...]:
    words = listed(environment, "BENCH_TRANSPORTS")
    wrong = [word for word in words if word not in TRANSPORTS]
    if wrong:
        raise ComparisonError(f"BENCH_TRANSPORTS: {wrong[0]!r} is not one of {', '.join(TRANSPORTS)}")
    chosen = tuple(words) or TRANSPORTS
    excluded = inproc_excluded_by(settings)
    if excluded:
        # Asked for by name it is an error, by default it is left out.
        if "inproc" in words:
            raise ComparisonError(excluded)
        chosen = tuple(name for name in chosen if name != "inproc")
    return chosen


def common_transports(environment: Mapping[str, str], settings: Sequence[Settings]) -> tuple[str, ...]:
    """The transports that can be measured with each of these settings."""
    possible = [read_transports(environment, each) for each in settings]
    return tuple(name for name in possible[0] if all(name in others for others in possible))


def default_timeout_s(settings: Settings) -> float:
    if settings.message_count is not None or settings.latency_count is not None or settings.warmup_count is not None:
        return 600.0
    return 30.0 + 20 * settings.run_ms / 1000
