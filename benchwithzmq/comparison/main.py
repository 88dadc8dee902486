# SPDX-License-Identifier: MPL-2.0
"""Puts the parts together: build, identify the libraries, measure, report."""

from __future__ import annotations

import datetime
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from comparison import machine, options, place, report, sweep_page, syscalls
from comparison.build import build, is_folder_of_programs, link_programs
from comparison.command import say, status_of
from comparison.environment import LOADER_VARIABLES
from comparison.measuring import Measuring, Point
from comparison.memory import MemoryLoad
from comparison.model import Column, ComparisonError, Results, Settings
from comparison.options import Plan
from comparison.programs import Programs, RunFailed, pinned_processor
from comparison.python import load_plots
from comparison.report import Report


def main(arguments: Sequence[str]) -> int:
    """0: everything was measured (but for peers); 1: a cell failed or hung; 2: it could not begin; 130: interrupted."""
    return status_of("run_comparison.py", lambda: compare(options.make_plan(arguments, os.environ)))


def compare(plan: Plan) -> int:
    tell_what_is_kept_away()
    plots = load_plots("comparison")
    if plan.syscalls:
        syscalls.require()
    if not plan.reuse_build and not is_folder_of_programs(plan.build_dir):
        build(options.REPOSITORY, plan.build_dir)
    columns = make_columns(plan)
    now = datetime.datetime.now(datetime.timezone.utc)
    points = make_points(plan, columns, now)
    identify(points[0].programs, columns)
    link_programs(options.REPOSITORY, points[0].programs.folder)
    check_tuning(points, columns[0])
    with MemoryLoad(points[0].programs.folder) as load:
        measuring = Measuring(plan, points, load, say)
        measuring.prepare_each()  # a program that is missing is told before anything is measured
        measure(measuring, [point.report for point in points])
    write(plan, [point.report for point in points], plots, now)
    if points[0].report.interrupted:
        return 130
    return 1 if any(point.report.failed_for_good() for point in points) else 0


def tell_what_is_kept_away() -> None:
    found = [name for name in LOADER_VARIABLES if os.environ.get(name)]
    if found:
        print(f"{' and '.join(found)} of the environment will not reach the programs: they load the libraries that they were "
              "built with", file=sys.stderr)


def make_columns(plan: Plan) -> list[Column]:
    columns = [Column("zlink", "zlink")]
    if plan.libzmq:
        columns.append(Column("libzmq", "libzmq"))
    columns += [Column(name, "peer", file) for name, file in plan.peers]
    if plan.limit:
        columns.append(Column("limit", "limit"))
    return columns


def make_points(plan: Plan, columns: list[Column], now: datetime.datetime) -> list[Point]:
    def point(value: str, settings: Settings) -> Point:
        processor = pinned_processor(settings)
        programs = Programs(plan.build_dir, processor)
        told = Report(
            started=now.strftime("%Y-%m-%d %H:%M UTC"), seconds=0, machine=machine.describe(), settings=settings, runs=plan.runs,
            pinned_to=processor, columns=columns, cells=plan.cells(), results=Results(), notes=programs.notes)
        return Point(value, programs, told, plan.timeout_for(settings))

    values = plan.sweep.values if plan.sweep else ("",)
    return [point(value, settings) for value, settings in zip(values, plan.settings)]


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


def check_tuning(points: list[Point], zlink: Column) -> None:
    for point in points:
        if not point.report.settings.tuning:
            continue
        try:
            point.programs.check_tuning(zlink, point.report.settings)
        except RunFailed as failure:
            raise ComparisonError(str(failure)) from None


def measure(measuring: Measuring, reports: list[Report]) -> None:
    begin = time.monotonic()
    interrupted = False
    try:
        measuring.all()
    except KeyboardInterrupt:
        interrupted = True
    for told in reports:
        told.interrupted = interrupted
        told.seconds = time.monotonic() - begin


def write(plan: Plan, reports: list[Report], plots: object | None, now: datetime.datetime) -> None:
    folder, stem = place.chosen(plan.output) if plan.output else (place.make_dated(place.RESULTS, now), "comparison")
    folder.mkdir(parents=True, exist_ok=True)
    drawn: list[Path] = []
    if plan.sweep:
        (folder / f"{stem}.json").write_text(sweep_page.to_json(plan.sweep, reports), encoding="utf-8")
        drawn = plots.draw_sweep(plan.sweep, reports, folder, stem) if plots else []
        page = sweep_page.to_markdown(plan.sweep, reports, drawn)
    else:
        (folder / f"{stem}.json").write_text(report.to_json(reports[0]), encoding="utf-8")
        drawn = plots.draw(reports[0], folder, stem) if plots else []
        page = report.to_markdown(reports[0], drawn)
    (folder / f"{stem}.md").write_text(page, encoding="utf-8")
    if plan.output is None:
        place.point_latest(folder)
    for each, value in zip(reports, plan.sweep.values if plan.sweep else ("",)):
        tell(each, f"{plan.sweep.variable}={value}" if plan.sweep else "")
    say(f"{folder / stem}.json, .md and {len(drawn)} plots")


def tell(told: Report, title: str) -> None:
    say(title)
    for contender in told.contenders:
        say("\n".join(report.summary_table(told, contender, told.base)))
    for peer in told.peers:
        say("\n".join(report.summary_table(told, "zlink", peer)))
    for line in [*report.clock_lines(told), *report.failure_lines(told)]:
        say(line)
