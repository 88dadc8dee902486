# SPDX-License-Identifier: MPL-2.0
"""Libraries are interleaved, and a failure is counted, told and not repeated."""

import unittest

from comparison.model import Cell, Column, Results
from comparison.programs import RunFailed
from comparison.schedule import Turn, measure_all

CELLS = [Cell("PAIR", "tcp", 64), Cell("PAIR", "tcp", 1024)]
COLUMNS = [Column("zlink", "zlink"), Column("libzmq", "libzmq"), Column("limit", "limit")]


class MeasureAll(unittest.TestCase):
    def setUp(self):
        self.calls = []
        self.lines = []
        self.results = Results()

    def measure(self, column, cell):
        self.calls.append((column.name, cell))
        if column.name == "libzmq" and cell == CELLS[1]:
            raise RunFailed("hung")
        return {"throughput": float(len(self.calls)), "latency": 1.0}

    def run_all(self, runs):
        turns = [Turn(column.name, column, self.measure, self.results) for column in COLUMNS]
        measure_all(CELLS, turns, runs, self.lines.append)

    def test_every_library_has_its_turn_in_a_cell_before_the_next_cell(self):
        self.run_all(1)
        self.assertEqual([cell for _, cell in self.calls], [CELLS[0]] * 3 + [CELLS[1]] * 3)
        self.assertEqual({name for name, _ in self.calls[:3]}, {"zlink", "libzmq", "limit"})

    def test_nobody_is_always_first(self):
        self.run_all(3)
        first = {name for index, (name, cell) in enumerate(self.calls)
                 if cell == CELLS[0] and (index == 0 or self.calls[index - 1][1] != CELLS[0])}
        self.assertEqual(first, {"zlink", "libzmq", "limit"})

    def test_every_value_is_kept(self):
        self.run_all(3)
        self.assertEqual(len(self.results.get(CELLS[0], "zlink", "throughput")), 3)

    def test_a_failure_is_recorded_told_and_not_repeated(self):
        self.run_all(3)
        self.assertEqual([failure["reason"] for failure in self.results.failures], ["hung"])
        self.assertEqual(self.calls.count(("libzmq", CELLS[1])), 1)
        self.assertIn("libzmq FAILED (hung)", self.lines[1])
        self.assertEqual(self.results.get(CELLS[1], "libzmq", "throughput"), [])

    def test_a_line_of_progress_per_cell_and_run(self):
        self.run_all(2)
        self.assertEqual(len(self.lines), 4)
        self.assertIn("4/4", self.lines[3])
        self.assertIn("0:00 left", self.lines[3])
