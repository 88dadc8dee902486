# SPDX-License-Identifier: MPL-2.0
"""The page of one experiment. No path of the machine goes into it."""

from __future__ import annotations

import dataclasses
import statistics
from pathlib import Path

from comparison.model import Column, Results, Settings
from comparison.report import rate_text, table
from experiments.intervals import HIGHER_IS_BETTER, Analysis, Interval, Row
from experiments.model import LIBZMQ, LIBZMQ_VARIANT, Experiment, Side
from experiments.verdict import RULE, Verdict, agreement_text

JUDGED = {1: "better", 0: "", -1: "worse"}
METHOD = ("Values are medians. A gain is the geometric mean of the ratios of neighbouring runs, turned so that more than 1 is better. "
          "Its interval is a t interval of the logarithms of these ratios, with one degree of freedom less than runs; for a mean over "
          "cells, those of Welch and Satterthwaite.")


@dataclasses.dataclass(frozen=True)
class Told:
    """The contents of a page. commit: of the sources; stale: whether they changed since; command: how to measure it again."""

    experiment: Experiment
    date: str
    machine: dict[str, object]
    commit: str
    stale: str
    settings: Settings
    pinned_to: int | None
    columns: list[Column]
    results: Results
    analysis: Analysis
    verdict: Verdict
    command: str

    @property
    def libzmq(self) -> list[str]:
        """Returns the names of the columns of libzmq."""
        return [column.name for column in self.columns if column.name in (LIBZMQ, LIBZMQ_VARIANT)]


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


def libzmq_cells(told: Told, row: Row) -> list[str]:
    """Returns libzmq's values, and by how much the variant of zlink is better than the last of them."""
    medians = [statistics.median(values) if values else None
               for values in (told.results.get(row.cell, name, row.metric) for name in told.libzmq)]
    if not medians or medians[-1] is None:
        return ["-"] * (len(medians) + bool(medians))
    ratio = row.variant / medians[-1] if HIGHER_IS_BETTER[row.metric] else medians[-1] / row.variant
    return [*("-" if value is None else value_text(row.metric, value) for value in medians), f"{ratio:.2f}"]


def row_cells(told: Told, row: Row) -> list[str]:
    return [str(row.cell), row.metric, value_text(row.metric, row.baseline), value_text(row.metric, row.variant),
            f"{row.interval.gain:.3f}", interval_text(row.interval), JUDGED[row.interval.beyond], *libzmq_cells(told, row)]


def mean_cells(title: str, interval: Interval, more: int) -> list[str]:
    return [f"**geometric mean**{title}", "", "", "", f"**{interval.gain:.3f}**", f"**{interval_text(interval)}**",
            JUDGED[interval.beyond], *[""] * more]


def result_table(told: Told) -> list[str]:
    analysis = told.analysis
    more = [*told.libzmq, "variant / libzmq"] if told.libzmq else []
    rows = [row_cells(told, row) for row in analysis.rows]
    if len(analysis.means) > 1:
        rows += [mean_cells(f", {metric}", interval, len(more)) for metric, interval in analysis.means.items()]
    if analysis.mean is not None:
        rows.append(mean_cells("", analysis.mean, len(more)))
    return table(["cell", "metric", "baseline", "variant", "gain", "95 % interval", "", *more], rows)


def conditions(told: Told) -> list[str]:
    machine, settings = told.machine, told.settings
    pinning = "each run is pinned to one processor" if told.pinned_to is not None else "not pinned"
    lasting = f"{settings.message_count} messages" if settings.message_count else f"{settings.run_ms} ms"
    ends = "two processes" if settings.two_processes else "two threads of one process"
    lines = [f"- {machine['processor']}, {machine['processors']} processors, {machine['memory_mib']} MiB, {machine['system']}, "
             f"kernel {machine['kernel']}, {machine['c_library']}",
             f"- {told.experiment.runs} runs; in a run every side is measured once in every cell, one right after the other, in "
             "alternating order",
             f"- {pinning}; the ends of a measurement are {ends}; throughput runs last {lasting}; {settings.io_threads} I/O thread(s); "
             f"high-water mark {settings.high_water_mark}"]
    lines += [f"- {column.name}: version {column.version}, library file sha256 {column.sha256[:16]}" for column in told.columns]
    return lines


def summary_text(analysis: Analysis) -> str:
    return f"{analysis.mean.gain:.3f} ({interval_text(analysis.mean)})" if analysis.mean else "-"


def change_lines(experiment: Experiment) -> list[str]:
    lines = [f"- baseline: {side_text(experiment.baseline)}", f"- variant: {side_text(experiment.variant)}"]
    if experiment.baseline.settings != experiment.variant.settings:
        lines.append(f"- {LIBZMQ} gets the settings of the baseline, {LIBZMQ_VARIANT} those of the variant")
    return lines


def failure_lines(told: Told) -> list[str]:
    failures = [f"- {failure['library']}, {failure['pattern']} {failure['transport']} {failure['size']} B, run {failure['run']}: "
                f"{failure['reason']}" for failure in told.results.failures]
    return ["## Failures", "", *failures, ""] if failures else []


def render(told: Told) -> str:
    experiment = told.experiment
    lines = [
        f"# {experiment.name}", "",
        f"- Hypothesis: {experiment.hypothesis}",
        f"- Verdict: **{told.verdict.word}**: {told.verdict.reason}",
        f"- Gain: {summary_text(told.analysis)}",
        f"- Engine: {agreement_text(experiment, told.verdict.word)}",
        f"- Measured: {told.date}, {experiment.runs} runs",
        f"- Commit: {told.commit}",
        f"- Stale: {told.stale}", "",
        *(["## Question", "", experiment.question, ""] if experiment.question else []),
        "## Change", "", *change_lines(experiment), "",
        "## Conditions", "", *conditions(told), "",
        *failure_lines(told),
        "## Result", "", METHOD, "",
        *result_table(told),
        "The verdict:", "", *RULE, "",
        "Again:", "", "```", told.command, "```", ""]
    return "\n".join(lines)


def write_page(folder: Path, told: Told) -> Path:
    """Writes the page, in place of the one that was there before."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{told.experiment.name}.md"
    path.write_text(render(told), encoding="utf-8")
    return path
