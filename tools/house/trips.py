# SPDX-License-Identifier: MPL-2.0
"""Counts the modules on the way of a message, and checks that the way of tools/trips.txt is the one of the source.

A trip is a list of calls. Each begins in a function that the trip has reached; the caller calls a function of that name,
and the module called defines or declares it.
"""
import dataclasses
import re
import shutil
import subprocess

STEP = re.compile(r"^(\S+):(\S+) -> (\S+):(\S+)$")


@dataclasses.dataclass
class Trip:
    name: str
    goal: int
    modules: list
    problems: list


def tag_functions(top, names):
    """{module: {function: [(file, first line, last line)]}}; a prototype has no last line."""
    ctags = shutil.which("ctags-universal") or shutil.which("ctags")
    command = [ctags, "-x", "--_xformat=%F\t%n\t%{end}\t%N", "--fields=+ne", "--kinds-C++=fp", "--map-C++=+.h",
               "-D", "__attribute__(x)=", "-L", "-"]
    output = subprocess.run(command, cwd=top, input="\n".join(names), text=True, capture_output=True, check=True).stdout
    found = {}
    for line in output.splitlines():
        name, start, end, function = line.split("\t")
        module = name.removeprefix("src/").rsplit(".", 1)[0]
        found.setdefault(module, {}).setdefault(function, []).append((name, int(start), int(end) if end else 0))
    return found


def read_step(line, tags):
    """((module, function), (module, function)) of a step; None for a part that the source has not."""
    match = STEP.match(line)
    if not match:
        return None, None
    ends = []
    for module, function in (match.group(1, 2), match.group(3, 4)):
        ends.append((module, function) if function in tags.get(module, {}) else None)
    return ends[0], ends[1]


def calls(caller, function, tags, sources):
    """Does the body of the caller call a function of this name?"""
    guards = r"|\b(?:lock_guard|unique_lock)\b" if function == "lock" else ""
    pattern = re.compile(rf"\b{re.escape(function)}\s*(?:<[^<>;]*>)?\({guards}")
    for name, start, end in tags[caller[0]][caller[1]]:
        body = "\n".join(sources[name].split("\n")[start - 1:end])
        opening = body.find("{")
        if end and opening >= 0 and pattern.search(body, opening):
            return True
    return False


def read_trips(text, tags, sources):
    trips, reached = [], set()
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.split("#", 1)[0].strip()
        heading = re.match(r"trip (.+), goal (\d+)$", line)
        if heading:
            trips.append(Trip(heading.group(1), int(heading.group(2)), [], []))
            reached = set()
        elif line:
            problem = add_step(trips[-1], line, reached, tags, sources)
            if problem:
                trips[-1].problems.append(f"tools/trips.txt:{number}: {problem}: {line}")
    return trips


def add_step(trip, line, reached, tags, sources):
    """Adds the modules of a step. Returns what is wrong with it, or None."""
    begin, end = read_step(line, tags)
    if begin is None or end is None:
        return f"no such function in the {'first' if begin is None else 'second'} module"
    if reached and begin not in reached:
        return "the trip has not reached the caller"
    reached |= {begin, end}
    trip.modules += [module for module in (begin[0], end[0]) if module not in trip.modules]
    return None if calls(begin, end[1], tags, sources) else "the caller does not call it"
