#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Lets Debian's packages that load libzmq.so.5 do their ordinary job on the packaged libzmq and on zlink, and compares.

    run_packages.py --build-dir BUILD [--work DIR] [--only czmq ...]

Each job is a program of this directory that tells what it does on stdout; the two outputs must be the same. On stderr it
tells which libraries it has mapped (/proc/self/maps): a job on zlink that does not have it, or the other way around, fails too.
"""

import argparse
import difflib
import glob
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]
INCLUDE = TOP / "include"
TIMEOUT_S = 180
C, CXX = ["gcc", "-Wall", "-Wextra", "-Werror"], ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror"]

# Debian's libzmq has no draft interface to compare with.
DRAFTS_SAY = """\
poller: quiet 0
poller: 1 second
poller: not asked 0
active poller: 2 sockets, 1 second:x
active poller: 1 second:x first:y
server: question answered
radio: group called
"""


def compiled(options, compiler, source, name, *libraries):
    program = options.work / name
    subprocess.run([*compiler, str(HERE / source), "-o", str(program), *map(str, libraries)], check=True)
    return [program]


def java_job(options):
    if not (shutil.which("javac") and shutil.which("java")):
        subprocess.run([str(TOP / "tools/install_packages.sh"), "java"], check=True)
    classes = f"/usr/share/java/zmq.jar:{options.work}"
    subprocess.run(["javac", "-Xlint:all", "-Werror", "-cp", classes, "-d", str(options.work), str(HERE / "JzmqJob.java")], check=True)
    native = ":".join(sorted(glob.glob("/usr/lib/*/jni")))
    return ["java", f"-Djava.library.path={native}", "-cp", classes, "JzmqJob"]


# Package -> how to make its job's command, and what it says where there is nothing to compare with.
JOBS = {
    # The distribution's interpreter, whose packages these are, whichever stands first in PATH.
    "python3-zmq": (lambda options: ["/usr/bin/python3", HERE / "pyzmq_job.py"], None),
    "czmq": (lambda options: compiled(options, C, "czmq_job.c", "czmq_job", "-lczmq", "-lzmq"), None),
    "cppzmq": (lambda options: compiled(options, CXX, "cppzmq_job.cpp", "cppzmq_job", "-lzmq"), None),
    "cppzmq with drafts": (lambda options: compiled(
        options, [*CXX, "-DZMQ_BUILD_DRAFT_API", f"-I{INCLUDE}"], "cppzmq_job.cpp", "cppzmq_drafts",
        options.compat / "libzmq.so", f"-Wl,-rpath,{(options.compat / 'libzmq.so').resolve().parent}"), DRAFTS_SAY),
    "ruby-ffi-rzmq": (lambda options: ["ruby", HERE / "ruby_job.rb"], None),
    "libzmq-java": (java_job, None),
    "octave-zeromq": (lambda options: ["octave-cli", "--norc", "-q", HERE / "octave_job.m"], None),
}


def run_job(name, command, options, library):
    """What the job says, or None after telling what went wrong."""
    place = options.work / f"{name.replace(' ', '-')}-{'zlink' if library else 'libzmq'}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    environment = {key: value for key, value in os.environ.items() if key not in ("LD_PRELOAD", "LD_LIBRARY_PATH")}
    if library:
        environment["LD_LIBRARY_PATH"] = str(library)
    try:
        done = subprocess.run([str(word) for word in command], cwd=place, env=environment, timeout=TIMEOUT_S, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        print(f"FAILED  {place.name}: not done after {TIMEOUT_S} s; said last:\n{(late.stdout or b'').decode()[-500:]}")
        return None
    mapped = sorted({line.split(": ", 1)[1] for line in done.stderr.splitlines() if line.startswith("library: ")})
    if not mapped or any(os.path.dirname(path) == str(library) for path in mapped) != bool(library):
        print(f"FAILED  {place.name}: has loaded {mapped or 'no libzmq'}\n{done.stderr[-2000:]}")
    elif done.returncode != 0:
        print(f"FAILED  {place.name}: ended with {done.returncode}\n{done.stdout[-500:]}\n{done.stderr[-2000:]}")
    else:
        print(f"        {place.name}: {done.stdout.count(chr(10))} lines with {', '.join(mapped)}", flush=True)
        return done.stdout
    return None


def same(name, options):
    make, expected = JOBS[name]
    command = make(options)
    if expected is None:
        expected = run_job(name, command, options, None)
    said = run_job(name, command, options, options.compat)
    if expected is None or said is None:
        return False
    if said != expected:
        print(f"FAILED  {name}: says something else on zlink")
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), said.splitlines(True), "expected", "zlink"))
        return False
    print(f"ok      {name}", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True, help="a build of zlink, with its directory compat")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/packages"))
    parser.add_argument("--only", action="append", choices=JOBS)
    options = parser.parse_args()
    options.compat = options.build_dir.resolve() / "compat"
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    if not (options.compat / "libzmq.so.5").exists():
        sys.exit(f"FAILED: there is no {options.compat / 'libzmq.so.5'}; build zlink first")
    chosen = options.only or list(JOBS)
    good = [name for name in chosen if same(name, options)]
    print(f"{len(good)} of {len(chosen)} packages do the same on zlink")
    return 0 if good == chosen else 1


if __name__ == "__main__":
    sys.exit(main())
