# SPDX-License-Identifier: MPL-2.0
"""The command line, and the parts put together: build, identify, measure, report."""

from __future__ import annotations

import argparse
import datetime
import time
from collections.abc import Sequence
from pathlib import Path

from comparison import machine, syscalls
from comparison.build import build, is_folder_of_programs, link_programs
from comparison.model import Column, ComparisonError
from comparison.options import REPOSITORY, named_peer
from comparison.programs import RunFailed
from comparison.python import load_plots
from scale import report
from scale.cells import FULL, QUICK, SECTIONS, Effort, all_cells
from scale.model import How, Results
from scale.programs import Programs
from scale.report import Report
from scale.schedule import measure_all


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="run_scale.py", description="Measures zlink and libzmq, interleaved, with many peers and as they are deployed.")
    add = made.add_argument
    add("--quick", action="store_true", help="fewer and smaller cells, once each: under two minutes")
    add("--runs", type=int, default=None, metavar="N", help=f"how often every cell is measured ({FULL.runs}; quick: "
        f"{QUICK.runs}); what takes long at most three times")
    add("--only", action="append", default=[], choices=tuple(SECTIONS), metavar="SECTION",
        help="only this part, may be repeated: " + ", ".join(SECTIONS))
    add("--zlink-only", action="store_true", help="measure zlink and nothing else")
    add("--peer", action="append", default=[], metavar="NAME=PATH", help="another library file with the same ABI")
    add("--build-dir", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR")
    add("--reuse-build", action="store_true", help="do not configure or build, use what is in --build-dir")
    add("--output", type=Path, default=REPOSITORY / "results" / "scale", metavar="DIR")
    add("--timeout", type=float, default=60, metavar="SECONDS", help="when a program counts as hung (default 60)")
    return made


def main(arguments: Sequence[str]) -> int:
    """0: everything was measured (but for peers); 1: a cell failed or hung; 2: it could not begin; 130: interrupted."""
    return status_of("run_scale.py", lambda: measure(parser().parse_args(arguments)))


def measure(given: argparse.Namespace) -> int:
    plots = load_plots("scale")
    effort: Effort = QUICK if given.quick else FULL
    runs = effort.runs if given.runs is None else given.runs
    if runs < 1:
        raise ComparisonError("--runs must be at least 1")
    cells = all_cells(effort, given.only)
    if any(cell.how is How.COUNTING_SYSTEM_CALLS for cell in cells):
        syscalls.require()
    columns = make_columns(given)
    if not given.reuse_build and not is_folder_of_programs(given.build_dir):
        build(REPOSITORY, given.build_dir)
    programs = Programs(given.build_dir.resolve())
    link_programs(REPOSITORY, programs.folder)
    identify(programs, columns)
    told = Report(
        started=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), seconds=0,
        machine=machine.describe(), effort=effort.name, runs=runs, columns=columns, cells=cells, results=Results())
    begin = time.monotonic()
    try:
        measure_all(cells, columns, runs, lambda column, cell: programs.measure(column, cell, given.timeout),
                    told.results, say)
    except KeyboardInterrupt:
        told.interrupted = True
    told.seconds = time.monotonic() - begin
    write(given.output, told, plots)
    if told.interrupted:
        return 130
    return 1 if told.failed_for_good() else 0


def make_columns(given: argparse.Namespace) -> list[Column]:
    if given.zlink_only and given.peer:
        raise ComparisonError("--zlink-only leaves nothing for --peer to do")
    columns = [Column("zlink", "zlink")]
    if not given.zlink_only:
        columns.append(Column("libzmq", "libzmq"))
    return columns + [Column(name, "peer", file) for name, file in map(named_peer, given.peer)]


def identify(programs: Programs, columns: Sequence[Column]) -> None:
    for column in columns:
        named = column.file
        try:
            programs.identify(column)
        except RunFailed as failure:
            raise ComparisonError(f"{column.name}: {failure}") from None
        if named is not None and column.file != named:
            raise ComparisonError(f"{column.name} loads {column.file} instead of {named}")
        column.sha256 = machine.file_sha256(column.file)
        say(f"{column.name}: {column.file} {column.version}")
    hashes = [column.sha256 for column in columns]
    if len(set(hashes)) != len(hashes):
        raise ComparisonError("two of these are the same library file: there is nothing to compare")


def write(folder: Path, told: Report, plots: object | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "scale.json").write_text(report.to_json(told), encoding="utf-8")
    drawn = plots.draw(told, folder, "scale") if plots else []
    (folder / "scale.md").write_text(report.to_markdown(told, drawn), encoding="utf-8")
    say("")
    for section in SECTIONS:
        for line in report.section_table(told, section):
            say(line)
    for line in report.failure_lines(told):
        say(line)
    say(f"{folder / 'scale'}.json, .md and {len(drawn)} plots")
