# SPDX-License-Identifier: MPL-2.0
"""What the jobs have in common: they start programs, wait for what these do, and say one line per case."""

import contextlib
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request

PATIENCE_S = 30


def case(name, outcome):
    print(f"case {name}: {outcome}", flush=True)


def until(condition, what, patience_s=PATIENCE_S):
    """The first true answer of the condition."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.02)
    raise TimeoutError(what)


def settled(value, quiet_s):
    """The value when it has been the same for so long."""
    last, since = value(), time.monotonic()
    while time.monotonic() - since < quiet_s:
        time.sleep(0.05)
        if value() != last:
            last, since = value(), time.monotonic()
    return last


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def started(*words, log, **options):
    """A program that runs until the block ends. What it says goes into the file."""
    with open(log, "wb") as output:
        process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def contents(path):
    return open(path, errors="replace").read() if os.path.exists(path) else ""


def http(url, data=None, timeout_s=10, headers=None):
    """Status and body."""
    request = urllib.request.Request(url, data=data, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
