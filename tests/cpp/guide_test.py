#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Checks that each program in docs/cpp.md is the example that it names, which the tests compile and run."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
text = (root / "docs/cpp.md").read_text()
named = re.findall(r"<!-- from (\S+) -->\n```cpp\n(.*?)```\n", text, re.S)
if not named or len(named) != text.count("```cpp\n"):
    sys.exit("docs/cpp.md: a program does not name its example")
for path, code in named:
    if code not in (root / path).read_text():
        sys.exit(f"docs/cpp.md: the program differs from {path}")
