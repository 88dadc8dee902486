# SPDX-License-Identifier: MPL-2.0
"""The command line, turned into experiments and where to put their pages."""

from __future__ import annotations

import argparse
import dataclasses
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from comparison.environment import settings_in
from comparison.model import ComparisonError, Settings
from comparison.options import REPOSITORY, default_timeout_s
from experiments import questions
from experiments.intervals import HIGHER_IS_BETTER
from experiments.model import BASELINE, DEFAULT_METRICS, FEWEST_RUNS, VARIANT, Experiment, Side, parse_cells, parse_environment
from experiments.sources import built_library

DEFAULT_RUNS = 5
RUN_MS = 100
EPILOG = ("Environment: BENCH_RUN_MS, BENCH_IO_THREADS, BENCH_HWM, BENCH_NO_TASKSET=1 and the others of run_comparison.py hold "
          f"for all sides; BENCH_RUN_MS is {RUN_MS} when left out. Exit status: 0 measured, 1 something failed, 2 could not begin, 130 interrupted.")


@dataclasses.dataclass(frozen=True)
class Plan:
    """What this call is to do. task: measure, list, check or index. cells_given: by the caller, instead of those of the questions."""

    task: str
    experiments: tuple[Experiment, ...]
    settings: Settings
    build_dir: Path
    reuse_build: bool
    folder: Path
    raw: Path
    work: Path
    timeout_s: float
    cells_given: bool


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="run_experiment.py", epilog=EPILOG, description=(
        "Measures one change beside the library without it, with libzmq as a third, and writes a page with intervals and the verdict. "
        "With --questions: the standing questions, one after the other. With --only NAME: one of them."))
    add = made.add_argument
    add("name", nargs="?", help="of the experiment: small letters, digits and dashes")
    add("--hypothesis", metavar="TEXT", help="what the variant is expected to do, and why")
    for side in (VARIANT, BASELINE):
        add(f"--{side}-env", *(["--env"] if side == VARIANT else []), action="append", default=[], metavar="K=V",
            dest=f"{side}_env", help=f"a variable of docs/api/tuning.md, or an option as BENCH_SNDBUF, for the {side}")
        add(f"--{side}-patch", type=Path, metavar="FILE", help=f"the {side} is the last commit with this patch")
        add(f"--{side}-option", action="append", default=[], metavar="K=V", help=f"the {side} is built with this CMake option")
        add(f"--{side}-build", type=Path, metavar="DIR", help=f"the {side} is the library of this build directory")
        add(f"--{side}-library", type=Path, metavar="FILE", help=f"the {side} is this library file")
    add("--cells", default="", metavar="LIST", help="pattern:transport:size,... as pair:tcp:64,first_message:ipc:64")
    add("--metrics", default=",".join(DEFAULT_METRICS), metavar="LIST", help="throughput,latency (default), latency_p99")
    add("--runs", type=int, metavar="N", 
        help=f"values of each side in each cell, {FEWEST_RUNS} or more (default {DEFAULT_RUNS}; for the questions, what their list says)")
    add("--out", type=Path, metavar="DIR",
        help="where pages go (the questions: docs/experiments, with their index; others: results/experiments)")
    add("--questions", action="store_true", help="the experiments of questions.toml instead of one given here")
    add("--only", action="append", default=[], metavar="NAME", help="of the questions only this one; may be repeated")
    add("--list", action="store_true", help="say what the questions are")
    add("--index", action="store_true", help="write the index of the pages again, without a measurement")
    add("--check", action="store_true", help="see that questions, patches and pages are in order; say which pages are stale")
    add("--build-dir", type=Path, default=REPOSITORY / "build" / "bench", metavar="DIR",
        help="the programs, and the library of sides that change only the environment")
    add("--reuse-build", action="store_true", help="do not configure or build --build-dir")
    add("--timeout", type=float, metavar="SECONDS", help="when a program counts as hung")
    return made


def make_side(given: argparse.Namespace, name: str) -> Side:
    def value(what: str):
        return getattr(given, f"{name}_{what}")

    patch, build, library = value("patch"), value("build"), value("library")
    if sum(source is not None for source in (patch or (value("option") or None), build, library)) > 1:
        raise ComparisonError(f"the {name} is one library: a patch and options, a build directory, or a file")
    for file in (patch, library):
        if file is not None and not file.is_file():
            raise ComparisonError(f"there is no file {file}")
    return Side(environment=tuple(parse_environment(text) for text in value("env")),
                patch=patch.resolve() if patch else None, options=tuple(value("option")),
                library=built_library(build) if build else library.resolve() if library else None)


def single_experiment(given: argparse.Namespace) -> Experiment:
    if not given.name or not given.hypothesis:
        raise ComparisonError("an experiment needs a NAME and a --hypothesis; or --questions for the standing ones")
    metrics = tuple(word for word in given.metrics.split(",") if word)
    unknown = [metric for metric in metrics if metric not in HIGHER_IS_BETTER]
    if unknown:
        raise ComparisonError(f"there is no metric {unknown[0]!r}")
    made = Experiment(
        name=given.name, hypothesis=given.hypothesis, baseline=make_side(given, BASELINE), variant=make_side(given, VARIANT),
        cells=parse_cells(given.cells.split(",")), metrics=metrics,
        runs=DEFAULT_RUNS if given.runs is None else given.runs)
    made.check()
    return made


def chosen_questions(given: argparse.Namespace) -> list[Experiment]:
    if given.name or given.hypothesis:
        raise ComparisonError("the questions have their own names and hypotheses; --only chooses among them")
    found = questions.load(runs=given.runs)
    unknown = set(given.only) - {experiment.name for experiment in found}
    if unknown:
        raise ComparisonError(f"there is no question {min(unknown)!r}; --list shows them")
    cells = parse_cells(given.cells.split(","))
    chosen = [experiment for experiment in found if not given.only or experiment.name in given.only]
    return [dataclasses.replace(experiment, cells=cells) for experiment in chosen] if cells else chosen


def make_plan(arguments: Sequence[str], environment: Mapping[str, str]) -> Plan:
    given = parser().parse_args(arguments)
    task = next((name for name in ("list", "check", "index") if getattr(given, name)), "measure")
    standing = bool(given.questions or given.only or task != "measure")
    settings = settings_in({"BENCH_RUN_MS": str(RUN_MS), **environment})
    results = REPOSITORY / "results" / "experiments"
    folder = given.out or (REPOSITORY / "docs" / "experiments" if standing else results)
    return Plan(
        task=task, experiments=tuple(chosen_questions(given) if standing else [single_experiment(given)]), settings=settings,
        build_dir=given.build_dir.resolve(), reuse_build=given.reuse_build, folder=folder.resolve(),
        raw=given.out.resolve() if given.out else results, work=REPOSITORY / "build" / "experiments",
        timeout_s=given.timeout or default_timeout_s(settings), cells_given=bool(given.cells))


def file_word(path: Path) -> str:
    """Returns the path inside the repository, or the name of a file elsewhere."""
    try:
        return str(path.relative_to(REPOSITORY))
    except ValueError:
        return path.name


def side_words(name: str, side: Side) -> list[str]:
    words = [word for variable, value in side.environment for word in (f"--{name}-env", f"{variable}={value}")]
    words += [word for option in side.options for word in (f"--{name}-option", option)]
    for what, path in (("patch", side.patch), ("library", side.library)):
        if path is not None:
            words += [f"--{name}-{what}", file_word(path)]
    return words


def cell_words(experiment: Experiment) -> list[str]:
    return ["--cells", ",".join(cell.key.replace("/", ":").lower() for cell in experiment.cells)]


def command_of(experiment: Experiment, settings: Settings, cells_given: bool = False) -> str:
    """Returns the call that measures this experiment alone."""
    usual = Settings(run_ms=RUN_MS).environment()
    variables = {name: value for name, value in settings.environment().items() if value != usual.get(name)}
    if not settings.pinned:
        variables["BENCH_NO_TASKSET"] = "1"
    words = ["benchwithzmq/run_experiment.py"]
    if experiment.standing:
        words += ["--only", experiment.name, *(cell_words(experiment) if cells_given else [])]
    else:
        words += [experiment.name, "--hypothesis", experiment.hypothesis, *side_words(BASELINE, experiment.baseline),
                  *side_words(VARIANT, experiment.variant), *cell_words(experiment), "--metrics", ",".join(experiment.metrics)]
    words += ["--runs", str(experiment.runs)]
    return " ".join([*(f"{name}={value}" for name, value in variables.items()), *(shlex.quote(word) for word in words)])
