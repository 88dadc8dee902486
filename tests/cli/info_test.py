#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink info, and what is true of all commands: version, help, wrong usage."""
import json
import resource
import subprocess

import support


class Info(support.CommandTest):
    def test_prints_version_features_and_limits_for_people(self):
        status, out, errors = self.run_zlink("info")
        self.assertEqual((status, errors), (0, b""))
        for word in (b"libzmq 4.3.5", b"curve", b"processors", b"build ", b"libzlink.so", b"RLIMIT_NOFILE", b"net.core.somaxconn"):
            self.assertIn(word, out)

    def test_json_has_the_same(self):
        status, out, _ = self.run_zlink("info", "--json")
        told = json.loads(out)
        self.assertEqual(status, 0)
        self.assertTrue(told["features"]["curve"])
        self.assertFalse(told["features"]["pgm"])
        self.assertGreater(told["processors"], 0)
        self.assertTrue(told["cpu"] and told["build"])
        self.assertEqual([row["name"] for row in told["limits"]][0], "RLIMIT_NOFILE")

    def test_a_small_limit_of_descriptors_gets_a_hint(self):
        def lower():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        _, out, _ = self.run_zlink("info", "--json", preexec_fn=lower)
        row = json.loads(out)["limits"][0]
        self.assertEqual(row["value"], "256")
        self.assertIn("about 206 peers", row["hint"])
        self.assertIn("ulimit -n", row["hint"])


class AllCommands(support.CommandTest):
    def test_help_that_cannot_be_written_is_a_failure(self):
        for words in (["--help"], ["cat", "--help"], ["--version"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([support.COMMAND, *words], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(b"cannot write to the standard output", done.stderr)

    def commands(self):
        _, out, _ = self.run_zlink("--help")
        listed = out.decode().split("Commands:\n")[1].split("\n\n")[0]
        return [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]

    def test_help_of_each_command_has_examples(self):
        names = self.commands()
        self.assertIn("info", names)
        for name in names:
            with self.subTest(name):
                status, out, errors = self.run_zlink(name, "--help")
                self.assertEqual((status, errors), (0, b""))
                self.assertIn(f"Usage: zlink {name}".encode(), out)
                self.assertIn(b"Examples:\n", out)
                self.assertIn(f"\n  zlink {name}".encode(), out)

    def test_an_unknown_option_is_one_line_with_status_2(self):
        for name in self.commands():
            if name != "run":
                with self.subTest(name):
                    self.check_failure(2, ["--no-such-option", "--help"], name, "--no-such-option", "x")

    def test_an_unknown_command_is_named(self):
        self.check_failure(2, ['"frobnicate"', "zlink --help"], "frobnicate")
        self.check_failure(2, ["say what to do"])

    def test_version(self):
        status, out, _ = self.run_zlink("--version")
        self.assertEqual(status, 0)
        self.assertRegex(out, rb"^zlink \d+\.\d+\.\d+ \(interface of libzmq 4\.3\.5\)\n$")

    def test_a_full_device_is_an_error(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([support.COMMAND, "info"], stdout=full, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"cannot write to the standard output", done.stderr)


if __name__ == "__main__":
    support.main()
