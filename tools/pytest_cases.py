# SPDX-License-Identifier: MPL-2.0
"""Reads the report that pytest writes of a run, for the tools that run one suite on two libraries."""

import pathlib
import xml.etree.ElementTree


def outcome_of(case):
    for kind in ("failure", "error", "skipped"):
        found = case.find(kind)
        if found is not None:
            return f"{kind}: {found.get('message', '')}" if kind == "skipped" else kind
    return "passed"


def outcomes_of(report):
    """Test -> outcome. A process that died or hung has written no report: it has run none of its tests."""
    if not report.exists():
        return {}
    outcomes = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        outcome = outcome_of(case)
        if outcomes.get(name, "passed") == "passed":  # an error behind a test is a case of its own
            outcomes[name] = outcome
    return outcomes


def selection_of(name, top):
    """pytest's name of a test from the report's: tests.test_x.Class.test -> tests/test_x.py::Class::test"""
    parts = name.split(".")
    for count in range(1, len(parts)):
        path = pathlib.Path(*parts[:count]).with_suffix(".py")
        if (top / path).exists():
            inner = ".".join(parts[count:])
            head, bracket, parameters = inner.partition("[")
            return str(path) + "::" + head.replace(".", "::") + bracket + parameters
    return name
