# SPDX-License-Identifier: MPL-2.0
"""The command line, and the parts put together."""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from comparison import machine
from comparison.build import link_programs
from comparison.command import say, status_of
from comparison.model import ComparisonError
from comparison.options import REPOSITORY
from comparison.programs import RunFailed, programs_folder
from comparison.schedule import left, rotated
from scale.model import Cell, Results
from scale.schedule import measure_one, turns
from web import report
from web.cells import FULL, LIBRARIES, QUICK, SECTIONS, Library, all_cells
from web.programs import Certificate, Programs
from web.report import Report


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="run_web.py", description="Measures tls, ws and wss beside libraries that are not libzmq.")
    add = made.add_argument
    add("--quick", action="store_true", help="every cell once, and shorter")
    add("--runs", type=int, default=None, metavar="N", help=f"how often every cell is measured ({FULL.runs}; quick: {QUICK.runs})")
    add("--only", action="append", default=[], choices=tuple(SECTIONS), metavar="SECTION",
        help="only this part, may be repeated: " + ", ".join(SECTIONS))
    add("--build-dir", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    add("--python", type=Path, default=Path(sys.executable), metavar="FILE",
        help="a Python that has the packages of web/requirements.txt")
    add("--omq", type=Path, default=REPOSITORY / "build/peers/omq/target/release/libomq_zmq.so", metavar="FILE",
        help="the library of make peers, which takes part if it is there")
    add("--output", type=Path, default=REPOSITORY / "results" / "web", metavar="DIR")
    add("--page", type=Path, default=None, metavar="FILE", help="where the page goes too; docs/performance/web.md for make compare-web")
    add("--timeout", type=float, default=60, metavar="SECONDS", help="when a program counts as hung (default 60)")
    return made


def main(arguments: Sequence[str]) -> int:
    """0: zlink was measured everywhere; 1: a cell of zlink failed; 2: it could not begin."""
    return status_of("run_web.py", lambda: measure(parser().parse_args(arguments)))


def measure(given: argparse.Namespace) -> int:
    effort = QUICK if given.quick else FULL
    runs = effort.runs if given.runs is None else given.runs
    if runs < 1:
        raise ComparisonError("--runs must be at least 1")
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(programs_folder(given.build_dir.resolve()), given.python, Certificate(Path(folder)),
                            given.omq.resolve())
        libraries, missing = find_libraries(programs)
        link_programs(REPOSITORY, programs.folder)
        told = Report(started=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"), seconds=0,
                      machine=machine.describe(), commit=commit(), effort=effort.name, runs=runs, libraries=libraries,
                      missing=missing, cells=all_cells(effort, given.only), results=Results())
        begin = time.monotonic()
        measure_all(programs, told, given.timeout)
        told.seconds = time.monotonic() - begin
    write(given.output, told)
    if given.page is not None:
        given.page.write_text(report.to_markdown(told), encoding="utf-8")
    return 1 if any(failure["library"] == "zlink" for failure in told.results.failures) else 0


def find_libraries(programs: Programs) -> tuple[dict[Library, str], dict[str, str]]:
    found: dict[Library, str] = {}
    missing: dict[str, str] = {}
    for library in LIBRARIES:
        try:
            found[library] = programs.version(library)
        except RunFailed as failure:
            missing[library.name] = str(failure)
    if "zlink" in missing:
        raise ComparisonError(f"zlink: {missing['zlink']}; build the target bench_programs")
    for name, reason in missing.items():
        say(f"{name} is left out: {reason}")
    return found, missing


def commit() -> str:
    done = subprocess.run(["git", "-C", str(REPOSITORY), "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def measure_all(programs: Programs, told: Report, timeout_s: float) -> None:
    """Run by run, cell by cell, one library right after the other, beginning with another one each time."""
    planned = turns(told.cells, told.runs)
    begin = time.monotonic()
    for done, (run, cell) in enumerate(planned, start=1):
        taking_part = [library for library in told.libraries if library.has(cell)]
        lines = {library.name: measure_one(cell, library, run, measurer(programs, timeout_s), told.results)
                 for library in rotated(taking_part, run + done)}
        left_s = (time.monotonic() - begin) / done * (len(planned) - done)
        text = " | ".join(f"{library.name} {lines[library.name]}" for library in taking_part)
        say(f"[{done:{len(str(len(planned)))}}/{len(planned)}, {left(left_s)} left] run {run + 1} {cell}: {text}")


def measurer(programs: Programs, timeout_s: float):
    def once(library: Library, cell: Cell) -> dict[str, float]:
        return programs.measure(library, cell, timeout_s)
    return once


def write(folder: Path, told: Report) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "web.json").write_text(report.to_json(told), encoding="utf-8")
    page = report.to_markdown(told)
    (folder / "web.md").write_text(page, encoding="utf-8")
    say("")
    say(page)
    say(f"{folder / 'web'}.json and .md")
