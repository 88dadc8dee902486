# SPDX-License-Identifier: MPL-2.0
"""Puts the parts together: build, identify the libraries, measure, cache, count, report."""

from __future__ import annotations

import datetime
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from comparison import cache, machine, options, report, syscalls
from comparison.build import build
from comparison.model import Cell, Column, ComparisonError, Results
from comparison.options import Plan
from comparison.programs import Programs, RunFailed, pinned_processor
from comparison.report import Report
from comparison.schedule import measure_all


def main(arguments: Sequence[str]) -> int:
    """0: everything was measured (but for peers); 1: a cell failed or hung; 2: it could not begin; 130: interrupted."""
    try:
        plan = options.make_plan(arguments, os.environ)
        return compare(plan)
    except ComparisonError as error:
        print(f"run_comparison.py: {error}", file=sys.stderr)
        return 2


def say(line: str) -> None:
    print(line, flush=True)


def compare(plan: Plan) -> int:
    draw = load_plots()
    if plan.syscalls:
        syscalls.require()
    if not plan.reuse_build:
        build(options.REPOSITORY, plan.build_dir)
    processor = pinned_processor(plan.settings)
    programs = Programs(plan.build_dir, processor)
    columns = make_columns(plan)
    identify(programs, columns)
    told = Report(
        started=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"), seconds=0,
        machine=machine.describe(), settings=plan.settings, runs=plan.runs, pinned_to=processor, columns=columns,
        cells=plan.cells(), results=Results())
    begin = time.monotonic()
    try:
        measure(plan, programs, told)
    except KeyboardInterrupt:
        told.interrupted = True
    told.seconds = time.monotonic() - begin
    write(plan, told, draw)
    if told.interrupted:
        return 130
    return 1 if told.failed_for_good() else 0


def load_plots():
    """Asked for before measuring: a report without plots after an hour would be a pity."""
    try:
        from comparison.plots import draw
    except ModuleNotFoundError as missing:
        raise ComparisonError(f"the Python package {missing.name} is missing: pip install -r "
                              "benchwithzmq/requirements.txt (in a virtual environment)") from None
    return draw


def make_columns(plan: Plan) -> list[Column]:
    columns = [Column("zlink", "zlink")]
    if plan.libzmq:
        columns.append(Column("libzmq", "libzmq"))
    columns += [Column(name, "peer", file) for name, file in plan.peers]
    if plan.limit:
        columns.append(Column("limit", "limit"))
    return columns


def identify(programs: Programs, columns: list[Column]) -> None:
    for column in columns:
        named = column.file
        try:
            programs.identify(column)
        except RunFailed as failure:
            raise ComparisonError(f"{column.name}: {failure}") from None
        if named is not None and column.file != named:
            raise ComparisonError(f"{column.name} loads {column.file} instead of {named}")
        if column.file is not None:
            column.sha256 = machine.file_sha256(column.file)
        say(f"{column.name}: {column.file or 'no library'} {column.version}")
    hashes = {column.kind: column.sha256 for column in columns}
    if "libzmq" in hashes and hashes.get("zlink") == hashes["libzmq"]:
        raise ComparisonError("zlink and libzmq are the same library file: there is nothing to compare")


def measure(plan: Plan, programs: Programs, told: Report) -> None:
    def one(column: Column, cell: Cell) -> dict[str, float]:
        return programs.measure(column, cell, plan.settings, plan.timeout_s)

    measured = list(told.columns)
    libzmq = next((column for column in told.columns if column.kind == "libzmq"), None)
    key = cache.make_key(told.machine, libzmq, plan.settings, plan.runs, told.pinned_to) if libzmq else {}
    if libzmq and plan.skip_libzmq:
        cache.load(plan.cache, key, told.cells, told.results, libzmq)
        measured.remove(libzmq)
    measure_all(told.cells, measured, plan.runs, one, told.results, say)
    if libzmq and not plan.skip_libzmq:
        cache.store(plan.cache, key, told.results, libzmq, plan.refresh_libzmq)
    if plan.syscalls:
        told.syscalls = syscalls.count_all(programs, measured, told.cells, plan.settings, plan.timeout_s + 300,
                                           told.results, say)


def output_place(output: Path) -> tuple[Path, str]:
    """The folder and the first part of the files' names."""
    if output.suffix == ".json":
        return output.parent, output.stem
    return output, "comparison"


def write(plan: Plan, told: Report, draw) -> None:
    folder, stem = output_place(plan.output)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}.json").write_text(report.to_json(told), encoding="utf-8")
    plots = draw(told, folder, stem)
    markdown = report.to_markdown(told, plots)
    (folder / f"{stem}.md").write_text(markdown, encoding="utf-8")
    say("")
    for contender in told.contenders:
        say("\n".join(report.summary_table(told, contender, told.base)))
    for peer in told.peers:
        say("\n".join(report.summary_table(told, "zlink", peer)))
    for line in report.failure_lines(told):
        say(line)
    say(f"{folder / stem}.json, .md and {len(plots)} plots")
