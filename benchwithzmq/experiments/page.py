# SPDX-License-Identifier: MPL-2.0
"""The page of one experiment, and the index over all pages. No path of the machine goes into either."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

from comparison.model import Column, Settings
from comparison.report import rate_text, table
from experiments.intervals import REPLICATES, Analysis, Interval, Row
from experiments.model import Experiment, Side
from experiments.verdict import RULE, Verdict

INDEX = "README.md"
PAGE = re.compile(r"(\d{4})-(.+)\.md")
JUDGED = {1: "better", 0: "", -1: "worse"}


@dataclasses.dataclass(frozen=True)
class Told:
    """All that a page says. commit: of the sources; command: how to do it again."""

    experiment: Experiment
    date: str
    machine: dict[str, object]
    commit: str
    settings: Settings
    pinned_to: int | None
    columns: list[Column]
    analysis: Analysis
    verdict: Verdict
    failures: list[dict[str, object]]
    command: str


def side_text(side: Side) -> str:
    parts = [f"`{name}={value}`" for name, value in side.environment]
    parts += [f"`-D{option}`" for option in side.options]
    if side.patch is not None:
        parts.append(f"the patch `{side.patch.name}`")
    if side.library is not None:
        parts.append(f"another library file, `{side.library.name}`")
    return ", ".join(parts) if parts else "as it is"


def interval_text(interval: Interval) -> str:
    return f"{interval.low:.3f} to {interval.high:.3f}"


def value_text(metric: str, value: float) -> str:
    return f"{rate_text(value)}/s" if metric == "throughput" else f"{value:.3g} µs"


def row_cells(row: Row) -> list[str]:
    return [str(row.cell), row.metric, value_text(row.metric, row.baseline), value_text(row.metric, row.variant),
            f"{row.interval.gain:.3f}", interval_text(row.interval), JUDGED[row.interval.beyond]]


def mean_cells(title: str, interval: Interval) -> list[str]:
    return [f"**geometric mean**{title}", "", "", "", f"**{interval.gain:.3f}**", f"**{interval_text(interval)}**",
            JUDGED[interval.beyond]]


def result_table(analysis: Analysis) -> list[str]:
    rows = [row_cells(row) for row in analysis.rows]
    if len(analysis.means) > 1:
        rows += [mean_cells(f", {metric}", interval) for metric, interval in analysis.means.items()]
    if analysis.mean is not None:
        rows.append(mean_cells("", analysis.mean))
    return table(["cell", "metric", "baseline", "variant", "gain", "95 % interval", ""], rows)


def conditions(told: Told) -> list[str]:
    machine, settings = told.machine, told.settings
    pinning = "each run pinned to one processor" if told.pinned_to is not None else "not pinned"
    lasting = f"{settings.message_count} messages" if settings.message_count else f"{settings.run_ms} ms"
    ends = "two processes" if settings.two_processes else "two threads of one process"
    lines = [f"- {machine['processor']}, {machine['processors']} processors, {machine['memory_mib']} MiB, {machine['system']}, "
             f"kernel {machine['kernel']}, {machine['c_library']}",
             f"- sources: commit {told.commit}",
             f"- {told.experiment.runs} runs of each side in each cell, in the order A B B A, B A A B; {pinning}; the ends of a measurement "
             f"are {ends}; throughput runs last {lasting}; {settings.io_threads} I/O thread(s); high-water mark "
             f"{settings.high_water_mark}"]
    lines += [f"- {column.name}: version {column.version}, library file sha256 {column.sha256[:16]}" for column in told.columns]
    return lines


def summary_text(analysis: Analysis) -> str:
    return f"{analysis.mean.gain:.3f} ({interval_text(analysis.mean)})" if analysis.mean else "-"


def render(number: int, told: Told) -> str:
    experiment = told.experiment
    failures = [f"- {failure['library']}, {failure['pattern']} {failure['transport']} {failure['size']} B, run {failure['run']}: "
                f"{failure['reason']}" for failure in told.failures]
    lines = [
        f"# {number:04d} {experiment.name}", "",
        f"- Hypothesis: {experiment.hypothesis}",
        f"- Verdict: **{told.verdict.word}**: {told.verdict.reason}",
        f"- Gain: {summary_text(told.analysis)}",
        f"- Date: {told.date}", "",
        *(["## Question", "", experiment.question, ""] if experiment.question else []),
        "## Change", "",
        f"- baseline: {side_text(experiment.baseline)}",
        f"- variant: {side_text(experiment.variant)}", "",
        "## Conditions", "", *conditions(told), "",
        *(["## Failures", "", *failures, ""] if failures else []),
        "## Result", "",
        "Medians; a gain is the ratio of medians turned so that more than 1 is better. Intervals: bootstrap over pairs of "
        f"neighbouring runs, {REPLICATES} replicates, percentiles.", "",
        *result_table(told.analysis),
        f"The rule: {RULE}", "",
        "Again:", "", "```", told.command, "```", ""]
    return "\n".join(lines)


def next_number(folder: Path) -> int:
    taken = [int(match[1]) for match in map(PAGE.fullmatch, (path.name for path in folder.glob("*.md"))) if match]
    return max(taken, default=0) + 1


def field(text: str, name: str) -> str:
    found = re.search(rf"^- {name}: (.*)$", text, re.M)
    return found[1].replace("|", "\\|") if found else "-"


def render_index(pages: dict[str, str]) -> str:
    """pages: the text of each page by the name of its file."""
    rows = []
    for name, text in sorted(pages.items()):
        match = PAGE.fullmatch(name)
        rows.append([f"[{match[1]} {match[2]}]({name})", field(text, "Hypothesis"), field(text, "Verdict"), field(text, "Gain"),
                     field(text, "Date")])
    lines = [
        "# Experiments", "",
        "What was tried for speed, and what came of it. Each page has one change, measured beside the library without it by "
        "`benchwithzmq/run_experiment.py`, which writes these pages and this list. `make experiments` asks the questions of "
        "`benchwithzmq/experiments/questions.toml` again; pages are added, not replaced.", "",
        f"The rule: {RULE}", "",
        *(table(["experiment", "hypothesis", "verdict", "gain, 95 % interval", "date"], rows) if rows else ["None yet.", ""])]
    return "\n".join(lines)


def write_index(folder: Path) -> None:
    pages = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md") if PAGE.fullmatch(path.name)}
    (folder / INDEX).write_text(render_index(pages), encoding="utf-8")


def append_page(folder: Path, told: Told) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    number = next_number(folder)
    path = folder / f"{number:04d}-{told.experiment.name}.md"
    path.write_text(render(number, told), encoding="utf-8")
    write_index(folder)
    return path
