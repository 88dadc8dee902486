# SPDX-License-Identifier: MPL-2.0
"""Writes docs/WORLD.md from the results and the times that run_world.py left."""

import json
import re
import statistics

import cases

HEAD = """# The world's programs on zlink

Programs, suites and bindings that nobody here wrote were run on libzmq and on zlink. Each row was run by `tests/world/run_world.py` (`make test-world`), which writes this page.
[tests/world/README.md](../tests/world/README.md) says how. A case counts as passed where it does what it should; of the others a suite skips
some, and some fail on libzmq as well. *Lost* are the cases that pass on libzmq and do not on zlink, in three tries.

{summary}

| program | version | what was run | libzmq | cases | passed on libzmq | passed on zlink | lost |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: |
"""

TIMES = """
## Times

The time of a whole run, with the program's start and its own waiting in it: the median of so many runs on each library, the libraries in turn
(`make time-world`), and in brackets the fastest and the slowest run. The difference is that of the medians. It stands
in brackets, and says nothing, where the runs of the two overlap. One run means that none was repeated.

| program | runs on each | s on libzmq | s on zlink | zlink's difference |
| --- | ---: | ---: | ---: | ---: |
"""

LOOPS = """
## Loops that the programs time

Seconds of a loop in the program, or its rate: the median, the smallest and the largest.

| program | runs on each | libzmq | zlink |
| --- | ---: | ---: | ---: |
"""


def is_done(outcomes):
    """The program came to its end on libzmq, and more than that is known of it."""
    ended = outcomes.get("exit status", "0") == "0"
    return ended and any(name != "exit status" and not cases.BAD.match(outcome) for name, outcome in outcomes.items())


def passed_on_zlink(result):
    first, second = (result["runs"][name]["outcomes"] for name in ("libzmq", "zlink"))
    bad = [name for name in result["unsteady"] if cases.BAD.match(second.get(name, "failed"))]
    return cases.summary(second)[0] + len(bad), len(first)


def row(result):
    first = result["runs"]["libzmq"]
    good = cases.summary(first["outcomes"])[0]
    again, count = passed_on_zlink(result)
    inside = "inside its wheel" if any("pyzmq.libs" in file for file in first["libraries"]) else \
        "inside its addon" if any(file.endswith(".node") for file in first["libraries"]) else "Debian's"
    later = f" ({len(result['unsteady'])} at a later try)" if result["unsteady"] else ""
    return f"| {result['name']} | {result['version']} | {result['what']} | {inside} | {count} | {good} | {again}{later} | {len(result['lost'])} |"


def spread(values, digits=2):
    """The median, and what it lies between."""
    text = f"{statistics.median(values):.{digits}f}"
    return text if len(values) == 1 else f"{text} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def difference(first, second):
    """How much longer the second takes. In brackets if it is within the spread of the runs."""
    share = statistics.median(second) / statistics.median(first) - 1
    text = f"{share:+.1%}"
    apart = len(first) > 1 and (min(second) > max(first) or max(second) < min(first))
    return text if apart else f"({text})"


def times_of(result, directory):
    """Seconds and what the program says of its loop, for each run on each library."""
    file = directory / f"{result['name']}.json"
    if file.exists():
        return json.loads(file.read_text())
    return {name: [[run["seconds"], run["said"].removeprefix("benchmark: ")]] for name, run in result["runs"].items()}


def time_row(result, times):
    first, second = ([seconds for seconds, _ in times[name]] for name in ("libzmq", "zlink"))
    return f"| {result['name']} | {len(first)} | {spread(first)} | {spread(second)} | {difference(first, second)} |"


def loop_row(result, times):
    """The row of a program that times a loop of its own: `0.15 s`, or a rate."""
    told = [[re.match(r"([\d.]+) (\S+)", said) for _, said in times[name]] for name in ("libzmq", "zlink")]
    if not all(told[0] + told[1]):
        return None
    words = []
    for found in told:
        unit = found[0].group(2)
        words.append(f"{spread([float(match.group(1)) for match in found], 2 if unit == 's' else 0)} {unit}")
    return f"| {result['name']} | {len(told[0])} | {words[0]} | {words[1]} |"


def write(work, target):
    results = [json.loads(file.read_text()) for file in sorted((work / "results").glob("*.json"))]
    results = [result for result in results if not result["wrong"] and is_done(result["runs"]["libzmq"]["outcomes"])]
    lost = [(result["name"], name, *pair) for result in results for name, pair in result["lost"].items()]
    count = sum(passed_on_zlink(result)[1] for result in results)
    summary = f"{len(results)} programs, {count} cases, {len(lost) or 'none'} lost."
    times = [(result, times_of(result, work / "times")) for result in results]
    text = HEAD.format(summary=summary) + "\n".join(row(result) for result in results) + "\n"
    text += TIMES + "\n".join(time_row(*pair) for pair in times) + "\n"
    loops = [line for line in (loop_row(*pair) for pair in times) if line]
    if loops:
        text += LOOPS + "\n".join(loops) + "\n"
    if lost:
        text += "\n## Lost\n\n" + "\n".join(f"- {program}, {name}: {wanted} on libzmq, {got} on zlink" for program, name, wanted, got in lost) + "\n"
    target.write_text(text)
    print(f"{target}: {summary}")
