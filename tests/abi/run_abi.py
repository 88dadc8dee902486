#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Runs one behaviour program on the reference libzmq and on the library under test and compares what it prints.

    run_abi.py --subject DIR PROGRAM [ARG...]      DIR holds the libzmq.so.5 under test
    run_abi.py --self 10 PROGRAM [ARG...]          the reference against itself, ten times

The programs say on stderr which library file answers them; a run that loaded the wrong one fails.
"""

import argparse
import difflib
import os
import signal
import subprocess
import sys

TIMEOUT_S = 90 * max(1, int(os.environ.get("ABI_TIME_FACTOR", "1")))


def run(command, library_dir):
    """Returns (stdout, how it ended, path of the library that answered, the rest of stderr)."""
    environment = dict(os.environ)
    environment.pop("LD_LIBRARY_PATH", None)
    environment.pop("LD_PRELOAD", None)
    if library_dir:
        environment["LD_LIBRARY_PATH"] = library_dir
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=TIMEOUT_S)
        status, out, err = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        status, out, err = "timeout", late.stdout or b"", late.stderr or b""
    if isinstance(status, int) and status < 0:
        status = signal.Signals(-status).name
    lines = err.decode(errors="replace").splitlines()
    library = next((line.split(": ", 1)[1] for line in lines if line.startswith("library: ")), "")
    rest = [line for line in lines if not line.startswith("library: ")]
    return out.decode(errors="replace"), status, os.path.realpath(library) if library else "", rest


def libraries_of(directory):
    """The files that may answer for the directory: its libzmq.so.5, or what that stands for."""
    return {os.path.realpath(os.path.join(directory, name)) for name in ("libzmq.so.5", "libzmq.so")}


def difference(reference, subject):
    lines = difflib.unified_diff(
        reference.splitlines(), subject.splitlines(), "reference", "subject", lineterm="", n=2
    )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", metavar="DIR", help="directory of the libzmq.so.5 under test")
    parser.add_argument("--reference", metavar="DIR", help="directory of the reference (default: the system's)")
    parser.add_argument("--self", dest="repeat", type=int, default=0, metavar="N", help="reference only, N times")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if not options.command or not (options.subject or options.repeat):
        parser.error("a program and --subject or --self are needed")

    expected, status, library, rest = run(options.command, options.reference)
    if status != 0:
        print(expected + "\n".join(rest) + f"\nthe reference ended with {status}")
        return 1
    for _ in range(max(1, options.repeat - 1)):
        actual, status, other, rest = run(options.command, options.reference if options.repeat else options.subject)
        if options.subject and not options.repeat and other not in libraries_of(options.subject):
            print(f"the library under test was to answer, but {other or 'nobody'} did")
            return 1
        if actual != expected or status != 0:
            print(difference(expected, actual))
            print("\n".join(rest))
            print(f"reference: {library}\nsubject:   {other}, ended with {status}")
            return 1
    print(f"{len(expected.splitlines())} lines equal")
    return 0


if __name__ == "__main__":
    sys.exit(main())
