# SPDX-License-Identifier: MPL-2.0
"""Puts the parts together: libraries, measuring, intervals, verdict, page."""

from __future__ import annotations

import dataclasses
import datetime
import json
import os
from collections.abc import Sequence
from pathlib import Path

from comparison import machine
from comparison.build import build
from comparison.command import say, status_of
from comparison.model import Cell, Column, ComparisonError, Results, Settings
from comparison.options import REPOSITORY
from comparison.programs import RunFailed, pinned_processor
from experiments import index, options, page, questions, sources
from experiments.intervals import analyse, sample_of
from experiments.model import BASELINE, LIBZMQ, LIBZMQ_VARIANT, TUNING, VARIANT, Experiment, Side
from experiments.options import Plan
from experiments.programs import ExperimentPrograms
from experiments.schedule import Progress, measure_interleaved
from experiments.sources import Sources
from experiments.verdict import judge

START_S = 0.07  # of a program


def main(arguments: Sequence[str]) -> int:
    """0: everything was measured; 1: something failed; 2: it could not begin; 130: interrupted, without a page."""
    try:
        return status_of("run_experiment.py", lambda: carry_out(options.make_plan(arguments, os.environ)))
    except KeyboardInterrupt:
        return 130


def carry_out(plan: Plan) -> int:
    return {"list": list_questions, "check": check_questions, "index": make_index, "measure": measure_all}[plan.task](plan)


def list_questions(plan: Plan) -> int:
    for experiment in plan.experiments:
        say(f"{experiment.name}\n    {experiment.question}\n    {experiment.hypothesis}\n"
            f"    baseline: {page.side_text(experiment.baseline)}; variant: {page.side_text(experiment.variant)}\n"
            f"    {len(experiment.cells)} cells, {experiment.runs} runs")
    return 0


def check_questions(plan: Plan) -> int:
    """Staleness is told and is no failure: it goes away with the next measurement only."""
    patches = {patch for experiment in plan.experiments for patch in (experiment.baseline.patch, experiment.variant.patch) if patch}
    unfit = 0
    for patch in sorted(patches):
        reason = sources.applies(REPOSITORY, patch)
        unfit += reason not in ("", sources.NO_HISTORY)
        say(f"{patch.name}: {reason or 'fits'}")
    for line in index.stale_lines(plan.folder, plan.experiments):
        say(line)
    wrong = index.problems(plan.folder, questions.load())
    for line in wrong:
        say(line)
    say(f"{len(plan.experiments)} experiments, {len(patches)} patches, {unfit} of them do not fit, {len(wrong)} problems with pages")
    return 1 if unfit or wrong else 0


def make_index(plan: Plan) -> int:
    index.write_index(plan.folder, questions.load())
    return 0


def measure_all(plan: Plan) -> int:
    if not plan.reuse_build:
        build(REPOSITORY, plan.build_dir)
    say(estimate(plan))
    steps = Progress(sum(len(experiment.cells) * experiment.runs for experiment in plan.experiments), say)
    made = Sources(REPOSITORY, plan.work, say, sources.inherited_options(plan.build_dir))
    failed = 0
    try:
        for number, experiment in enumerate(plan.experiments, 1):
            say(f"== {number} of {len(plan.experiments)}: {experiment.name}")
            try:
                failed += not measure_one(plan, experiment, made, steps)
            except ComparisonError as error:
                if len(plan.experiments) == 1:
                    raise
                failed += 1  # the other questions can be answered all the same
                steps.total -= len(experiment.cells) * experiment.runs
                say(f"{experiment.name} COULD NOT BE MEASURED: {error}")
    finally:
        made.close()
    return 1 if failed else 0


def estimate(plan: Plan) -> str:
    """A program runs for run_ms, a tenth of it for the warm-up, two fifths of it for the latency, and a moment to start and to end."""
    programs = sum(len(experiment.cells) * experiment.runs * (4 if differing_settings(experiment) else 3) for experiment in plan.experiments)
    libraries = {(side.patch, side.options) for experiment in plan.experiments for side in (experiment.baseline, experiment.variant)
                 if experiment.baseline.built or experiment.variant.built}
    minutes = programs * (1.5 * plan.settings.run_ms / 1000 + START_S) / 60
    return (f"{len(plan.experiments)} experiments, {programs} measurements: about {minutes:.0f} minutes; {len(libraries)} libraries to "
            "build, about a minute each")


def differing_settings(experiment: Experiment) -> bool:
    return experiment.baseline.settings != experiment.variant.settings


def measure_one(plan: Plan, experiment: Experiment, made: Sources, steps: Progress) -> bool:
    settings = plan.settings
    if experiment.pinned is not None:
        settings = dataclasses.replace(settings, pinned=experiment.pinned)
    programs = ExperimentPrograms(plan.build_dir, pinned_processor(settings))
    columns = [*make_columns(plan, experiment, made, programs), *libzmq_columns(experiment, programs)]
    results = Results()

    def one(column: Column, cell: Cell) -> dict[str, float]:
        return programs.measure(column, cell, settings, plan.timeout_s)

    measure_interleaved(experiment.cells, columns, experiment.runs, one, results, steps)
    told = conclude(plan, experiment, settings, programs.processor, columns, results)
    written = page.write_page(plan.folder, told)
    if experiment.standing:
        index.write_index(plan.folder, questions.load())
    write_raw(plan.raw / f"{written.stem}.json", told)
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


def libzmq_columns(experiment: Experiment, programs: ExperimentPrograms) -> list[Column]:
    """Returns the system's libzmq, loaded by the same programs; twice where the sides differ in settings that it has, too."""
    system = Column(LIBZMQ, "libzmq")
    programs.identify(system)
    names = (LIBZMQ, LIBZMQ_VARIANT) if differing_settings(experiment) else (LIBZMQ,)
    return [Column(name, "peer", system.file, system.version, machine.file_sha256(system.file), environment=side.settings)
            for name, side in zip(names, (experiment.baseline, experiment.variant))]


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


def conclude(plan: Plan, experiment: Experiment, settings: Settings, processor: int | None, columns: list[Column],
             results: Results) -> page.Told:
    analysis = analyse(sample_of(experiment, results))
    failures = sum(failure["library"] in (BASELINE, VARIANT) for failure in results.failures)
    built = experiment.baseline.built or experiment.variant.built
    commit = sources.commit_text(REPOSITORY)
    if sources.changed(REPOSITORY) and not built:
        commit += f" {sources.NOT_COMMITTED}"
    return page.Told(
        experiment=experiment, date=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        machine=machine.describe(), commit=commit, stale=sources.staleness(REPOSITORY, commit), settings=settings, pinned_to=processor,
        columns=columns, results=results, analysis=analysis, verdict=judge(analysis, failures),
        command=options.command_of(experiment, plan.settings, plan.cells_given))


def write_raw(file: Path, told: page.Told) -> None:
    """Writes every single value."""
    results = told.results
    file.parent.mkdir(parents=True, exist_ok=True)
    cells = [{"cell": cell.key, "results": results.values.get(cell, {})} for cell in told.experiment.cells]
    file.write_text(json.dumps({
        "format": 1, "name": told.experiment.name, "date": told.date, "commit": told.commit, "machine": told.machine,
        "configuration": {"runs": told.experiment.runs, "pinned_to": told.pinned_to, **told.settings.described()},
        "libraries": [{**column.described(), "environment": column.environment} for column in told.columns],
        "cells": cells, "failures": results.failures}, indent=1), encoding="utf-8")
