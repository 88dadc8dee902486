# SPDX-License-Identifier: MPL-2.0
"""Puts the parts together: libraries, measuring, intervals, verdict, page."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from comparison import machine
from comparison.build import build
from comparison.model import Cell, Column, ComparisonError, Results, Settings
from comparison.options import REPOSITORY
from comparison.programs import RunFailed, pinned_processor
from experiments import options, page, sources
from experiments.intervals import analyse, sample_of
from experiments.model import BASELINE, TUNING, VARIANT, Experiment, Side
from experiments.options import Plan
from experiments.programs import ExperimentPrograms
from experiments.schedule import measure_interleaved
from experiments.sources import Sources
from experiments.verdict import judge


def main(arguments: Sequence[str]) -> int:
    """0: everything was measured; 1: something failed; 2: it could not begin; 130: interrupted, without a page."""
    try:
        plan = options.make_plan(arguments, os.environ)
        return {"list": list_questions, "check": check_questions, "measure": measure_all}[plan.task](plan)
    except ComparisonError as error:
        print(f"run_experiment.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def say(line: str) -> None:
    print(line, flush=True)


def list_questions(plan: Plan) -> int:
    for experiment in plan.experiments:
        say(f"{experiment.name}\n    {experiment.question}\n    {experiment.hypothesis}\n"
            f"    baseline: {page.side_text(experiment.baseline)}; variant: {page.side_text(experiment.variant)}\n"
            f"    {len(experiment.cells)} cells, {experiment.runs} runs")
    return 0


def check_questions(plan: Plan) -> int:
    patches = {patch for experiment in plan.experiments for patch in (experiment.baseline.patch, experiment.variant.patch) if patch}
    stale = 0
    for patch in sorted(patches):
        reason = sources.applies(REPOSITORY, patch)
        stale += bool(reason)
        say(f"{patch.name}: {reason or 'fits'}")
    say(f"{len(plan.experiments)} experiments, {len(patches)} patches, {stale} of them do not fit")
    return 1 if stale else 0


def measure_all(plan: Plan) -> int:
    if not plan.reuse_build:
        build(REPOSITORY, plan.build_dir)
    made = Sources(REPOSITORY, plan.work, say)
    failed = 0
    try:
        for experiment in plan.experiments:
            say(f"== {experiment.name}")
            try:
                failed += not measure_one(plan, experiment, made)
            except ComparisonError as error:
                if len(plan.experiments) == 1:
                    raise
                failed += 1  # the other questions can be answered all the same
                say(f"{experiment.name} COULD NOT BE MEASURED: {error}")
    finally:
        made.close()
    return 1 if failed else 0


def measure_one(plan: Plan, experiment: Experiment, made: Sources) -> bool:
    settings = plan.settings
    if experiment.pinned is not None:
        settings = dataclasses.replace(settings, pinned=experiment.pinned)
    programs = ExperimentPrograms(plan.build_dir, pinned_processor(settings))
    columns = make_columns(plan, experiment, made, programs)
    results = Results()

    def one(column: Column, cell: Cell) -> dict[str, float]:
        return programs.measure(column, cell, settings, plan.timeout_s)

    measure_interleaved(experiment.cells, columns, experiment.runs, one, results, say)
    told = conclude(experiment, settings, programs.processor, columns, results)
    written = page.append_page(plan.folder, told)
    write_raw(plan.raw / f"{written.stem}.json", told, results)
    say(f"{told.verdict.word}: {told.verdict.reason}; gain {page.summary_text(told.analysis)}; {written}")
    return not results.failures


def make_columns(plan: Plan, experiment: Experiment, made: Sources, programs: ExperimentPrograms) -> list[Column]:
    base = sources.built_library(plan.build_dir)
    pairs = ((BASELINE, experiment.baseline, experiment.variant), (VARIANT, experiment.variant, experiment.baseline))
    columns = []
    for name, side, other in pairs:
        column = Column(name, "peer", sources.library_of(side, other, base, made), environment=dict(side.environment))
        identify(column, side, programs)
        columns.append(column)
    if columns[0].sha256 == columns[1].sha256 and columns[0].environment == columns[1].environment:
        raise ComparisonError(f"{experiment.name}: both sides are the same library: the change changes nothing")
    return columns


def identify(column: Column, side: Side, programs: ExperimentPrograms) -> None:
    wanted = column.file
    try:
        programs.identify(column)
    except RunFailed as failure:
        raise ComparisonError(f"{column.name}: {failure}") from None
    if column.file != wanted:
        raise ComparisonError(f"{column.name} loads {column.file} instead of {wanted}")
    column.sha256 = machine.file_sha256(column.file)
    content = column.file.read_bytes()
    for variable, _ in side.environment:
        if variable.startswith(TUNING) and variable.encode() not in content:
            raise ComparisonError(f"{column.name}: the library does not know {variable}")
    say(f"{column.name}: {column.file} {column.version} {page.side_text(side)}")


def conclude(experiment: Experiment, settings: Settings, processor: int | None, columns: list[Column],
             results: Results) -> page.Told:
    analysis = analyse(sample_of(experiment, results))
    name, changed = sources.commit(REPOSITORY)
    built = experiment.baseline.built or experiment.variant.built
    return page.Told(
        experiment=experiment, date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        machine=machine.describe(), commit=name + (" with changes that are not committed" if changed and not built else ""),
        settings=settings, pinned_to=processor, columns=columns, analysis=analysis,
        verdict=judge(analysis, experiment.runs, len(results.failures)), failures=results.failures,
        command=options.command_of(experiment, settings))


def write_raw(file: Path, told: page.Told, results: Results) -> None:
    """Every single value, for whoever doubts the intervals."""
    file.parent.mkdir(parents=True, exist_ok=True)
    cells = [{"cell": cell.key, "results": results.values.get(cell, {})} for cell in told.experiment.cells]
    file.write_text(json.dumps({
        "format": 1, "name": told.experiment.name, "date": told.date, "commit": told.commit, "machine": told.machine,
        "configuration": {"runs": told.experiment.runs, "pinned_to": told.pinned_to, **told.settings.described()},
        "libraries": [{**column.described(), "environment": column.environment} for column in told.columns],
        "cells": cells, "failures": results.failures}, indent=1), encoding="utf-8")
