# SPDX-License-Identifier: MPL-2.0
"""Measures every point: one set of settings, or one for each value of a sweep. The turns of all points are interleaved."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from comparison import cache, cost, syscalls
from comparison.memory import MemoryLoad
from comparison.model import Cell, Column
from comparison.options import Plan
from comparison.programs import Programs
from comparison.report import Report
from comparison.schedule import Measure, Say, Turn, measure_all

Bind = Callable[["Point"], Measure]


@dataclasses.dataclass
class Point:
    """One set of settings. `value` is that of the swept variable, empty without a sweep."""

    value: str
    programs: Programs
    report: Report
    timeout_s: float


class Measuring:
    """The measurements of one call. All points have the same columns and cells."""

    def __init__(self, plan: Plan, points: list[Point], load: MemoryLoad, say: Say) -> None:
        self.plan, self.points, self.load, self.say = plan, points, load, say
        self.cells, self.columns = points[0].report.cells, points[0].report.columns

    def prepare(self, point: Point) -> None:
        self.load.switch_to(point.report.settings, point.programs.processor)

    def prepare_each(self) -> None:
        for point in reversed(self.points):
            self.prepare(point)

    def all(self) -> None:
        try:
            cached = self.load_cache()
            self.run_turns(self.one, self.plan.runs)
            if cached is not None and not self.plan.skip_libzmq:
                column, key = cached
                cache.store(self.plan.cache, key, self.points[0].report.results, column, self.plan.refresh_libzmq)
            if self.plan.cost:
                self.run_turns(self.cost, self.plan.runs)
            if self.plan.syscalls:
                self.count_system_calls()
        finally:
            self.share()

    def load_cache(self) -> tuple[Column, dict[str, object]] | None:
        """Returns libzmq's column and its key; None if the cache cannot hold these results."""
        libzmq = next((column for column in self.columns if column.kind == "libzmq"), None)
        if libzmq is None or self.plan.sweep:
            return None
        report = self.points[0].report
        key = cache.make_key(report.machine, libzmq, report.settings, report.runs, report.pinned_to)
        if self.plan.skip_libzmq:
            cache.load(self.plan.cache, key, self.cells, report.results, libzmq)
        return libzmq, key

    def places(self) -> Iterator[tuple[str, Point, Column]]:
        """Each point with each column to measure there. A column that the swept variable does not reach has one point."""
        for number, point in enumerate(self.points):
            for column in self.columns:
                if column.cached or (number > 0 and self.is_shared(column)):
                    continue
                name = f"{column.name}={point.value}" if point.value and not self.is_shared(column) else column.name
                yield name, point, column

    def is_shared(self, column: Column) -> bool:
        return self.plan.sweep is not None and self.plan.sweep.only_zlink and column.kind != "zlink"

    def share(self) -> None:
        first, *others = [point.report for point in self.points]
        for column in filter(self.is_shared, self.columns):
            for report in others:
                report.take(column, first)

    def run_turns(self, bind: Bind, runs: int) -> None:
        turns = [Turn(name, column, bind(point), point.report.results) for name, point, column in self.places()]
        measure_all(self.cells, turns, runs, self.say)

    def one(self, point: Point) -> Measure:
        def measure(column: Column, cell: Cell) -> dict[str, float]:
            self.prepare(point)
            return point.programs.measure(column, cell, point.report.settings, point.timeout_s)

        return measure

    def cost(self, point: Point) -> Measure:
        settings = point.report.settings

        def measure(column: Column, cell: Cell) -> dict[str, float]:
            self.prepare(point)
            messages = cost.message_count(point.report.results, cell, column, settings)
            return cost.processor_time(point.programs, column, cell, settings, point.timeout_s, messages)

        return measure

    def count_system_calls(self) -> None:
        countings = [
            syscalls.Counting(name, column, point.programs, point.report.settings, point.timeout_s + 300, point.report.syscalls,
                              point.report.results, lambda point=point: self.prepare(point))
            for name, point, column in self.places()]
        syscalls.count_all(self.cells, countings, self.say)
