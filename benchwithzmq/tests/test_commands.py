# SPDX-License-Identifier: MPL-2.0
"""The commands of the documents are right: files that exist, arguments that parse, settings and make targets that are known."""

import contextlib
import io
import os
import re
import shlex
import tempfile
import unittest
from pathlib import Path

import comparison.options
import experiments.options
import performance.main
import scale.main
import web.main
from comparison.environment import PEER_VARIABLE, REPOSITORY, is_ours, read_tuning, settings_in
from comparison.model import PATTERNS, TRANSPORTS, ComparisonError

DOCUMENTS = [REPOSITORY / "README.md", REPOSITORY / "README.ko.md", REPOSITORY / "benchwithzmq" / "README.md",
             *sorted((REPOSITORY / "docs").rglob("*.md"))]
RUNNERS = ("run_comparison.py", "run_experiment.py", "run_performance.py", "run_scale.py", "run_web.py")
PROGRAM = re.compile(r"(comp|scale|web)_[a-z_]+")
SETTING = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)", re.S)
PLACEHOLDER = "/path/to/libother.so"


def commands(text):
    """Lines of the code blocks as lists of words, without comments; a line that ends with a backslash goes on."""
    for block in re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S):
        for line in block.replace("\\\n", " ").splitlines():
            with contextlib.suppress(ValueError):  # other code blocks have quotation marks of their own kind
                words = shlex.split(line, comments=True)
                if words:
                    yield words


def split(words):
    """The variables before a command, and the command."""
    count = next((place for place, word in enumerate(words) if not SETTING.fullmatch(word)), len(words))
    return dict(SETTING.fullmatch(word).groups() for word in words[:count]), words[count:]


def is_checked(command):
    name = Path(command[0]).name if command else ""
    return name in RUNNERS or PROGRAM.fullmatch(name) is not None


def found():
    for document in DOCUMENTS:
        for words in commands(document.read_text(encoding="utf-8")):
            environment, command = split(words)
            if is_checked(command):
                yield document.relative_to(REPOSITORY), environment, command


class Commands(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(REPOSITORY)  # documents are written for the top of the checkout

    def check_environment(self, environment):
        comparison.options.refuse_unknown_names(name for name in environment if name != PEER_VARIABLE)
        settings_in(environment)
        read_tuning(environment)
        for name in environment:
            self.assertTrue(is_ours(name) or name == "LD_PRELOAD", name)
        self.assertIn(environment.get("LD_PRELOAD"), (None, "build/bin/count_allocations.so"))

    def check_runner(self, environment, command):
        path = Path(command[0])
        self.assertTrue(path.is_file() and os.access(path, os.X_OK), f"{path} cannot be run from the top")
        with tempfile.NamedTemporaryFile() as library:
            arguments = [word.replace(PLACEHOLDER, library.name) for word in command[1:]]
            match path.name:
                case "run_comparison.py":
                    comparison.options.make_plan(arguments, environment)
                case "run_experiment.py":
                    experiments.options.make_plan(arguments, environment)
                case "run_scale.py":
                    scale.main.parser().parse_args(arguments)
                case "run_web.py":
                    web.main.parser().parse_args(arguments)
                case "run_performance.py":
                    performance.main.parse(arguments)

    def check_program(self, command):
        path = Path(command[0])
        self.assertEqual(str(path.parent), "build/bin")
        library, _, rest = path.name.partition("_")[2].partition("_")
        if path.name.startswith("scale_"):
            self.assertIn(path.name, ("scale_zlink", "scale_std_zmq", "scale_peer"))
            self.assertTrue(all("=" in word for word in command[3:]), command)
        elif path.name == "web_idle":
            self.assertEqual(len(command), 4)
        elif path.name.startswith("web_"):
            self.assertIn(path.name, ("web_zlink", "web_nng", "web_bare"))
            self.assertEqual(len(command), 10)
        elif path.name == "comp_memory":
            self.assertIn(command[1], ("hold", "busy"))
        elif path.name == "comp_limit":
            self.check_cell(command[1], command[2:])
        else:
            self.assertIn(library, ("zlink", "std", "peer"))
            self.check_cell(rest.removeprefix("zmq_"), command[1:])

    def check_cell(self, pattern, words):
        self.assertIn(pattern.upper(), PATTERNS)
        self.assertEqual(len(words), 3)
        self.assertIn(words[1], TRANSPORTS)
        self.assertTrue(words[2].isdecimal())

    def check(self, environment, command):
        self.check_environment(environment)
        if Path(command[0]).name in RUNNERS:
            self.check_runner(environment, command)
        else:
            self.check_program(command)

    def test_every_command_of_the_documents(self):
        documents = set()
        for document, environment, command in found():
            documents.add(str(document))
            with self.subTest(document=str(document), command=" ".join(command)), contextlib.redirect_stderr(io.StringIO()) as errors:
                try:
                    self.check(environment, command)
                except (ComparisonError, SystemExit) as problem:
                    self.fail(f"{problem} {errors.getvalue()}")
        self.assertIn("benchwithzmq/README.md", documents)
        self.assertTrue(any(name.startswith("docs/experiments/") for name in documents), documents)

    def test_a_wrong_command_is_found(self):
        for line in ("benchwithzmq/run_comparison.py streams", "run_comparison.py pair", "benchwithzmq/run_scale.py --only everything",
                     "BENCH_SIZE=1 benchwithzmq/run_comparison.py pair", "BENCH_HWM=x build/bin/comp_zlink_pair zlink tcp 64",
                     "build/bin/comp_zlink_pairs zlink tcp 64", "build/bin/comp_zlink_pair zlink tcp",
                     "build/bench/benchwithzmq/comp_limit pair limit tcp 64", "build/bin/scale_libzmq libzmq connections",
                     "build/bin/web_zlink server up ws 64", "benchwithzmq/run_web.py --only tls"):
            environment, command = split(shlex.split(line))
            self.assertTrue(is_checked(command), line)
            with self.subTest(line=line), contextlib.redirect_stderr(io.StringIO()), \
                 self.assertRaises((ComparisonError, SystemExit, AssertionError)):
                self.check(environment, command)

    def test_commands_of_a_text(self):
        text = "a\n```sh\nA=1 x \\\n  y  # z\n\n```\nno\n```\nmake it\n```\n"
        self.assertEqual(list(commands(text)), [["A=1", "x", "y"], ["make", "it"]])

    def test_every_make_target_of_the_documents(self):
        targets = set(re.search(r"^\.PHONY: ((?:.*\\\n)*.*)$", Path("Makefile").read_text(encoding="utf-8"), re.M)[1].split())
        for document in DOCUMENTS:
            for words in commands(document.read_text(encoding="utf-8")):
                if words[0] == "make" and len(words) > 1:
                    with self.subTest(document=str(document), words=words):
                        self.assertIn(words[1], targets)
