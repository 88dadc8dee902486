#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""How fast pyzmq is on its own libzmq and with zlink preloaded: PUSH/PULL and REQ/REP, 64 B over tcp.

    time_pyzmq.py --build-dir BUILD [--work DIR] [--rounds 9] [--seconds 1]

Two processes, as programs have it: one binds PULL or REP, the other connects PUSH or REQ, each in a plain loop of send() and
recv(). Runs of the libraries alternate; told are the medians of the rounds, the range, and zlink divided by libzmq. The wheel's
own libzmq is the one that comes with pyzmq. Says which file each was bound to, as test_pyzmq.py does.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

from test_pyzmq import Library, check_library, environment_of

BODY = 64
TARGET = 1.3

# What the two processes run: argv is the role, the endpoint to connect to, and the seconds; the one that binds tells its port.
PROGRAM = """
import sys, time, zmq
role, where, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
socket = zmq.Context().socket(getattr(zmq, role))
body = b"x" * %d
if role == "PULL":
    print(socket.bind_to_random_port("tcp://127.0.0.1"), flush=True)
    socket.recv()
    begin = time.perf_counter()
    count = 0
    while time.perf_counter() - begin < seconds:
        for _ in range(1000):
            socket.recv()
        count += 1000
    print(count / (time.perf_counter() - begin), flush=True)
elif role == "REP":
    print(socket.bind_to_random_port("tcp://127.0.0.1"), flush=True)
    while True:
        socket.send(socket.recv())
elif role == "PUSH":
    socket.connect(where)
    while True:
        socket.send(body)
else:
    socket.connect(where)
    for _ in range(100):
        socket.send(body)
        socket.recv()
    begin = time.perf_counter()
    count = 0
    while time.perf_counter() - begin < seconds:
        for _ in range(100):
            socket.send(body)
            socket.recv()
        count += 100
    print(count / (time.perf_counter() - begin), flush=True)
""" % BODY
PATTERNS = {"PUSH/PULL": ("PULL", "PUSH", "PULL"), "REQ/REP": ("REP", "REQ", "REQ")}  # who binds, who connects, who tells the rate


def start(python, library, role, where, seconds):
    return subprocess.Popen([str(python), "-c", PROGRAM, role, where, str(seconds)], env=library.environment(),
                            stdout=subprocess.PIPE, text=True)


def rate(python, library, pattern, seconds):
    """Messages, or round trips, per second."""
    binds, connects, tells = PATTERNS[pattern]
    processes = {binds: start(python, library, binds, "", seconds)}
    try:
        port = int(processes[binds].stdout.readline())
        processes[connects] = start(python, library, connects, f"tcp://127.0.0.1:{port}", seconds)
        return float(processes[tells].stdout.readline())
    finally:
        for process in processes.values():
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True, help="a build of zlink, with its directory compat")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/pyzmq"))
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_args()
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    python = environment_of("cython", options.work)
    libraries = Library("libzmq", None), Library("zlink", options.build_dir.resolve() / "compat" / "libzmq.so.5")
    for library in libraries:
        check_library(python, library, options.work)
    good = True
    for pattern in PATTERNS:
        rates = [[rate(python, library, pattern, options.seconds) for library in libraries] for _ in range(options.rounds)]
        columns = list(zip(*rates))
        ratio = statistics.median(columns[1]) / statistics.median(columns[0])
        good = good and ratio >= TARGET
        told = (f"{library.name} {statistics.median(column):9.0f}/s ({min(column):.0f} to {max(column):.0f})"
                for library, column in zip(libraries, columns))
        print(f"{pattern:10} {BODY} B tcp: {', '.join(told)}, zlink / libzmq {ratio:.2f}", flush=True)
    print(f"{'at least' if good else 'LESS THAN'} {TARGET} times in {'both' if good else 'one of them or both'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
