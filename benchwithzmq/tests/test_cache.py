# SPDX-License-Identifier: MPL-2.0
"""Cached results are used only where everything is the same."""

import dataclasses
import tempfile
import unittest
from pathlib import Path

from comparison import cache
from comparison.model import Cell, Column, ComparisonError, Results, Settings

PAIR = Cell("PAIR", "tcp", 64)
PUBSUB = Cell("PUBSUB", "tcp", 64)
MACHINE = {"identity": "abc", "processor": "p"}
CHANGES = {  # every field of Settings, with another value than the default
    "message_count": 5, "warmup_count": 5, "latency_count": 5, "run_ms": 5, "io_threads": 5, "send_buffer_bytes": 5,
    "receive_buffer_bytes": 5, "high_water_mark": 5, "mechanism": "curve", "two_processes": True, "pinned": False,
    "body_offset": "good", "held_memory_mib": 5, "busy_memory": True, "tuning": {"ZLINK_SPIN_US": "5"},
}
NAMES = {"tuning": "tuning.ZLINK_SPIN_US: cached None, now '5'"}


def values(runs):
    return {"throughput": [1.0] * runs, "latency": [2.0] * runs, "latency_p99": [3.0] * runs}


class Cache(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "deep" / "cache.json"
        self.libzmq = Column("libzmq", "libzmq", Path("/lib/z.so"), "4.3.4", "hash")
        self.key = self.make_key()

    def make_key(self, machine=None, library=None, settings=None, runs=2, processor=1):
        return cache.make_key(machine or MACHINE, library or self.libzmq, settings or Settings(), runs, processor)

    def store(self, cells, key=None, refresh=False):
        results = Results()
        for cell, stored in cells.items():
            results.values[cell] = {"libzmq": stored}
        cache.store(self.path, key or self.key, results, self.libzmq, refresh)

    def load(self, cells, key=None):
        results = Results()
        cache.load(self.path, key or self.key, cells, results, self.libzmq)
        return results

    def test_what_was_stored_comes_back(self):
        self.store({PAIR: values(2)})
        results = self.load([PAIR])
        self.assertEqual(results.get(PAIR, "libzmq", "latency"), [2.0, 2.0])
        self.assertTrue(self.libzmq.cached)

    def test_nothing_there_is_refused(self):
        with self.assertRaises(ComparisonError):
            self.load([PAIR])

    def test_a_broken_file_is_refused(self):
        self.path.parent.mkdir()
        for text in ("{", "[]", '{"key": 1, "cells": {}}'):
            self.path.write_text(text, encoding="utf-8")
            with self.subTest(text=text), self.assertRaises(ComparisonError):
                self.load([PAIR])

    def test_every_setting_is_part_of_the_key(self):
        self.store({PAIR: values(2)})
        fields = {field.name for field in dataclasses.fields(Settings)}
        self.assertEqual(fields, set(CHANGES) | {"debug"})
        for field, value in CHANGES.items():
            changed = self.make_key(settings=dataclasses.replace(Settings(), **{field: value}))
            with self.subTest(field=field), self.assertRaisesRegex(ComparisonError, NAMES.get(field, f"settings.{field}")):
                self.load([PAIR], changed)

    def test_machine_library_runs_and_pinning_are_part_of_the_key(self):
        self.store({PAIR: values(2)})
        other_file = dataclasses.replace(self.libzmq, sha256="other")
        for name, key in (("machine.identity", self.make_key(machine={**MACHINE, "identity": "xyz"})),
                          ("library.sha256", self.make_key(library=other_file)),
                          ("runs", self.make_key(runs=3)), ("pinned_to", self.make_key(processor=None))):
            with self.subTest(name=name), self.assertRaisesRegex(ComparisonError, name):
                self.load([PAIR], key)

    def test_a_missing_cell_is_refused(self):
        self.store({PAIR: values(2)})
        with self.assertRaisesRegex(ComparisonError, "PUBSUB"):
            self.load([PAIR, PUBSUB])

    def test_cells_of_the_same_key_gather(self):
        self.store({PAIR: values(2)})
        self.store({PUBSUB: {"throughput": [1.0, 2.0]}})
        self.assertEqual(set(self.load([PAIR, PUBSUB]).values), {PAIR, PUBSUB})

    def test_a_refresh_and_another_key_begin_anew(self):
        for key, refresh in ((self.key, True), (self.make_key(runs=1), False)):
            self.store({PAIR: values(2)}, refresh=True)
            self.store({PUBSUB: {"throughput": [1.0] * key["runs"]}}, key, refresh)
            with self.subTest(refresh=refresh), self.assertRaises(ComparisonError):
                self.load([PAIR], key)

    def test_incomplete_cells_are_not_kept(self):
        self.store({PAIR: values(1), PUBSUB: {"throughput": [1.0, 2.0]}})
        with self.assertRaises(ComparisonError):
            self.load([PAIR])

    def test_an_empty_result_does_not_destroy_the_cache(self):
        self.store({PAIR: values(2)})
        self.store({}, self.make_key(runs=1))
        self.assertEqual(set(self.load([PAIR]).values), {PAIR})
