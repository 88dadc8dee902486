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
from experiments.model import BASELINE, DEFAULT_METRICS, VARIANT, Experiment, Side, parse_cells, parse_environment
from experiments.sources import built_library

DEFAULT_RUNS = 10
EPILOG = ("Environment: BENCH_RUN_MS, BENCH_IO_THREADS, BENCH_HWM, BENCH_NO_TASKSET=1 and the others of run_comparison.py hold "
          "for both sides. Exit status: 0 measured, 1 something failed, 2 could not begin, 130 interrupted.")


@dataclasses.dataclass(frozen=True)
class Plan:
    """What this call is to do. task: measure, list or check."""

    task: str
    experiments: tuple[Experiment, ...]
    settings: Settings
    build_dir: Path
    reuse_build: bool
    folder: Path
    raw: Path
    work: Path
    timeout_s: float


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="run_experiment.py", epilog=EPILOG, description=(
        "Measures one change beside the library without it, in the order A B B A, and appends a page with intervals and the "
        "verdict. With --questions: the standing questions, one after the other."))
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
    add("--runs", type=int, metavar="N", help=f"values of each side in each cell, an even number (default {DEFAULT_RUNS})")
    add("--out", type=Path, default=REPOSITORY / "docs" / "experiments", metavar="DIR", help="where pages and their index go")
    add("--questions", action="store_true", help="the experiments of questions.toml instead of one given here")
    add("--only", action="append", default=[], metavar="NAME", help="of the questions only this one; may be repeated")
    add("--list", action="store_true", help="say what the questions are")
    add("--check", action="store_true", help="see that the questions are in order and their patches fit the sources")
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
        cells=parse_cells(given.cells.split(",")), runs=given.runs or DEFAULT_RUNS, metrics=metrics)
    made.check()
    return made


def chosen_questions(given: argparse.Namespace) -> list[Experiment]:
    if given.name or given.hypothesis or given.cells:
        raise ComparisonError("the questions have their own names, hypotheses and cells; --only chooses among them")
    found = questions.load(runs=given.runs)
    unknown = set(given.only) - {experiment.name for experiment in found}
    if unknown:
        raise ComparisonError(f"there is no question {min(unknown)!r}; --list shows them")
    return [experiment for experiment in found if not given.only or experiment.name in given.only]


def make_plan(arguments: Sequence[str], environment: Mapping[str, str]) -> Plan:
    given = parser().parse_args(arguments)
    task = "list" if given.list else "check" if given.check else "measure"
    standing = given.questions or given.only or task != "measure"
    settings = settings_in(environment)
    return Plan(
        task=task, experiments=tuple(chosen_questions(given) if standing else [single_experiment(given)]), settings=settings,
        build_dir=given.build_dir.resolve(), reuse_build=given.reuse_build, folder=given.out.resolve(),
        raw=REPOSITORY / "results" / "experiments", work=REPOSITORY / "build" / "experiments",
        timeout_s=given.timeout or default_timeout_s(settings))


def file_word(path: Path) -> str:
    """As somebody else would write it: inside the repository, or by its name."""
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


def command_of(experiment: Experiment, settings: Settings) -> str:
    """The call that measures this experiment alone."""
    variables = {name: value for name, value in settings.environment().items() if value != Settings().environment().get(name)}
    if not settings.pinned:
        variables["BENCH_NO_TASKSET"] = "1"
    words = ["benchwithzmq/run_experiment.py", experiment.name, "--hypothesis", experiment.hypothesis,
             *side_words(BASELINE, experiment.baseline), *side_words(VARIANT, experiment.variant), "--cells",
             ",".join(cell.key.replace("/", ":").lower() for cell in experiment.cells), "--metrics", ",".join(experiment.metrics),
             "--runs", str(experiment.runs)]
    return " ".join([*(f"{name}={value}" for name, value in variables.items()), *(shlex.quote(word) for word in words)])
