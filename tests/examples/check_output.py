#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Runs an example, and compares the lines that it says with those of a file, in any order: check_output.py EXPECTED PROGRAM ARGUMENT..."""
import pathlib
import subprocess
import sys

expected, *command = sys.argv[1:]
done = subprocess.run(command, text=True, capture_output=True, timeout=50, check=False)
said = sorted(done.stdout.splitlines())
wanted = sorted(pathlib.Path(expected).read_text(encoding="utf-8").splitlines())
if done.returncode != 0 or said != wanted:
    sys.exit(f"{' '.join(command)} ended with {done.returncode} and said\n{done.stdout}{done.stderr}expected were\n" + "\n".join(wanted))
if "run" in command and "zlink was loaded" not in done.stderr:
    sys.exit(f"{' '.join(command)} did not run on zlink:\n{done.stderr}")
