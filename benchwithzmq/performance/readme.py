# SPDX-License-Identifier: MPL-2.0
"""The block of numbers in README.md and README.ko.md, between two marker comments."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

from comparison.model import ComparisonError
from comparison.report import Report, table
from comparison.summary import GROUPS, group_mean
from performance import newcomer
from performance.series import Series, newest
from performance.values import MISSING, behind, columns_of, compared, with_part

BEGIN, END = "<!-- performance:begin -->", "<!-- performance:end -->"
SUMMARISED = ("one-processor", "all-processors")
SUMMARY_GROUPS = (0, 1, 3)  # of GROUPS: throughput of small and of large messages, latency


@dataclasses.dataclass(frozen=True)
class Language:
    """The words of one README."""

    picture: str
    processes: str
    means: str
    groups: tuple[str, ...]
    settings: tuple[str, ...]
    both: str
    series: str
    behind: str
    stream: str
    trip: str
    bare: str


LANGUAGES = {
    "README.md": Language(
        picture="Messages per second and round trips between two processes",
        processes="Two processes on one machine: PUSH sends to PULL, and REQ waits for each reply of REP. Medians{both}. "
                  "Bare sockets sleep in each receive; a zlink thread spins before it sleeps.",
        means="Two threads of one process ran all patterns that have the value. "
              "The cells are geometric means of the ratios, in brackets the worst cell{both}. Less latency is better.",
        groups=("throughput, up to 1 KiB", "throughput, from 64 KiB", "latency (lower is better)"),
        settings=("one processor", "all processors"),
        both="; series 1 / series 2",
        series="- Series {number}: {started}, {processor}, {processors} processors, {system}, kernel {kernel}, "
               "libzmq {libzmq}, zlink at commit {commit}.",
        behind="zlink is behind libzmq in {counts}. The list, every cell and the spread of the runs: "
               "[docs/PERFORMANCE.md](docs/PERFORMANCE.md). `make performance` measures and writes these numbers.",
        stream="messages/s, {transport}, {size}", trip="round trip, {transport}, {size}, {percentile}", bare="bare sockets"),
    "README.ko.md": Language(
        picture="두 프로세스 사이의 초당 메시지 수와 왕복 시간",
        processes="한 컴퓨터에서 실행한 두 프로세스의 결과입니다. PUSH는 PULL로 보내기만 하고, REQ는 매번 REP의 응답을 기다립니다. "
                  "값은 중앙값입니다{both}. 소켓만 쓴 프로그램은 수신할 때마다 잠들고, zlink 스레드는 잠들기 전에 잠시 스핀합니다.",
        means="한 프로세스의 두 스레드로 해당 값이 있는 모든 패턴을 측정했습니다. 값은 비율의 기하평균이고, 괄호 안은 가장 나쁜 값입니다{both}. "
              "지연 시간은 낮을수록 좋습니다.",
        groups=("처리량, 1 KiB까지", "처리량, 64 KiB부터", "지연 시간 (낮을수록 좋음)"),
        settings=("프로세서 하나", "모든 프로세서"),
        both="(측정 1 / 측정 2)",
        series="- 측정 {number}: {started}, {processor}, 프로세서 {processors}개, {system}, 커널 {kernel}, libzmq {libzmq}, "
               "zlink 커밋 {commit}.",
        behind="zlink가 libzmq에 뒤진 값은 {counts}입니다. 그 목록과 전체 측정값, 편차는 "
               "[docs/PERFORMANCE.md](docs/PERFORMANCE.md)에 있습니다. 이 수치는 `make performance`가 측정해 기록합니다.",
        stream="초당 메시지, {transport}, {size}", trip="왕복 시간, {transport}, {size}, {percentile}", bare="소켓만"),
}
COUNTS = {"README.md": "{found} of {total} values of series {number}", "README.ko.md": "측정 {number}의 {total}개 중 {found}개"}


def with_block(name: str, text: str, stored: Sequence[Series]) -> str:
    """The README with its block written anew; raises ComparisonError if the markers are missing."""
    found = re.search(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", text, re.S)
    if not found:
        raise ComparisonError(f"{name} lacks the lines {BEGIN} and {END}")
    return text[:found.start()] + "\n".join(block(name, stored)) + "\n" + text[found.end():]


def block(name: str, stored: Sequence[Series]) -> list[str]:
    words = LANGUAGES[name]
    both = words.both if len(stored) > 1 else ""
    lines = []
    told = with_part(stored, newcomer.PART)
    if told:
        shown = newest([series for series, _ in told])
        lines += [f"![{words.picture}](docs/pictures/{newcomer.picture(shown)})", "", words.processes.format(both=both), "",
                  *newcomer_table(words, [report for _, report in told])]
    lines += [words.means.format(both=both), "", *means_table(words, stored)]
    lines += [series_line(words, series) for series in stored]
    return [*lines, "", words.behind.format(counts=", ".join(count_text(name, series) for series in stored))]


def newcomer_table(words: Language, reports: Sequence[Report]) -> list[str]:
    names = columns_of(reports)
    rows = []
    for number in newcomer.numbers():
        medians = {name: [number.get(report, name) for report in reports] for name in names}
        texts = [" / ".join(number.text(values.median) if values else MISSING for values in medians[name]) for name in names]
        rows.append([newcomer_title(words, number), *texts])
    return table(["", *(words.bare if name == "limit" else name for name in names)], rows)


def newcomer_title(words: Language, number: newcomer.Number) -> str:
    form = words.stream if number.metric == "throughput" else words.trip
    return form.format(transport=number.cell.transport, size=newcomer.size_name(number.cell.size),
                       percentile="p99" if number.metric == "latency_p99" else "p50")


def means_table(words: Language, stored: Sequence[Series]) -> list[str]:
    rows = []
    for transport in ("inproc", "tcp", "ipc"):
        for key, setting in zip(SUMMARISED, words.settings):
            reports = [report for _, report in with_part(stored, key)]
            if reports:
                rows.append([f"{transport}, {setting}", *(means_text(reports, group, transport) for group in SUMMARY_GROUPS)])
    return table(["zlink / libzmq", *words.groups], rows)


def means_text(reports: Sequence[Report], group: int, transport: str) -> str:
    means = [group_mean(report.results, GROUPS[group], transport, "zlink", "libzmq") for report in reports]
    return " / ".join(f"**{mean.mean:.2f}** ({mean.worst:.2f})" if mean else MISSING for mean in means)


def series_line(words: Language, series: Series) -> str:
    report = next(iter(series.parts.values()))
    machine = report.machine
    libzmq = next((column.version for column in report.columns if column.name == "libzmq"), MISSING)
    return words.series.format(
        number=series.number, started=series.started, processor=machine["processor"], processors=machine["processors"],
        system=machine["system"], kernel=machine["kernel"], libzmq=libzmq, commit=series.commit)


def count_text(name: str, series: Series) -> str:
    reports = series.parts.values()
    found = sum(row.other == "libzmq" for report in reports for row in behind(report))
    total = sum(other == "libzmq" for report in reports for _, _, other in compared(report))
    return COUNTS[name].format(found=found, total=total, number=series.number)
