#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink record and replay, and the format of the file."""
import signal
import struct
import time
import zlib

import support


def record_of(milliseconds, *frames):
    body = b"M" + struct.pack("<QI", milliseconds * 1000000, len(frames)) + b"".join(struct.pack("<I", len(frame)) + frame for frame in frames)
    return body + struct.pack("<I", zlib.crc32(body))


def recording(*records, count=None):
    """A file as the documentation describes it."""
    end = b"E" + struct.pack("<Q", len(records) if count is None else count)
    return b"ZLINKREC" + struct.pack("<HHIQ", 1, 0, 0, 1) + b"".join(records) + end + struct.pack("<I", zlib.crc32(end))


class Record(support.CommandTest):
    def record(self, lines, *arguments):
        endpoint, file = self.endpoint(), self.folder / "file"
        running = self.start("record", file, "--type", "PULL", "--bind", endpoint, *arguments)
        self.assertEqual(self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, "--format", "json", data=lines)[0], 0)
        return running, file

    def test_writes_the_documented_format(self):
        running, file = self.record(b'["a","bc"]\n[""]\n', "--count", "2")
        status, _, errors = running.finish()
        self.assertEqual(status, 0)
        self.assertIn(b"recorded 2 messages", errors)
        data = file.read_bytes()
        self.assertEqual(data[:16], b"ZLINKREC" + struct.pack("<HHI", 1, 0, 0))
        self.assertLess(abs(struct.unpack("<Q", data[16:24])[0] / 1e9 - time.time()), 3600)
        at, times = 24, []
        for frames in ((b"a", b"bc"), (b"",)):
            body = b"".join(struct.pack("<I", len(frame)) + frame for frame in frames)
            moment, count = struct.unpack("<QI", data[at + 1:at + 13])
            times.append(moment)
            size = 13 + len(body)
            self.assertEqual((data[at:at + 1], count, data[at + 13:at + size]), (b"M", len(frames), body))
            self.assertEqual(struct.unpack("<I", data[at + size:at + size + 4])[0], zlib.crc32(data[at:at + size]))
            at += size + 4
        self.assertEqual(times, sorted(times))
        self.assertEqual(data[at:at + 9], b"E" + struct.pack("<Q", 2))
        self.assertEqual(len(data), at + 13)

    def test_a_wrong_endpoint_leaves_no_file(self):
        """It would be in the way of the next try."""
        file = self.folder / "file"
        self.check_failure(1, ["nonsense"], "record", file, "--connect", "nonsense")
        self.assertFalse(file.exists())

    def test_pipes(self):
        endpoint, other = self.endpoint(), self.endpoint()
        record = self.start("record", "-", "--type", "PULL", "--bind", endpoint, "--count", 2)
        replay = self.start("replay", "-", "--type", "PUSH", "--connect", other, "--fast", stdin=record.process.stdout)
        pull = self.start("cat", "--type", "PULL", "--bind", other, "--count", 2)
        self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, data=b"a\nb\n")
        self.assertEqual(pull.finish(), (0, b"a\nb\n", b""))
        self.assertEqual(replay.finish()[0], 0)
        once = recording(record_of(0, b"x"))
        self.check_failure(1, ["/dev/stdin", "--loop needs a file"], "replay", "-", "--bind", self.endpoint(), "--fast", "--loop", data=once)

    def test_replay_ends_although_its_subscriber_has_left(self):
        """What is queued for a connected peer that has left would wait for ever."""
        endpoint, file = self.endpoint(), self.folder / "file"
        file.write_bytes(recording(*(record_of(number * 5, b"x" * 1000) for number in range(100))))
        sub = self.start("sub", endpoint, "--bind", "--count", 5)
        replay = self.start("replay", file, "--connect", endpoint, "--wait-subscribers", 1)
        self.assertEqual(sub.finish()[0], 0)
        status, _, errors = replay.finish()
        self.assertEqual((status, b"sent 100 messages" in errors), (0, True), errors)

    def test_a_signal_closes_the_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            file = self.folder / f"signal{number}"
            running = self.start("record", file, "--bind", "tcp://127.0.0.1:*")
            running.wait_for_error(b"bound to")
            self.assertEqual(running.stop(number)[0], 0)
            self.assertEqual(file.read_bytes()[24:33], b"E" + bytes(8))

    def test_keeps_a_file_that_exists(self):
        file = self.folder / "mine"
        file.write_text("mine")
        self.check_failure(1, ["exists", "--force"], "record", file, "--bind", self.endpoint())
        self.assertEqual(file.read_text(), "mine")

    def test_wrong_usage(self):
        self.check_failure(2, ["which file"], "record")
        self.check_failure(2, ["--connect ENDPOINT"], "record", self.folder / "x")
        self.check_failure(1, ["cannot make", "No such file"], "record", self.folder / "no/x", "--bind", self.endpoint())
        self.check_failure(1, ["cannot write", "No space"], "record", "/dev/full", "--bind", self.endpoint(), "--duration", 0.1)


class Replay(support.CommandTest):
    def file(self, data):
        path = self.folder / f"recording{len(list(self.folder.iterdir()))}"
        path.write_bytes(data)
        return path

    def replay(self, data, *arguments, count):
        """What a PULL receives."""
        endpoint = self.endpoint()
        pull = self.start("cat", "--type", "PULL", "--bind", endpoint, "--format", "json", "--count", count, "--timeout", support.DEADLINE)
        done = self.run_zlink("replay", self.file(data), "--type", "PUSH", "--connect", endpoint, *arguments)
        return done, pull.finish()[1]

    def test_sends_what_was_recorded(self):
        done, out = self.replay(recording(record_of(5, b"a", b""), record_of(6, b"\xff")), count=2)
        self.assertEqual(done, (0, b"", b"zlink replay: sent 2 messages\n"))
        self.assertEqual(out, b'["a",""]\n[{"base64":"/w=="}]\n')

    def test_keeps_the_times_and_changes_the_speed(self):
        data = recording(record_of(0, b"a"), record_of(400, b"b"))
        begun = time.monotonic()
        self.replay(data, count=2)
        self.assertGreaterEqual(time.monotonic() - begun, 0.4)
        begun = time.monotonic()
        self.replay(data, "--speed", "0.5", count=2)
        self.assertGreaterEqual(time.monotonic() - begun, 0.8)
        # An hour of recording is over at once.
        self.assertEqual(self.replay(recording(record_of(0, b"a"), record_of(3600000, b"b")), "--fast", count=2)[0][0], 0)
        self.assertEqual(self.replay(recording(record_of(0, b"a"), record_of(3600000, b"b")), "--speed", 1e9, count=2)[0][0], 0)

    def test_loops_until_a_signal(self):
        endpoint = self.endpoint()
        pull = self.start("cat", "--type", "PULL", "--bind", endpoint, "--count", 5)
        replay = self.start("replay", self.file(recording(record_of(0, b"a"), record_of(1, b"b"))), "--type", "PUSH", "--connect", endpoint, "--loop")
        self.assertEqual(pull.finish()[:2], (0, b"a\nb\na\nb\na\n"))
        self.assertEqual(replay.stop()[0], 0)

    def test_a_signal_before_the_end_is_a_failure(self):
        replay = self.start("replay", self.file(recording(record_of(0, b"a"), record_of(3600000, b"b"))), "--bind", "tcp://127.0.0.1:*")
        replay.wait_for_error(b"bound to")
        self.assertEqual(replay.stop()[0], 130)

    def test_waits_for_a_subscriber(self):
        endpoint = self.endpoint()
        replay = self.start("replay", self.file(recording(record_of(0, b"a"))), "--bind", endpoint, "--wait-subscribers", 1)
        self.assertEqual(self.run_zlink("sub", endpoint, "--count", 1), (0, b"a\n", b""))
        self.assertEqual(replay.finish()[0], 0)

    def test_a_recording_comes_back(self):
        endpoint, file = self.endpoint(), self.folder / "again"
        recorder = self.start("record", file, "--type", "PULL", "--bind", endpoint, "--count", 3)
        self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, data=b"1\n2\n3\n")
        self.assertEqual(recorder.finish()[0], 0)
        self.assertEqual(self.replay(file.read_bytes(), count=3)[1], b'["1"]\n["2"]\n["3"]\n')

    def test_every_cut_is_told_and_what_came_before_is_sent(self):
        data = recording(record_of(0, b"a"), record_of(0, b"b"))
        first = 24 + len(record_of(0, b"a"))
        for size in (first, first + 1, first + 9, first + 20, len(data) - 1):
            with self.subTest(size):
                (status, _, errors), out = self.replay(data[:size], count=1)
                self.assertEqual(status, 1)
                self.assertRegex(errors, rb"(is cut off|was not closed).*after \d message.*byte \d+")
                self.assertEqual(out, b'["a"]\n')

    def test_a_large_message_before_a_cut_arrives(self):
        body = b"x" * (8 << 20)  # more than the buffers of a connection hold
        (status, _, _), out = self.replay(recording(record_of(0, body), record_of(0, b"b"))[:-20], count=1)
        self.assertEqual((status, out), (1, b'["' + body + b'"]\n'))

    def test_damage_is_told(self):
        data = recording(record_of(0, b"a"), record_of(0, b"b"))
        flipped = bytearray(data)
        flipped[24 + 17] ^= 1
        huge = recording(b"M" + struct.pack("<QII", 0, 1, 0xFFFFFFFF))
        for damaged, word in ((bytes(flipped), "checksum"), (recording(record_of(0, b"a"), count=7), "counts 7 messages"),
                              (data[:24] + b"X" + data[25:], "no record"), (huge, "cut off"), (recording(record_of(0)), "no frame")):
            with self.subTest(word):
                errors = self.run_zlink("replay", self.file(damaged), "--bind", self.endpoint())
                self.assertEqual(errors[0], 1)
                self.assertIn(word.encode(), errors[2])

    def test_files_that_are_no_recordings(self):
        place = ["--bind", self.endpoint()]
        self.check_failure(1, ["no recording"], "replay", self.file(b"something else that is longer than a head"), *place)
        self.check_failure(1, ["no recording"], "replay", self.file(b""), *place)
        self.check_failure(1, ["cut off in its head"], "replay", self.file(b"ZLINKREC\x01"), *place)
        self.check_failure(1, ["version 2", "newer zlink"], "replay", self.file(b"ZLINKREC\x02" + bytes(15)), *place)
        self.check_failure(1, ["cannot read", "No such file"], "replay", self.folder / "none", *place)
        self.check_failure(1, ["directory"], "replay", self.folder, *place)
        self.check_failure(2, ["which file"], "replay", *place)

    def test_nobody_takes_the_messages(self):
        done = self.run_zlink("replay", self.file(recording(record_of(0, b"a"))), "--type", "PUSH", "--connect", self.endpoint(), "--timeout", 0.1)
        self.assertEqual((done[0], b"no peer took a message" in done[2]), (1, True))


if __name__ == "__main__":
    support.main()
