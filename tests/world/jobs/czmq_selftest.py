# SPDX-License-Identifier: MPL-2.0
"""czmq's own tests, which its library has in it, one per class. Each runs in a process of its own, since an assertion ends it."""

import ctypes
import re
import subprocess
import sys

import job

LIBRARY = "libczmq.so.4"
LIMIT_S = 40


def names():
    with open("/proc/self/maps") as maps:
        ctypes.CDLL(LIBRARY)
        file = next(line.split()[-1] for line in maps if "/libczmq" in line)
    symbols = subprocess.run(["nm", "-D", file], check=True, capture_output=True, text=True).stdout
    return re.findall(r" T (z\w+_test)$", symbols, re.M)


def main():
    if len(sys.argv) > 1:
        getattr(ctypes.CDLL(LIBRARY), sys.argv[1])(False)
        return
    for name in names():
        try:
            done = subprocess.run([sys.executable, __file__, name], timeout=LIMIT_S, capture_output=True, text=True)
            job.case(name, "passed" if done.returncode == 0 else f"failed with {done.returncode}")
            if done.returncode:
                print(done.stderr[-300:])
        except subprocess.TimeoutExpired:
            job.case(name, "timeout")


main()
