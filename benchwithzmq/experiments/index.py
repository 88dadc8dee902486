# SPDX-License-Identifier: MPL-2.0
"""The index over the pages of the standing questions. It says which pages are stale and whether the engine follows each verdict."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from comparison.options import REPOSITORY
from comparison.report import table
from experiments import sources
from experiments.model import Experiment
from experiments.verdict import RULE, agreement_text, disagrees

INDEX = "README.md"
VERDICT_WORD = re.compile(r"\*\*(\w+)\*\*")
HEADER = ["experiment", "verdict", "gain, 95 % interval", "the engine", "measured", "commit", "stale"]


def field(text: str, name: str) -> str:
    """Returns one line of the head of a page."""
    found = re.search(rf"^- {name}: (.*)$", text, re.M)
    return found[1] if found else "-"


def with_field(text: str, name: str, value: str) -> str:
    return re.sub(rf"^- {name}: .*$", lambda _: f"- {name}: {value}", text, count=1, flags=re.M)


def verdict_word(text: str) -> str:
    found = VERDICT_WORD.search(field(text, "Verdict"))
    return found[1] if found else "undecided"


def pages(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.md") if path.name != INDEX)


def page_of(folder: Path, experiment: Experiment) -> Path:
    return folder / f"{experiment.name}.md"


def refresh_page(path: Path, experiment: Experiment, repository: Path) -> str:
    """Brings the lines of a page up to date that change without a measurement. Returns its text."""
    before = path.read_text(encoding="utf-8")
    text = with_field(before, "Stale", sources.staleness(repository, field(before, "Commit")))
    text = with_field(text, "Engine", agreement_text(experiment, verdict_word(text)))
    if text != before:
        path.write_text(text, encoding="utf-8")
    return text


def row_of(folder: Path, experiment: Experiment, repository: Path) -> list[str]:
    path = page_of(folder, experiment)
    if not path.is_file():
        return [experiment.name, "not measured yet", *["-"] * (len(HEADER) - 2)]
    text = refresh_page(path, experiment, repository)
    fields = [field(text, name) for name in ("Verdict", "Gain", "Engine", "Measured", "Commit", "Stale")]
    return [f"[{experiment.name}]({path.name})", *(value.replace("|", "\\|") for value in fields)]


def write_index(folder: Path, standing: Sequence[Experiment], repository: Path = REPOSITORY) -> None:
    rows = [row_of(folder, experiment, repository) for experiment in standing]
    lines = [
        "# Experiments", "",
        "Each page measures one change for speed beside the library without it. `benchwithzmq/run_experiment.py` writes the pages and "
        "this list; the changes are in `benchwithzmq/experiments/questions.toml`.", "",
        "```", "make experiments                                       # all of them",
        "benchwithzmq/run_experiment.py --only sync-write-0 --runs 3    # one of them; any number of runs from 3",
        "benchwithzmq/run_experiment.py --index                         # this list again, without a measurement",
        "benchwithzmq/run_experiment.py --check                         # which pages are stale, which patches do not fit", "```", "",
        "A page is stale if `src` or `include` changed since the commit that it measured. This list says so as of "
        f"{sources.commit_text(repository)}.", "",
        "The verdict:", "", *RULE, "",
        *table(HEADER, rows)]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / INDEX).write_text("\n".join(lines), encoding="utf-8")


def problems(folder: Path, standing: Sequence[Experiment]) -> list[str]:
    """Returns what is wrong with the pages: a verdict that the engine does not follow without a reason, a page without a question."""
    found = []
    for experiment in standing:
        path = page_of(folder, experiment)
        if path.is_file() and not experiment.why_not and disagrees(experiment, verdict_word(path.read_text(encoding="utf-8"))):
            found.append(f"{path.name}: the engine does not follow the verdict; questions.toml needs a why_not for {experiment.name}")
    expected = {page_of(folder, experiment) for experiment in standing}
    found += [f"{path.name}: no question has this name" for path in pages(folder) if path not in expected]
    return found


def stale_lines(folder: Path, standing: Sequence[Experiment], repository: Path = REPOSITORY) -> list[str]:
    expected = [path for path in (page_of(folder, experiment) for experiment in standing) if path.is_file()]
    return [f"{path.name}: stale: {sources.staleness(repository, field(path.read_text(encoding='utf-8'), 'Commit'))}"
            for path in expected]
