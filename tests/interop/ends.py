# SPDX-License-Identifier: MPL-2.0
"""Starts and talks to interop_end processes; what the programs of this directory share."""

import argparse
import contextlib
import os
import queue
import random
import socket
import subprocess
import tempfile
import threading

TIMEOUT_S = 60


class Failure(Exception):
    pass


class End:
    """One interop_end process, or one that speaks like it (program: a path, or a command's words). Lines of its stdout come
    through next_line(). stderr names the library's file. If there is a library directory, it must be that directory's libzmq.so.5."""

    def __init__(self, program, library_dir, *arguments, library="zlink"):
        environment = dict(os.environ)
        environment.pop("LD_PRELOAD", None)
        environment.pop("LD_LIBRARY_PATH", None)
        if library_dir:
            environment["LD_LIBRARY_PATH"] = library_dir
        command = [program] if isinstance(program, str) else list(program)
        self.name = f"{library if library_dir else 'libzmq' if isinstance(program, str) else command[0]} {' '.join(arguments)}"
        self.library_dir = library_dir
        self.process = subprocess.Popen(
            [*command, *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines = queue.Queue()
        self.errors = []
        self.threads = [
            threading.Thread(target=self._read_lines, daemon=True),
            threading.Thread(target=self._read_errors, daemon=True),
        ]
        for thread in self.threads:
            thread.start()

    def _read_lines(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def _read_errors(self):
        self.errors.extend(self.process.stderr)

    def next_line(self):
        try:
            return self.lines.get(timeout=TIMEOUT_S)
        except queue.Empty:
            raise Failure(f"{self.name}: nothing said for {TIMEOUT_S} s") from None

    def expect(self, word):
        """The rest of the next line, which must begin with the word."""
        line = self.next_line()
        if line is None or not line.startswith(word):
            raise Failure(f"{self.name}: said {line!r} instead of {word!r} {''.join(self.errors)}")
        return line[len(word) :].strip()

    def tell(self, word):
        try:
            self.process.stdin.write(word + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"{self.name}: ended early {''.join(self.errors)}") from None

    def finish(self):
        """After "done": lets the process go and checks how it ends and which library it had."""
        self.tell("quit")
        try:
            status = self.process.wait(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name}: did not end in {TIMEOUT_S} s") from None
        for thread in self.threads:
            thread.join(timeout=5)
        if status != 0:
            raise Failure(f"{self.name}: ended with {status} {''.join(self.errors)}")
        named = [line for line in self.errors if line.startswith("library: ")]
        loaded = [os.path.realpath(line.split(": ", 1)[1].strip()) for line in named]
        if self.library_dir:
            right = loaded == [os.path.realpath(os.path.join(self.library_dir, "libzmq.so.5"))]
        else:  # the system's, or a peer that is no C program and names none
            right = all(path.startswith("/usr/") for path in loaded)
        if not right:
            raise Failure(f"{self.name}: answered by another library: {named}")

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def free_port():
    """Below the ports that the kernel gives to connections and to wildcards: none of these takes it meanwhile."""
    while True:
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", random.randrange(20000, 32000))) as listener:
            return listener.getsockname()[1]


@contextlib.contextmanager
def meeting(transport):
    """An address to bind to, and a list for ends, which are killed at last if they have not finished."""
    ends = []
    with tempfile.TemporaryDirectory(prefix="zlink-interop-") as directory:
        addresses = {"tcp": "tcp://127.0.0.1:*", "ipc": f"ipc://{directory}/socket", "ws": f"ws://127.0.0.1:{free_port()}/peer"}
        try:
            yield addresses[transport], ends
        finally:
            for end in ends:
                end.kill()


def arguments(doc, **choices):
    """What the command line says: which library, the program, and one of the choices by each name, in that order."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    library = parser.add_mutually_exclusive_group(required=True)
    library.add_argument("--subject", metavar="DIR", help="directory of the libzmq.so.5 under test")
    library.add_argument("--self", dest="self_check", action="store_true", help="the reference on all sides")
    parser.add_argument("--program", required=True)
    for name, allowed in choices.items():
        parser.add_argument(name, choices=allowed)
    return parser.parse_args()


def run_all(cases):
    """Runs (label, call) one by one; the exit code."""
    failures = 0
    for label, call in cases:
        try:
            call()
            print(f"ok      {label}")
        except Failure as failure:
            failures += 1
            print(f"FAILED  {label}: {failure}")
    return 1 if failures else 0
