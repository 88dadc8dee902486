# SPDX-License-Identifier: MPL-2.0
"""Every program runs every transport, with small fixed counts, in both modes. ZLINK_BENCH_PROGRAMS names their folder.

Not found by discovery, because it needs a build; CMake registers it as bench.programs.
"""

import os
import subprocess
import unittest
from pathlib import Path

from comparison.model import PATTERNS, TRANSPORTS, Cell, Column, Settings
from comparison.programs import Programs, RunFailed
from experiments.model import FIRST_MESSAGE
from experiments.programs import ExperimentPrograms

FOLDER = Path(os.environ["ZLINK_BENCH_PROGRAMS"])
COUNTS = {"message_count": 500, "warmup_count": 10, "latency_count": 20}
TIMEOUT_S = 60


class EveryProgram(unittest.TestCase):
    def setUp(self):
        self.programs = Programs(FOLDER, None)
        self.columns = [Column("libzmq", "libzmq"), Column("limit", "limit")]
        if (FOLDER / "comp_zlink_pair").is_file():
            self.columns.append(Column("zlink", "zlink"))
        for column in self.columns:
            self.programs.identify(column)

    def measure_all(self, settings, transports, sizes):
        for column in self.columns:
            for pattern in PATTERNS:
                for transport in transports:
                    for size in sizes:
                        cell = Cell(pattern, transport, size)
                        with self.subTest(column=column.name, cell=str(cell)):
                            self.programs.measure(column, cell, settings, TIMEOUT_S)

    def test_in_one_process(self):
        self.measure_all(Settings(**COUNTS), TRANSPORTS, (1, 64, 262144))

    def test_in_two_processes(self):
        self.measure_all(Settings(two_processes=True, **COUNTS), ("tcp", "ipc"), (64, 262144))

    def test_secured_by_curve(self):
        self.columns = [column for column in self.columns if column.kind != "limit"]
        self.measure_all(Settings(mechanism="curve", **COUNTS), ("tcp", "ipc"), (64, 65536))
        self.measure_all(Settings(mechanism="curve", two_processes=True, **COUNTS), ("tcp",), (1024,))

    def test_curve_is_refused_where_there_is_none(self):
        settings = Settings(mechanism="curve", **COUNTS)
        with self.assertRaisesRegex(RunFailed, "no handshake"):
            self.programs.measure(self.columns[0], Cell("PAIR", "inproc", 64), settings, TIMEOUT_S)
        with self.assertRaisesRegex(RunFailed, "do not encrypt"):
            self.programs.measure(self.columns[1], Cell("PAIR", "tcp", 64), settings, TIMEOUT_S)

    def test_with_a_high_water_mark(self):
        # libzmq's default, and more messages than that. (With a mark of a few messages libzmq's REP, which drops what it
        # cannot send, loses replies for good now and then: such a run hangs, and is reported as hung.)
        self.measure_all(Settings(high_water_mark=1000, **{**COUNTS, "message_count": 5000}), TRANSPORTS, (64,))

    def test_a_peer_is_the_file_that_was_named(self):
        peer = Column("peer", "peer", self.columns[0].file)
        self.programs.identify(peer)
        self.assertEqual(peer.file, self.columns[0].file)
        self.programs.measure(peer, Cell("ROUTER_ROUTER_POLL", "tcp", 64), Settings(**COUNTS), TIMEOUT_S)

    def test_first_messages(self):
        for loaded in self.columns:
            if loaded.file is None:
                continue
            peer = Column("peer", "peer", loaded.file)
            for transport in TRANSPORTS:
                with self.subTest(column=loaded.name, transport=transport):
                    measured = ExperimentPrograms(FOLDER, None).measure(peer, Cell(FIRST_MESSAGE, transport, 300), Settings(), TIMEOUT_S)
                    self.assertLessEqual(measured["latency"], measured["latency_p99"])

    def test_a_peer_that_cannot_be_loaded_fails(self):
        with self.assertRaisesRegex(RunFailed, "cannot load"):
            self.programs.identify(Column("peer", "peer", Path(__file__)))

    def test_a_peer_that_lacks_a_function_fails_where_it_is_called(self):
        peer = Column("peer", "peer", FOLDER / "lacking_peer.so")
        self.programs.identify(peer)
        self.assertEqual(peer.version, "0.0.1")
        with self.assertRaisesRegex(RunFailed, "the peer library lacks zmq_ctx_set"):
            self.programs.measure(peer, Cell("PAIR", "tcp", 64), Settings(**COUNTS), TIMEOUT_S)

    def test_wrong_words_are_refused(self):
        for words in ([], ["x", "udp", "64"], ["x", "tcp", "0"], ["x", "tcp", "many"], ["x", "tcp", "64", "more"]):
            done = subprocess.run([FOLDER / "comp_std_zmq_pair", *words], capture_output=True, text=True, check=False)
            with self.subTest(words=words):
                self.assertEqual(done.returncode, 1)
                self.assertIn("FAIL: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
