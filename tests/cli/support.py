# SPDX-License-Identifier: MPL-2.0
"""Runs the command `zlink` for its tests. ZLINK_COMMAND names it."""
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

COMMAND = os.environ["ZLINK_COMMAND"]
DEADLINE = 30  # seconds; longer than anything takes, and shorter than ctest's own limit


class Running:
    """A command that runs beside the test. It is killed when the test is over."""

    def __init__(self, arguments, **options):
        command = options.pop("command", [COMMAND])
        self.process = subprocess.Popen([*command, *arguments], stdin=options.pop("stdin", subprocess.DEVNULL),
                                        stdout=options.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE, **options)
        self.errors = b""

    def wait_for_error(self, text):
        """Reads the standard error until the text has come."""
        end = time.monotonic() + DEADLINE
        while text not in self.errors:
            readable, _, _ = select.select([self.process.stderr], [], [], max(0, end - time.monotonic()))
            part = os.read(self.process.stderr.fileno(), 4096) if readable else b""
            if not part:
                raise AssertionError(f"{text} did not come, but {self.errors}")
            self.errors += part
        return self.errors

    def read_line(self):
        """One line of the standard output, or less at its end."""
        line, end = b"", time.monotonic() + DEADLINE
        while not line.endswith(b"\n"):
            readable, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            if not readable:
                raise AssertionError(f"no line came, but {line}")
            byte = os.read(self.process.stdout.fileno(), 1)
            if not byte:
                break
            line += byte
        return line

    def send(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def stop(self, number=signal.SIGINT):
        self.process.send_signal(number)
        return self.finish()

    def finish(self):
        """Waits for the end; gives the status, the rest of the output, and all errors."""
        out, errors = self.process.communicate(timeout=DEADLINE)
        self.errors += errors
        return self.process.returncode, out, self.errors

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def make_certificate(folder, host="localhost"):
    """A certificate that is its own authority, and its key; skips the test where OpenSSL's program is not."""
    if not shutil.which("openssl"):
        raise unittest.SkipTest("openssl is not installed")
    certificate, key = folder / "own.pem", folder / "own.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key,
                    "-out", certificate, "-days", "2", "-subj", f"/CN={host}", "-addext", f"subjectAltName=DNS:{host}"],
                   check=True, capture_output=True)
    return certificate, key


class CommandTest(unittest.TestCase):
    """Has a folder of its own, and ends what it has started."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="zl")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.names = 0

    def endpoint(self):
        """An ipc endpoint that nobody has."""
        self.names += 1
        return f"ipc://{self.folder}/e{self.names}"

    def start(self, *arguments, **options):
        running = Running([str(argument) for argument in arguments], **options)
        self.addCleanup(running.kill)
        return running

    def run_zlink(self, *arguments, data=b"", **options):
        """Runs the command to its end; gives status, output and errors."""
        done = subprocess.run([COMMAND, *map(str, arguments)], input=data, capture_output=True, timeout=DEADLINE, check=False,
                              **options)
        return done.returncode, done.stdout, done.stderr

    def check_failure(self, status, words, *arguments, **options):
        """The command fails with this status, and with one line that has these words."""
        found, out, errors = self.run_zlink(*arguments, **options)
        self.assertEqual(found, status, errors)
        self.assertEqual(errors.count(b"\n"), 1, errors)
        self.assertTrue(errors.startswith(b"zlink"), errors)
        for word in words:
            self.assertIn(word.encode(), errors)
        return out


def main():
    unittest.main(verbosity=1)
