#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Wrong usage of all commands, and the examples of the help and of docs/cli.md."""
import os
import pathlib
import re
import shlex

import support

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md"


class WrongUsage(support.CommandTest):
    def test_says_which_option_was_meant(self):
        self.check_failure(2, ['"--typ" is no option', "is --type meant?"], "cat", "--typ", "PUSH")
        self.check_failure(2, ['"--countt" is no option', "is --count meant?"], "cat", "--countt", "1")
        self.check_failure(2, ['"extra" is one argument too many'], "info", "extra")
        self.check_failure(2, ['"-x" is no option'], "-x")
        self.check_failure(2, ['"--foo" is no option'], "run", "--foo", "true")

    def test_values(self):
        cat = ["cat", "--type", "PULL", "--bind", self.endpoint()]
        self.check_failure(2, ["--bind needs a value"], "cat", "--bind")
        self.check_failure(2, ["--count needs a value"], "cat", "--count")
        self.check_failure(2, ["--type is given more than once"], *cat, "--type", "PUSH")
        for value in ("-1", "1.5", "abc", "nan", ""):
            self.check_failure(2, ["--count", "whole number"], *cat, "--count", value)
        for value in ("-1", "abc", "nan"):
            self.check_failure(2, ["--timeout", "number of 0 or more"], *cat, "--timeout", value)
        # What does not fit into the library's numbers is refused, not cut.
        self.check_failure(2, ["--count", "10^18"], *cat, "--count", "99999999999999999999")
        for name, option in (("cat", "--timeout"), ("ping", "--timeout"), ("top", "--interval"), ("bench", "--seconds"), ("replay", "--delay"),
                             ("record", "--duration"), ("proxy", "--statistics"), ("hz", "--interval")):
            for value in ("1e17", "inf"):
                self.check_failure(2, [option, "2000000"], name, option, value)

    def test_files_of_keys_are_named(self):
        cat = ["cat", "--type", "PUSH", "--connect", self.endpoint(), "--curve-serverkey"]
        self.check_failure(1, [str(self.folder), "no file"], *cat, f"@{self.folder}")
        (self.folder / "text").write_text("no key\n")
        self.check_failure(1, ["text", "is no key"], *cat, f"@{self.folder}/text")

    def test_an_option_that_is_none_comes_before_a_word_that_is_missing(self):
        for name in ("ping", "stats"):
            self.check_failure(2, ['"--foo" is no option'], name, "--foo")
            self.check_failure(2, ["is required"], name)

    def test_help_for_a_command_that_is_none(self):
        for words in (("help", "foo"), ("foo", "--help")):
            self.assertEqual(self.check_failure(2, ['"foo" is no command'], *words), b"")

    def test_files_that_cannot_be_had_say_what_to_do(self):
        none, inside = str(self.folder / "none"), str(self.folder / "none" / "file")
        cat = ["cat", "--type", "PUSH", "--connect", self.endpoint()]
        for words in ([*cat, none], [*cat, "--curve-serverkey", f"@{none}"], ["replay", none, "--bind", self.endpoint()],
                      ["cat", "--type", "PUSH", "--connect", "tls://127.0.0.1:1", "--tls-ca", none]):
            self.check_failure(1, [none, "is the path right?"], *words)
        for words in (["keygen", "--secret", inside], ["record", inside, "--connect", self.endpoint()]):
            self.check_failure(1, [inside, "make its directory first"], *words)
        self.check_failure(1, ["Is a directory", "give a file"], *cat, str(self.folder))
        self.check_failure(1, ["Is a directory", "give a file"], "replay", str(self.folder), "--bind", self.endpoint())
        if os.getuid() != 0:
            (self.folder / "secret").write_bytes(b"x")
            (self.folder / "secret").chmod(0)
            self.check_failure(1, ["Permission denied", "mode"], *cat, str(self.folder / "secret"))
        self.check_failure(1, ["no counters", "ZLINK_RUNTIME_DIR"], "stats", "/dev/null")

    def test_ports_that_no_host_has(self):
        for endpoint in ("tcp://127.0.0.1:65536", "tcp://127.0.0.1:0", "tls://[::1]:99999", "ws://127.0.0.1:70000/path"):
            for words in (["cat", "--type", "PUSH", "--connect", endpoint], ["ping", endpoint], ["sub", endpoint], ["hz", endpoint], ["bw", endpoint],
                          ["bench", "--role", "client", "--endpoint", endpoint], ["record", str(self.folder / "file"), "--connect", endpoint]):
                self.check_failure(1, [endpoint, "from 1 to 65535"], *words)

    def test_a_word_before_the_command(self):
        self.check_failure(2, ['"foo" is no command'], "foo", "info")


class Help(support.CommandTest):
    def test_the_word_help(self):
        for words in (["cat"], ["stats"], []):
            self.assertEqual(self.run_zlink("help", *words), self.run_zlink(*words, "--help"))

    def test_usage_names_the_arguments(self):
        for name, line in (("stats", "stats [OPTIONS] PID"), ("top", "top [OPTIONS] [PID...]"), ("sub", "sub [OPTIONS] ENDPOINT [TOPIC...]"),
                           ("run", "run [OPTIONS] PROGRAM [ARGUMENT...]"), ("cat", "cat [OPTIONS] [FILE...]")):
            self.assertIn(f"Usage: zlink {line}\n".encode(), self.run_zlink(name, "--help")[1])


class Examples(support.CommandTest):
    def examples(self):
        """The command lines of the help of each command, and of the document."""
        lines = []
        listed = self.run_zlink("--help")[1].decode().split("Commands:\n")[1].split("\n\n")[0]
        for name in re.findall(r"^  (\w+)", listed, re.M):
            text = self.run_zlink(name, "--help")[1].decode()
            lines += re.findall(r"^  ([^#\n]*\bzlink .*)$", text.split("Examples:\n")[1], re.M)
        for block in re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(), re.S):
            lines += [line for line in block.splitlines() if "zlink" in line]
        self.assertGreater(len(lines), 40)
        return lines

    def test_have_options_that_exist(self):
        helps = {}
        for line in self.examples():
            for part in re.split(r"[|)]", re.sub(r"'[^']*'", "QUOTED", line)):
                words = shlex.split(part.replace("<(", ""), comments=True)
                if "zlink" not in words[:3] or words[-1] == "zlink":
                    continue
                name, *rest = words[words.index("zlink") + 1:]
                known = helps.setdefault(name, self.run_zlink(name, "--help")[1].decode())
                for word in rest:
                    if word.startswith("--") and name != "run":
                        self.assertRegex(known, rf"(?m)^  (-\w,)?{word}\b", line)

    def test_mean_the_same_in_every_shell(self):
        """zsh and fish take a star without quotes for names of files, and fail."""
        for line in self.examples():
            with self.subTest(line):
                outside = re.sub(r"'[^']*'", "", line)
                self.assertNotIn("*", outside)


if __name__ == "__main__":
    support.main()
