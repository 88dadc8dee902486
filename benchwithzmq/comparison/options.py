# SPDX-License-Identifier: MPL-2.0
"""The command line and the BENCH_* environment, turned into one Plan."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from comparison.model import (DEFAULT_SIZES, MECHANISMS, PATTERNS, REPRESENTATIVE_SIZES, TRANSPORTS, Cell,
                              ComparisonError, Settings)

REPOSITORY = Path(__file__).resolve().parents[2]
RESERVED_NAMES = ("zlink", "libzmq", "limit")


@dataclasses.dataclass(frozen=True)
class Plan:
    """What this call of the comparison is to do."""

    patterns: tuple[str, ...]
    transports: tuple[str, ...]
    sizes: tuple[int, ...]
    runs: int
    settings: Settings
    peers: tuple[tuple[str, Path], ...]
    libzmq: bool
    limit: bool
    skip_libzmq: bool
    refresh_libzmq: bool
    build_dir: Path
    reuse_build: bool
    output: Path
    cache: Path
    timeout_s: float
    syscalls: bool

    def cells(self) -> list[Cell]:
        return [Cell(pattern, transport, size) for pattern in self.patterns for transport in self.transports
                for size in self.sizes]


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="run_comparison.py", description="Measures zlink and libzmq, interleaved, on the same work.",
        epilog="Environment: BENCH_TRANSPORTS, BENCH_MSG_SIZES (lists with commas), BENCH_MSG_COUNT, "
               "BENCH_WARMUP_COUNT, BENCH_LAT_COUNT, BENCH_RUN_MS, BENCH_IO_THREADS, BENCH_SNDBUF, BENCH_RCVBUF, "
               "BENCH_HWM, BENCH_MECHANISM=curve, BENCH_TWO_PROCESSES=1, BENCH_NO_TASKSET=1, BENCH_DEBUG=1. See "
               "benchwithzmq/README.md.")
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
    add("--syscalls", action="store_true", help="count system calls per message too (needs strace)")
    add("--build-dir", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    add("--reuse-build", action="store_true", help="do not configure or build, use what is in --build-dir")
    add("--output", type=Path, default=REPOSITORY / "results" / "comparison", metavar="FILE",
        help="FILE.json: the results, report and plots beside it; any other name: a directory for all of them")
    add("--cache", type=Path, default=REPOSITORY / "results" / "cache" / "libzmq.json", metavar="FILE",
        help="where libzmq's results are kept for --skip-libzmq")
    add("--timeout", type=float, default=None, metavar="SECONDS",
        help="when a program counts as hung (default: 30 s plus 20 times its planned length; 600 s with fixed counts)")
    return made


def make_plan(arguments: Sequence[str], environment: Mapping[str, str]) -> Plan:
    """Raises ComparisonError on anything that is not understood; argparse exits by itself."""
    given = parser().parse_args(arguments)
    if given.runs < 1:
        raise ComparisonError("--runs must be at least 1")
    if given.zlink_only and (given.skip_libzmq or given.refresh_libzmq or given.peer):
        raise ComparisonError("--zlink-only leaves nothing for --skip-libzmq, --refresh-libzmq or --peer to do")
    if given.skip_libzmq and given.refresh_libzmq:
        raise ComparisonError("--skip-libzmq and --refresh-libzmq exclude each other")
    settings = read_settings(environment)
    sizes = read_sizes(environment, given.matrix)
    transports = read_transports(environment, settings)
    return Plan(
        patterns=named_patterns(given.pattern), transports=transports, sizes=sizes, runs=given.runs,
        settings=settings, peers=tuple(named_peer(text) for text in given.peer),
        libzmq=not given.zlink_only, limit=not given.zlink_only and settings.mechanism == "null",
        skip_libzmq=given.skip_libzmq,
        refresh_libzmq=given.refresh_libzmq, build_dir=given.build_dir.resolve(), reuse_build=given.reuse_build,
        output=given.output.resolve(), cache=given.cache.resolve(),
        timeout_s=given.timeout if given.timeout is not None else default_timeout_s(settings),
        syscalls=given.syscalls)


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


def read_number(environment: Mapping[str, str], name: str, low: int, missing: int | None) -> int | None:
    text = environment.get(name, "").strip()
    if not text:
        return missing
    if not re.fullmatch(r"-?\d+", text) or int(text) < low:
        raise ComparisonError(f"{name}={text!r} is not a number from {low} on")
    return int(text)


def read_switch(environment: Mapping[str, str], name: str) -> bool:
    text = environment.get(name, "").strip()
    if text not in ("", "0", "1"):
        raise ComparisonError(f"{name}={text!r} is neither 0 nor 1")
    return text == "1"


def read_settings(environment: Mapping[str, str]) -> Settings:
    return Settings(
        message_count=read_number(environment, "BENCH_MSG_COUNT", 1, None),
        warmup_count=read_number(environment, "BENCH_WARMUP_COUNT", 0, None),
        latency_count=read_number(environment, "BENCH_LAT_COUNT", 1, None),
        run_ms=read_number(environment, "BENCH_RUN_MS", 10, Settings.run_ms),
        io_threads=read_number(environment, "BENCH_IO_THREADS", 1, 1),
        send_buffer_bytes=read_number(environment, "BENCH_SNDBUF", 0, None),
        receive_buffer_bytes=read_number(environment, "BENCH_RCVBUF", 0, None),
        high_water_mark=read_number(environment, "BENCH_HWM", 0, 0),
        mechanism=read_mechanism(environment),
        two_processes=read_switch(environment, "BENCH_TWO_PROCESSES"),
        pinned=not read_switch(environment, "BENCH_NO_TASKSET"),
        debug=read_switch(environment, "BENCH_DEBUG"))


def read_mechanism(environment: Mapping[str, str]) -> str:
    text = environment.get("BENCH_MECHANISM", "").strip() or Settings.mechanism
    if text not in MECHANISMS:
        raise ComparisonError(f"BENCH_MECHANISM={text!r} is not one of {', '.join(MECHANISMS)}")
    return text


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


def default_timeout_s(settings: Settings) -> float:
    if settings.message_count is not None or settings.latency_count is not None or settings.warmup_count is not None:
        return 600.0
    return 30.0 + 20 * settings.run_ms / 1000
