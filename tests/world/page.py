# SPDX-License-Identifier: MPL-2.0
"""Writes docs/WORLD.md from the results that run_world.py left."""

import json
import re

import cases

HEAD = """# The world's programs on zlink

Programs, suites and bindings that nobody here wrote were run on libzmq and on zlink. Each row was run by `make test-world`, which writes this page.
[tests/world/README.md](../tests/world/README.md) says how. A case counts as passed where it does what it should; of the others a suite skips
some, and some fail on libzmq as well. *Lost* are the cases that pass on libzmq and do not on zlink, in three tries.
The times are those of whole runs, one on each library, with the program's start and its own waiting in them.

| program | version | what was run | libzmq | cases | passed on libzmq | passed on zlink | lost | s on libzmq | s on zlink |
| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def is_done(outcomes):
    """The program came to its end on libzmq, and more than that is known of it."""
    ended = outcomes.get("exit status", "0") == "0"
    return ended and any(name != "exit status" and not cases.BAD.match(outcome) for name, outcome in outcomes.items())


def row(result):
    first, second = result["runs"]["libzmq"], result["runs"]["zlink"]
    good = cases.summary(first["outcomes"])[0]
    again = cases.summary(second["outcomes"])[0] + sum(1 for name in result["unsteady"] if cases.BAD.match(second["outcomes"].get(name, "failed")))
    inside = "inside its wheel" if any("pyzmq.libs" in file for file in first["libraries"]) else \
        "inside its addon" if any(file.endswith(".node") for file in first["libraries"]) else "Debian's"
    later = f" ({len(result['unsteady'])} at a later try)" if result["unsteady"] else ""
    return (f"| {result['name']} | {result['version']} | {result['what']} | {inside} | {len(first['outcomes'])} | {good} | {again}{later} | "
            f"{len(result['lost'])} | {first['seconds']:.1f} | {second['seconds']:.1f} |")


def benchmarks(results):
    """What a job tells of a loop of its own."""
    rows = []
    for result in results:
        told = [re.findall(r"^benchmark: (.+)$", result["runs"][name].get("said", ""), re.M) for name in ("libzmq", "zlink")]
        if all(told):
            rows.append(f"| {result['name']} | {', '.join(told[0])} | {', '.join(told[1])} |")
    return rows


def write(directory, target):
    results = [json.loads(file.read_text()) for file in sorted(directory.glob("*.json"))]
    results = [result for result in results if not result["wrong"] and is_done(result["runs"]["libzmq"]["outcomes"])]
    text = HEAD + "\n".join(row(result) for result in results) + "\n"
    loops = benchmarks(results)
    if loops:
        text += ("\n## Loops that the jobs time\n\nOne run on each library, on a machine with other work on it: a difference of less than a fifth says nothing.\n\n"
                 "| program | libzmq | zlink |\n| --- | ---: | ---: |\n" + "\n".join(loops) + "\n")
    lost = [(result["name"], name, *pair) for result in results for name, pair in result["lost"].items()]
    if lost:
        text += "\n## Lost\n\n" + "\n".join(f"- {program}, {name}: {wanted} on libzmq, {got} on zlink" for program, name, wanted, got in lost) + "\n"
    target.write_text(text)
    print(f"{target}: {len(results)} programs, {sum(len(result['runs']['libzmq']['outcomes']) for result in results)} cases, {len(lost)} lost")
