#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Runs programs that nobody here wrote on libzmq and on zlink, compares them case by case, and writes docs/WORLD.md.

    run_world.py --build-dir BUILD [--work DIR] [--only NAME ...] [--times N] [--page | --page-only | --list]

A case that is as it should be on libzmq and otherwise on zlink is tried again. If it never is as it should be, it is lost.
The exit code is 0 if every program could be run, the intended library answered in each run, and no case was lost.
--times: no comparison, but N runs on each library in turn, untraced, whose times are added to those that are there.
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


def run_once(program, chosen, options, traced=True):
    """The run's outcomes, how long it took, and which libraries answered."""
    work = options.work
    wheel = programs.wheel_of(work) if program.wheel else None
    environment = dict(program.environment(work))
    if program.wheel:  # its programs start one another by name
        environment["PATH"] = f"{programs.python_of(work).parent}:{os.environ['PATH']}"
    with library.run(program.command(work), chosen, program.limit_s, wheel, program.files(work), environment, program.addon, traced) as run:
        log = options.work / "logs" / f"{program.name}-{chosen.name}.log"
        log.parent.mkdir(exist_ok=True)
        log.write_text(run.output + run.errors)
        outcomes = {} if run.status == "timeout" else program.read(run)
        if program.read in (cases.of_lines, cases.of_package):
            outcomes["exit status"] = str(run.status) if run.status == 0 else f"failed with {run.status}"
        return {"outcomes": outcomes, "seconds": round(run.seconds, 2), "status": run.status, "libraries": sorted(run.libraries),
                "wrong": library.wrong_library(run, chosen) if traced else None,
                "said": "\n".join(line for line in run.output.splitlines() if line.startswith("benchmark: "))}


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


def set_up(program, options):
    """Installs what the program needs."""
    if program.apt:
        subprocess.run([TOP / "tools/install_packages.sh", "names", *program.apt.split()], check=True)
    program.prepare(options.work)


def run_both(program, options):
    runs = {}
    for chosen in options.libraries:
        runs[chosen.name] = run = run_once(program, chosen, options)
        good, bad = cases.summary(run["outcomes"])
        print(f"   {chosen.name}: {good} as they should be, {bad} not, {run['seconds']} s, status {run['status']}, "
              f"{', '.join(run['libraries'])}", flush=True)
    return runs


def wrongs_of(program, runs):
    """The reasons for which the two runs say nothing of zlink."""
    first = runs["libzmq"]
    found = [f"the run on {name}: {run['wrong']}" for name, run in runs.items() if run["wrong"]]
    if first["status"] == "timeout":
        found.append(f"the run on libzmq did not end within {program.limit_s} s")
    elif not page.is_done(first["outcomes"]):
        found.append("the run on libzmq has no case that is as it should be, or did not come to its end")
    return found


def compare(program, options):
    """Runs the program on both libraries. Returns what is wrong, one line each."""
    runs = run_both(program, options)
    first, second = runs["libzmq"], runs["zlink"]
    lost = {name: first["outcomes"][name] for name in cases.lost(first["outcomes"], second["outcomes"])}
    later = passes_again(program, lost, options.libraries[1], options) if lost else {}
    result = {"name": program.name, "what": program.what, "version": program.version(options.work), "runs": runs, "unsteady": later,
              "lost": {name: [wanted, second["outcomes"].get(name, "did not run")] for name, wanted in lost.items() if name not in later},
              "wrong": wrongs_of(program, runs)}
    (options.work / "results").mkdir(exist_ok=True)
    (options.work / "results" / f"{program.name}.json").write_text(json.dumps(result, indent=1))
    for name, turn in later.items():
        print(f"   unsteady {name}: at try {turn}")
    return result["wrong"] + [f"LOST {name}: {wanted} on libzmq, {got} on zlink" for name, (wanted, got) in result["lost"].items()]


def measure(program, options):
    """Adds the times of more runs, the libraries in turn. Returns what is wrong, one line each."""
    file = options.work / "times" / f"{program.name}.json"
    file.parent.mkdir(exist_ok=True)
    times = json.loads(file.read_text()) if file.exists() else {chosen.name: [] for chosen in options.libraries}
    left, tries = options.times, TRIES
    while left:
        turn = len(times["zlink"]) % 2  # each is the first one as often as the other
        runs = {chosen.name: run_once(program, chosen, options, traced=False) for chosen in (options.libraries[turn], options.libraries[1 - turn])}
        print("   " + ", ".join(f"{name} {run['seconds']} s {run['said']}" for name, run in runs.items()), flush=True)
        lost = cases.lost(runs["libzmq"]["outcomes"], runs["zlink"]["outcomes"])
        if lost or not page.is_done(runs["libzmq"]["outcomes"]):  # its time is no time of the whole program
            tries -= 1
            if not tries:
                return [f"{TRIES} runs whose time was to be taken did not do the same on both: {lost[:3]}"]
            continue
        for name, run in runs.items():
            times[name].append([run["seconds"], run["said"].removeprefix("benchmark: ")])
        file.write_text(json.dumps(times, indent=1))
        left -= 1
    return []


def problems_of(program, place, options):
    """Runs it, and returns what is wrong. A program that cannot be installed or run does not keep the others from their turn."""
    print(f"== {program.name} ({place}) {time.strftime('%H:%M:%S')}", flush=True)
    try:
        set_up(program, options)
        problems = measure(program, options) if options.times else compare(program, options)
    except (subprocess.CalledProcessError, OSError, LookupError, ValueError, StopIteration) as error:
        problems = [f"could not be run: {error!r}"]
    for problem in problems:
        print(f"   {problem}", flush=True)
    return [f"{program.name}: {problem}" for problem in problems]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, default=TOP / "build/release", help="a build of zlink, with its directory compat")
    parser.add_argument("--work", type=pathlib.Path, default=TOP / "build/world")
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--times", type=int, default=0, metavar="N", help="take the times of N runs on each library instead of comparing")
    parser.add_argument("--list", action="store_true", help="only tell the names")
    parser.add_argument("--page", action="store_true", help="write docs/WORLD.md from all results in the work directory afterwards")
    parser.add_argument("--page-only", action="store_true", help="write it and run nothing")
    return parser.parse_args()


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("FAILED: told to end"))
    if options.list:
        print(*(program.name for program in programs.PROGRAMS), sep="\n")
        return 0
    unknown = set(options.only or ()) - {program.name for program in programs.PROGRAMS}
    if unknown:
        sys.exit(f"FAILED: no such program: {', '.join(sorted(unknown))}; --list tells the names")
    options.work = options.work.resolve()
    options.work.mkdir(parents=True, exist_ok=True)
    file = options.build_dir.resolve() / "compat/libzmq.so.5"
    if not file.exists():
        sys.exit(f"FAILED: there is no {file}; build zlink first")
    options.libraries = (library.Library("libzmq"), library.Library("zlink", file))
    chosen = [] if options.page_only else [program for program in programs.PROGRAMS if options.only is None or program.name in options.only]
    if any(program.wheel for program in chosen):
        turn = open(options.work / "lock", "w")  # one at a time: a run changes what is in the wheel
        fcntl.flock(turn, fcntl.LOCK_EX)
        for wheel in options.work.glob("python/lib/python3*/site-packages/pyzmq.libs"):
            library.mend_wheel(wheel)
    problems = [line for place, program in enumerate(chosen) for line in problems_of(program, f"{place + 1} of {len(chosen)}", options)]
    if options.page or options.page_only:
        page.write(options.work, TOP / "docs/WORLD.md")
    for line in problems:
        print(f"FAILED: {line}")
    good = len(chosen) - len({line.partition(":")[0] for line in problems})
    print(f"{good} of {len(chosen)} programs do the same on zlink")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
