# SPDX-License-Identifier: MPL-2.0
"""Reads the cases of a run: a dict from the case's name to its outcome. "passed" or any other word that both runs must agree on."""

import json
import re
import sys
import pathlib

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tools"))
from pytest_cases import outcomes_of  # noqa: E402

REPORT = "report.xml"
# Such an outcome on libzmq promises nothing for zlink.
BAD = re.compile(r"(failed|failure|error|skipped|timeout|ignored)(: .*| with .*)?$", re.S)


def of_pytest(run):
    return outcomes_of(run.place / REPORT)


def of_go(run):
    """go test -json. A test with subtests is a case beside them."""
    outcomes = {}
    for line in run.output.splitlines():
        if line.startswith("{"):
            event = json.loads(line)
            if event.get("Test") and event["Action"] in ("pass", "fail", "skip"):
                outcomes[event["Test"]] = {"pass": "passed", "fail": "failed", "skip": "skipped"}[event["Action"]]
    return outcomes


def of_cargo(run):
    outcomes = {}
    for name, said in re.findall(r"^test (\S.*?)(?: - should panic)? \.\.\. (\w+)", run.output, re.M):
        outcomes[name] = "passed" if said == "ok" else said.lower()
    return outcomes


def of_mocha(run):
    """mocha --reporter json: the report is the last thing on the output that begins with a brace alone."""
    start = run.output.find("\n{\n") + 1 if "\n{\n" in run.output else run.output.find("{\n")
    report, _ = json.JSONDecoder().raw_decode(run.output[start:])
    outcomes = {}
    for kind, word in (("passes", "passed"), ("failures", "failed"), ("pending", "skipped")):
        for case in report[kind]:
            outcomes[case["fullTitle"]] = word
    return outcomes


def of_unittest(run):
    """unittest -v, also where a test's first line of documentation stands on a line of its own."""
    words = {"ok": "passed", "FAIL": "failed", "ERROR": "error", "skipped": "skipped"}
    found = re.findall(r"^(test\w* \([\w.]+\))[^\n]*?(?:\n[^\n]*?)?\.\.\. (ok|FAIL|ERROR|skipped)", run.output, re.M)
    return {name: words[said] for name, said in found}


def of_tap(run):
    """The lines of TAP: perl, R and others write it. Cases without a name have their number."""
    outcomes = {}
    for nott, number, name in re.findall(r"^\s*(not )?ok (\d+)(?: - ([^\n#]*))?", run.output, re.M):
        key = f"{name.strip() or 'case'} ({number})"
        while key in outcomes:
            key += "'"
        outcomes[key] = "failed" if nott else "passed"
    return outcomes


def of_lines(run):
    """A job of tests/world/jobs says `case NAME: OUTCOME`; the outcome is what both libraries must agree on."""
    return dict(re.findall(r"^case ([^:\n]+): (.*)$", run.output, re.M))


def of_package(run):
    """A job of tests/packages: every line is a case."""
    return {f"line {index + 1}": f"says {line}" for index, line in enumerate(run.output.splitlines())}


def summary(outcomes):
    """How many passed, and how many did not."""
    good = sum(1 for outcome in outcomes.values() if not BAD.match(outcome))
    return good, len(outcomes) - good


def lost(on_libzmq, on_zlink):
    """The cases that are as they should be on libzmq and otherwise on zlink."""
    return [name for name, outcome in on_libzmq.items() if not BAD.match(outcome) and on_zlink.get(name) != outcome]
