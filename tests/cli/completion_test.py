#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink completion, and the manual pages."""
import pathlib
import re
import shutil
import subprocess
import unittest

import support


class Completion(support.CommandTest):
    def script(self, shell):
        status, out, errors = self.run_zlink("completion", shell)
        self.assertEqual((status, errors), (0, b""))
        return out.decode()

    def complete_in_bash(self, *words):
        """What bash offers for the last word."""
        path = self.folder / "zlink.bash"
        path.write_text(self.script("bash"))
        quoted = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(["bash", "-c", f"source {path}; COMP_WORDS=(zlink {quoted}); COMP_CWORD={len(words)}; _zlink; "
                               "printf '%s\\n' \"${COMPREPLY[@]}\""], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_offers_commands_options_and_values(self):
        self.assertEqual(self.complete_in_bash("re"), ["record", "replay"])
        self.assertEqual(self.complete_in_bash("cat", "--curve-ser"), ["--curve-serverkey", "--curve-server"])
        self.assertEqual(self.complete_in_bash("cat", "--type", "RE"), ["REQ", "REP"])
        self.assertEqual(self.complete_in_bash("bench", "-p", "pu"), ["push-pull", "pub-sub"][:2])
        self.assertEqual(self.complete_in_bash("cat", "--type", "=", "RE"), ["REQ", "REP"])
        self.assertIn("REQ", self.complete_in_bash("cat", "--type", "="))
        self.assertIn("sh", self.complete_in_bash("run", "sh"))
        self.assertEqual(self.complete_in_bash("proxy", "f"), ["forwarder"])
        self.assertNotIn("manual", self.complete_in_bash(""))

    def test_each_script_has_each_command_and_parses(self):
        for shell in ("bash", "zsh", "fish"):
            script = self.script(shell)
            for name in ("info", "keygen", "cat", "ping", "run", "sub", "hz", "bw", "bench", "record", "replay", "proxy",
                         "ls", "stats", "top", "metrics", "completion"):
                self.assertRegex(script, rf"\b{name}\b")
            self.assertIn("curve-serverkey", script)
            if shutil.which(shell):
                subprocess.run([shell, "-n"], input=script, text=True, check=True)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_offers_commands_options_and_values(self):
        path = self.folder / "zlink.fish"
        path.write_text(self.script("fish"))

        def offered(line):
            done = subprocess.run(["fish", "-c", f"source {path}; complete -C '{line}'"], capture_output=True, text=True, check=True, timeout=support.DEADLINE,
                                  env={**support.os.environ, "HOME": str(self.folder)})
            self.assertEqual(done.stderr, "")
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        self.assertEqual(offered("zlink rec"), ["record"])
        self.assertIn("--curve-serverkey", offered("zlink cat --curve-"))
        self.assertEqual(offered("zlink cat --type ROU"), ["ROUTER"])
        self.assertEqual(offered("zlink proxy f"), ["forwarder"])
        self.assertIn("sleep", offered("zlink run slee"))

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_loads_it(self):
        (self.folder / "_zlink").write_text(self.script("zsh"))
        done = subprocess.run(["zsh", "-f", "-c", f"fpath=({self.folder} $fpath); autoload -U compinit; compinit -D -u; print -- $_comps[zlink]"],
                              capture_output=True, text=True, check=True, env={**support.os.environ, "HOME": str(self.folder)})
        self.assertEqual((done.stdout, done.stderr), ("_zlink\n", ""))

    def test_an_unknown_shell(self):
        self.check_failure(2, ["bash, zsh or fish"], "completion", "csh")
        self.check_failure(2, ["bash, zsh or fish"], "completion")


class Manual(support.CommandTest):
    def test_pages_have_the_texts_of_the_help(self):
        for name in ("cat", "ping", "bench", "run"):
            page = self.run_zlink("manual", name)[1].decode()
            help_text = self.run_zlink(name, "--help")[1].decode()
            for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"):
                self.assertIn(f".SH {section}\n", page)
            for option in re.findall(r"^  (?:-\w,)?(--[\w-]+)", help_text, re.M):
                self.assertIn(option.replace("-", "\\-"), page)

    def test_pages_are_built(self):
        pages = pathlib.Path(support.COMMAND).parent / "man"
        listed = re.findall(r"^\\fBzlink ([a-z]+)\\fR$", self.run_zlink("manual")[1].decode(), re.M)
        self.assertEqual(sorted(page.name for page in pages.iterdir()), sorted(["zlink.1", *(f"zlink-{name}.1" for name in listed)]))

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_groff_has_no_complaint(self):
        for name in ([], ["cat"], ["bench"], ["proxy"], ["top"]):
            page = self.run_zlink("manual", *name)[1]
            done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-z"], input=page, capture_output=True, check=True)
            self.assertEqual(done.stderr, b"")


if __name__ == "__main__":
    support.main()
