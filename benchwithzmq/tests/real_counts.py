# SPDX-License-Identifier: MPL-2.0
"""Real programs do the work that the settings ask for, and say on which library. ZLINK_BENCH_PROGRAMS names their folder.

Discovery does not find this module, because it needs a build; CMake registers it as bench.counts.
"""

import hashlib
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(os.environ["ZLINK_BENCH_PROGRAMS"])
SONAMES = {"std_zmq": "libzmq.so.5", "zlink": "libzlink.so.1"}
LIBRARIES = [name for name in SONAMES if (FOLDER / f"comp_{name}_pair").is_file()]
TIMEOUT_S = 60


def run(program, *words, **environment):
    return subprocess.run([FOLDER / program, *words], env={**os.environ, **environment}, capture_output=True, text=True,
                          timeout=TIMEOUT_S, check=False)


def measured(program, *words, **environment):
    done = run(program, *words, **environment)
    if done.returncode != 0:
        raise AssertionError(f"{program} {words} {environment}: {done.stderr}")
    return done


def rate(done):
    return float(re.search(r"^RESULT,.*,throughput,([\d.]+)$", done.stdout, re.M)[1])


def lines(text, kind):
    return [line.split(",") for line in text.splitlines() if line.startswith(kind + ",")]


class Counts(unittest.TestCase):
    def sends(self, program, **environment):
        done = measured(program, "x", "tcp", "64", LD_PRELOAD=str(FOLDER / "count_sends.so"), **environment)
        return int(re.search(r"^SENDS,(\d+)$", done.stderr, re.M)[1])

    def test_a_count_is_a_true_count(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                program = f"comp_{library}_pushpull"
                # One greeting, a tenth as warm-up, the mark of its end, and the count.
                self.assertEqual(self.sends(program, BENCH_MSG_COUNT="1000"), 1 + 100 + 1 + 1000)
                self.assertEqual(self.sends(program, BENCH_MSG_COUNT="1"), 1 + 1 + 1 + 1)
                self.assertEqual(self.sends(program, BENCH_MSG_COUNT="1000", BENCH_WARMUP_COUNT="0"), 1 + 1 + 1000)

    def test_round_trips_and_latency_have_their_share(self):
        for library in LIBRARIES:
            with self.subTest(library=library):
                pair, reqrep = f"comp_{library}_pair", f"comp_{library}_reqrep"
                stream = 1 + 10 + 1 + 100
                # Each trip is two messages. Latency: a greeting, the warm-up, the measured trips.
                self.assertEqual(self.sends(pair, BENCH_MSG_COUNT="100"), stream + 2 * (1 + 10 + 10))
                self.assertEqual(self.sends(pair, BENCH_MSG_COUNT="100", BENCH_LAT_COUNT="0"), stream)
                self.assertEqual(self.sends(pair, BENCH_MSG_COUNT="100", BENCH_LAT_COUNT="7"), stream + 2 * (1 + 10 + 7))
                # A greeting, the warm-up, the count, and the trip that ends it.
                self.assertEqual(self.sends(reqrep, BENCH_MSG_COUNT="100", BENCH_LAT_COUNT="0"), 2 * (1 + 10 + 100 + 1))

    def test_few_messages_do_not_look_faster_than_many(self):
        for program in [(f"comp_{library}_pair",) for library in LIBRARIES] + [("comp_limit", "pair")]:
            with self.subTest(program=program):
                for _ in range(5):  # a disturbed run of many messages is a slow one
                    few, many = (rate(measured(*program, "x", "inproc", "64", BENCH_MSG_COUNT=count, BENCH_LAT_COUNT="0"))
                                 for count in ("10000", "2000000"))
                    if few <= 1.5 * many:
                        break
                self.assertLessEqual(few, 1.5 * many)

    def test_a_count_that_is_too_small_is_told(self):
        done = measured("comp_limit", "pair", "x", "inproc", "64", BENCH_MSG_COUNT="1")
        (warning,) = lines(done.stderr, "WARNING")
        self.assertEqual(warning[1:6], ["x", "PAIR", "inproc", "64", "throughput"])
        self.assertEqual(len(warning), 7)
        done = measured("comp_limit", "pair", "x", "inproc", "64", BENCH_RUN_MS="20")
        self.assertEqual(lines(done.stderr, "WARNING"), [])

    def test_the_step_of_the_clock_is_told(self):
        (clock,) = lines(measured("comp_limit", "pair", "x", "inproc", "64", BENCH_MSG_COUNT="10").stderr, "CLOCK")
        self.assertEqual(clock[1], "x")
        self.assertTrue(0 < int(clock[2]) < 10_000_000)


class Libraries(unittest.TestCase):
    def library_of(self, program, *words, **environment):
        done = measured(program, *words, **environment)
        self.assertTrue(done.stdout.startswith("LIBRARY,"), done.stdout)
        (told,) = lines(done.stdout, "LIBRARY")
        return told[1:]

    def test_the_library_file_and_its_hash_are_told_first(self):
        for program in [f"{kind}_{library}{rest}" for library in LIBRARIES for kind, rest in (("comp", "_pair"), ("scale", ""))]:
            with self.subTest(program=program):
                label, file, version, told = self.library_of(program, "--library")
                self.assertEqual((label, os.path.realpath(file)), ("-", file))
                self.assertEqual(told, hashlib.sha256(Path(file).read_bytes()).hexdigest())
                self.assertRegex(version, r"^\d+\.\d+\.\d+$")

    def test_the_lines_of_a_measurement_begin_with_the_library(self):
        alone = self.library_of("comp_std_zmq_pair", "--library")
        self.assertEqual(self.library_of("comp_std_zmq_pair", "x", "tcp", "64", BENCH_MSG_COUNT="10"), ["x", *alone[1:]])

    def test_the_limit_has_no_library(self):
        expected = ["-", "bare sockets, shared memory and OpenSSL", "-"]
        self.assertEqual(self.library_of("comp_limit", "--library"), ["-", *expected])
        self.assertEqual(self.library_of("comp_limit", "pair", "x", "tcp", "64", BENCH_MSG_COUNT="10"), ["x", *expected])

    def test_a_library_path_chooses_the_library(self):
        for library in LIBRARIES:
            _, file, version, _ = self.library_of(f"comp_{library}_pair", "--library")
            with self.subTest(library=library), tempfile.TemporaryDirectory() as folder:
                copy = Path(os.path.realpath(folder)) / SONAMES[library]
                shutil.copyfile(file, copy)
                with open(copy, "ab") as longer:
                    longer.write(b"another file")
                told = self.library_of(f"comp_{library}_pair", "x", "tcp", "64", BENCH_MSG_COUNT="10", LD_LIBRARY_PATH=folder)
                self.assertEqual(told, ["x", str(copy), version, hashlib.sha256(copy.read_bytes()).hexdigest()])


    def test_zlink_takes_libzmqs_place_by_a_library_path(self):
        file = FOLDER.parent / "compat" / "libzmq.so.5"
        if not file.is_file():
            self.skipTest("zlink's libzmq.so.5 is not built")
        told = self.library_of("comp_std_zmq_pair", "--library", LD_LIBRARY_PATH=str(file.parent))
        self.assertEqual(told[1], os.path.realpath(file))


class Environment(unittest.TestCase):
    def offsets(self, words, **environment):
        done = measured(*words, "x", "tcp", "262144", BENCH_MSG_COUNT="10", BENCH_DEBUG="1", **environment)
        return [int(found) for found in re.findall(r"begins at offset (\d+) of a page", done.stderr)]

    def test_bodies_lie_where_the_setting_says(self):
        for words in [("comp_std_zmq_pair",), ("comp_limit", "pair")]:
            self.assertEqual(self.offsets(words), [0] * 4)
            # After the first large block is free again, malloc may take the next one from the heap.
            self.assertEqual(self.offsets(words, BENCH_BODY_OFFSET="malloc")[:2], [16] * 2)
            for word, offset in (("page", 0), ("good", 2048), ("17", 17), ("4095", 4095)):
                with self.subTest(words=words, offset=word):
                    self.assertEqual(self.offsets(words, BENCH_BODY_OFFSET=word), [offset] * 4)

    def test_every_offset_gives_the_same_messages(self):
        for offset in ("malloc", "0", "1", "16", "2050", "4095"):
            for transport in ("inproc", "tcp", "ipc"):
                for size in ("1", "4096", "65527", "262144"):
                    with self.subTest(offset=offset, transport=transport, size=size):
                        measured("comp_limit", "reqrep", "x", transport, size, BENCH_MSG_COUNT="30", BENCH_BODY_OFFSET=offset)

    def test_wrong_settings_are_refused(self):
        for name, value in (("BENCH_BODY_OFFSET", "4096"), ("BENCH_BODY_OFFSET", "-1"), ("BENCH_BODY_OFFSET", "best"),
                            ("BENCH_MSG_COUNT", "0"), ("BENCH_MSG_COUNT", "many")):
            done = run("comp_limit", "pair", "x", "tcp", "64", **{name: value})
            with self.subTest(name=name, value=value):
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"FAIL: {name} is '{value}'", done.stderr)

    def test_unknown_names_are_refused(self):
        for words in (["comp_std_zmq_pair", "x", "tcp", "64"], ["comp_limit", "pair", "x", "tcp", "64"],
                      ["comp_std_zmq_pair", "--library"], ["scale_std_zmq", "--library"]):
            done = run(*words, BENCH_MSG_CONUT="5")
            with self.subTest(words=words):
                self.assertEqual(done.returncode, 1)
                self.assertEqual(done.stdout, "")
                self.assertEqual(done.stderr, "FAIL: there is no setting BENCH_MSG_CONUT; did you mean BENCH_MSG_COUNT?\n")


class Memory(unittest.TestCase):
    def started(self, *words):
        neighbour = subprocess.Popen([FOLDER / "comp_memory", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(neighbour.stdout.close)
        self.addCleanup(neighbour.wait)
        self.addCleanup(neighbour.kill)
        self.assertEqual(neighbour.stdout.readline(), "ready\n")
        return neighbour

    def test_it_holds_the_memory(self):
        neighbour = self.started("hold", "50")
        status = Path(f"/proc/{neighbour.pid}/status").read_text(encoding="utf-8")
        self.assertGreater(int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]), 50 * 1024)

    def test_it_ends_with_its_input_or_a_signal(self):
        for words in (("hold", "1"), ("busy",)):
            with self.subTest(words=words):
                neighbour = self.started(*words)
                neighbour.stdin.close()
                self.assertEqual(neighbour.wait(TIMEOUT_S), 0)
                neighbour = self.started(*words)
                neighbour.terminate()
                self.assertEqual(neighbour.wait(TIMEOUT_S), -signal.SIGTERM)
                neighbour.stdin.close()

    def test_it_is_busy(self):
        neighbour = self.started("busy")
        stat = Path(f"/proc/{neighbour.pid}/stat")

        def ticks():
            return sum(int(field) for field in stat.read_text(encoding="utf-8").rsplit(")", 1)[1].split()[11:13])

        begin = ticks()
        while ticks() < begin + 5:
            self.assertIsNone(neighbour.poll())
        neighbour.stdin.close()

    def test_it_ends_with_its_parent(self):
        parent = "import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()"
        # The program has the pipes of this test: its input stays open, and its output ends when the program does.
        with subprocess.Popen([sys.executable, "-c", parent, FOLDER / "comp_memory", "hold", "1"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as started:
            self.assertEqual(started.stdout.readline(), "ready\n")
            started.kill()
            readable, _, _ = select.select([started.stdout], [], [], TIMEOUT_S)
            self.assertTrue(readable, "the program outlived its parent")
            self.assertEqual(started.stdout.read(), "")

    def test_wrong_words_are_refused(self):
        for words in ((), ("hold",), ("hold", "0"), ("hold", "many"), ("busy", "1"), ("rest",)):
            done = run("comp_memory", *words)
            with self.subTest(words=words):
                self.assertEqual(done.returncode, 1)
                self.assertIn("FAIL: ", done.stderr)


if __name__ == "__main__":
    unittest.main()
