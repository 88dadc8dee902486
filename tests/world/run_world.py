#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Runs programs that nobody here wrote on libzmq and on zlink, compares them case by case, and writes docs/WORLD.md.

    run_world.py --build-dir BUILD [--work DIR] [--only NAME ...] [--page | --page-only | --list]

A case that is as it should be on libzmq and otherwise on zlink is tried again. If it never is
as it should be, it is lost, and the exit code is 1. So it is where another library than the intended one answered.
"""

import argparse
import fcntl
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import cases
import library
import page
import programs

TOP = pathlib.Path(__file__).resolve().parents[2]
TRIES = 3


def run_once(program, chosen, options):
    """The run's outcomes, how long it took, and which libraries answered."""
    work = options.work
    wheel = programs.wheel_of(work) if program.wheel else None
    environment = dict(program.environment(work))
    if program.wheel:  # its programs start one another by name
        environment["PATH"] = f"{programs.python_of(work).parent}:{os.environ['PATH']}"
    with library.run(program.command(work), chosen, program.limit_s, wheel, program.files(work), environment, program.addon) as run:
        log = options.work / "logs" / f"{program.name}-{chosen.name}.log"
        log.parent.mkdir(exist_ok=True)
        log.write_text(run.output + run.errors)
        outcomes = program.read(run)
        if program.read in (cases.of_lines, cases.of_package):
            outcomes["exit status"] = str(run.status) if run.status == 0 else f"failed with {run.status}"
        wrong = library.wrong_library(run, chosen)
        return {"outcomes": outcomes, "seconds": round(run.seconds, 2), "status": run.status, "libraries": sorted(run.libraries),
                "wrong": wrong, "said": "\n".join(line for line in run.output.splitlines() if line.startswith("benchmark: "))}


def passes_again(program, names, zlink, options):
    """The cases that are as they should be at a later try, each with the number of the try."""
    found, left = {}, list(names)
    for turn in range(2, TRIES + 1):
        if left:
            again = run_once(program, zlink, options)["outcomes"]
            for name, wanted in list(names.items()):
                if name in left and again.get(name) == wanted:
                    found[name] = turn
                    left.remove(name)
    return found


def compare(program, options):
    """Runs the program on both libraries. Returns what the page says of it."""
    print(f"== {program.name} {time.strftime('%H:%M:%S')}", flush=True)
    if program.apt:
        subprocess.run([TOP / "tools/install_packages.sh", "names", *program.apt.split()], check=True)
    program.prepare(options.work)
    runs = {}
    for chosen in options.libraries:
        runs[chosen.name] = run_once(program, chosen, options)
        good, bad = cases.summary(runs[chosen.name]["outcomes"])
        print(f"   {chosen.name}: {good} as they should be, {bad} not, {runs[chosen.name]['seconds']} s, status "
              f"{runs[chosen.name]['status']}, {', '.join(runs[chosen.name]['libraries'])}", flush=True)
    first, second = runs["libzmq"], runs["zlink"]
    lost = {name: first["outcomes"][name] for name in cases.lost(first["outcomes"], second["outcomes"])}
    later = passes_again(program, lost, options.libraries[1], options) if lost else {}
    result = {"name": program.name, "what": program.what, "version": program.version(options.work), "runs": runs, "unsteady": later,
              "lost": {name: [wanted, second["outcomes"].get(name, "did not run")] for name, wanted in lost.items() if name not in later},
              "wrong": [run["wrong"] for run in runs.values() if run["wrong"]]}
    for name, (wanted, got) in result["lost"].items():
        print(f"   LOST {name}: {wanted} on libzmq, {got} on zlink")
    for name, turn in later.items():
        print(f"   unsteady {name}: at try {turn}")
    for wrong in result["wrong"]:
        print(f"   WRONG LIBRARY: {wrong}")
    if not first["outcomes"] or first["outcomes"].get("exit status", "0") != "0":
        print("   NOT DONE: the run on libzmq says nothing, or did not come to its end")
        result["wrong"].append("the run on libzmq says nothing, or did not come to its end")
    (options.work / "results").mkdir(exist_ok=True)
    (options.work / "results" / f"{program.name}.json").write_text(json.dumps(result, indent=1))
    return not result["lost"] and not result["wrong"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, default=TOP / "build/release", help="a build of zlink, with its directory compat")
    parser.add_argument("--work", type=pathlib.Path, default=TOP / "build/world")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--list", action="store_true", help="only tell the names")
    parser.add_argument("--page", action="store_true", help="write docs/WORLD.md from all results in the work directory afterwards")
    parser.add_argument("--page-only", action="store_true", help="write it and run nothing")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("FAILED: told to end"))
    if options.list:
        print(*(program.name for program in programs.PROGRAMS), sep="\n")
        return 0
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    file = options.build_dir.resolve() / "compat/libzmq.so.5"
    if not file.exists():
        sys.exit(f"FAILED: there is no {file}; build zlink first")
    options.libraries = (library.Library("libzmq"), library.Library("zlink", file))
    chosen = [program for program in programs.PROGRAMS if options.only is None or program.name in options.only]
    if any(program.wheel for program in chosen):
        turn = open(options.work / "lock", "w")  # one at a time: a run changes what is in the wheel
        fcntl.flock(turn, fcntl.LOCK_EX)
    if options.only and len(chosen) != len(options.only):
        sys.exit(f"FAILED: no such program among {options.only}")
    for wheel in options.work.glob("python/lib/python3*/site-packages/pyzmq.libs"):
        library.mend_wheel(wheel)
    good = [program.name for program in chosen if not options.page_only and compare(program, options)]
    if options.page or options.page_only:
        page.write(options.work / "results", TOP / "docs/WORLD.md")
    if options.page_only:
        return 0
    print(f"{len(good)} of {len(chosen)} programs do the same on zlink")
    return 0 if len(good) == len(chosen) else 1


if __name__ == "__main__":
    sys.exit(main())
