#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink sub, hz and bw."""
import json
import subprocess

import support


class Watch(support.CommandTest):
    def publish(self, command, lines, *arguments, publisher=()):
        """Runs the command on a publisher that waits for it, sends the lines and ends."""
        endpoint = self.endpoint()
        sender = self.start("cat", "--type", "PUB", "--bind", endpoint, "--wait-subscribers", 1, "--format", "json", *publisher,
                            stdin=subprocess.PIPE)
        sender.send(b"".join(json.dumps(frames).encode() + b"\n" for frames in lines))
        sender.process.stdin.close()
        sender.process.stdin = None
        done = self.run_zlink(command, endpoint, "--count", len(lines), *arguments)
        self.assertEqual(sender.finish()[0], 0)
        return done

    def test_sub_prints(self):
        self.assertEqual(self.publish("sub", [["cpu", "1"], ["x"]]), (0, b"cpu\t1\nx\n", b""))
        self.assertEqual(self.publish("sub", [["a", ""]], "--format", "json"), (0, b'["a",""]\n', b""))

    def test_sub_with_times(self):
        status, out, _ = self.publish("sub", [["x"]], "--timestamps")
        self.assertEqual(status, 0)
        self.assertRegex(out, rb"^\d\d:\d\d:\d\d\.\d{6} x\n$")

    def test_sub_of_topics_that_publishers_connect_to(self):
        endpoint = self.endpoint()
        sub = self.start("sub", endpoint, "b", "--bind", "--count", 1)
        sender = self.run_zlink("cat", "--type", "PUB", "--connect", endpoint, "--wait-subscribers", 1, data=b"apple\nbanana\n")
        self.assertEqual(sender[0], 0)
        self.assertEqual(sub.finish(), (0, b"banana\n", b""))

    def test_a_signal_before_the_count_is_a_failure(self):
        for name in ("sub", "hz", "bw"):
            for number in (support.signal.SIGINT, support.signal.SIGTERM):
                with self.subTest(name=name, number=number):
                    for count, status in ((["--count", "5"], 128 + number), ([], 0)):
                        running = self.start(name, "tcp://127.0.0.1:*", "--bind", *count)
                        running.wait_for_error(b"bound to")
                        self.assertEqual(running.stop(number)[0], status)

    def test_hz_counts_each_topic(self):
        status, out, errors = self.publish("hz", [["a", "1"], ["b", "1"], ["a", "2"], ["a", "3"]], "--interval", 30)
        self.assertEqual((status, errors), (0, b""))
        rows = out.decode().splitlines()
        self.assertEqual([row.split("msg/s")[1].split()[0] for row in rows], ["a", "b"])
        self.assertIn("gap min", rows[0])
        self.assertNotIn("gap", rows[1])

    def test_hz_measures_a_rate(self):
        status, out, _ = self.publish("hz", [["a", "x"]] * 50, publisher=("--rate", "200"))
        self.assertEqual(status, 0)
        rate = float(out.split()[0])
        # Never more than was sent; how much less depends on the machine.
        self.assertTrue(1 < rate <= 250, out)

    def test_bw_counts_bytes_of_each_topic(self):
        status, out, errors = self.publish("bw", [["aa", "x" * 98], ["aa", "x" * 198], ["ab", ""]], "--interval", 30)
        self.assertEqual((status, errors), (0, b""))
        first, second = out.decode().splitlines()
        self.assertIn("aa  size min 100, mean 150, max 200 B", first)
        self.assertIn("ab  size min 2, mean 2, max 2 B", second)

    def test_topics_of_bytes_and_of_single_frames(self):
        status, out, _ = self.publish("bw", [["aa", "x"], ["ab", "y"], ["b"]], "--topic-bytes", 1, "--interval", 30)
        self.assertEqual([line.split("msg/s")[1].split()[0] for line in out.decode().splitlines()], ["a", "b"])
        endpoint = self.endpoint()
        watcher = self.start("bw", endpoint, "cpu", "--bind", "--count", 2, "--interval", 30)
        self.run_zlink("cat", "--type", "PUB", "--connect", endpoint, "--wait-subscribers", 1, data=b"cpu 1\ncpu 22\n")
        status, out, _ = watcher.finish()
        self.assertEqual((status, b"cpu  size min 5" in out), (0, True), out)

    def test_endings(self):
        for command in ("sub", "hz", "bw"):
            with self.subTest(command):
                self.check_failure(2, ["which endpoint"], command)
                self.check_failure(1, ["cannot connect"], command, "nonsense")
                self.check_failure(1, ["no message within 0.1 s"], command, self.endpoint(), "--timeout", 0.1)
                self.assertEqual(self.run_zlink(command, self.endpoint(), "--duration", 0.1)[0], 0)
                running = self.start(command, "tcp://127.0.0.1:*", "--bind")
                running.wait_for_error(b"bound to")
                self.assertEqual(running.stop()[:2], (0, b""))


if __name__ == "__main__":
    support.main()
