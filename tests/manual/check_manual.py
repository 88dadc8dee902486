#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Every function and constant of include/zlink/*.h is in a manual page, and man(1) shows each page without a warning."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
# Markup that was not understood.
RESIDUE = re.compile(r"\*\*|\]\(|^\s*\|.*\||&lt;|&gt;|```|<!--", re.M)
REFERENCE = re.compile(r"\b(zlink(?:_\w+)?)\(([37])\)")
SPECIMENS = {  # what the check has to find
    "a warning": '.TH x 3\n.SH NAME\nx - y\n.TS\nl l.\n' + "w" * 90 + "\tb\n.TE\n",
    "markup": ".TH x 3\n.SH NAME\nx \\- **y**\n.SH DESCRIPTION\nz\n",
}


def formatted(man, page, *arguments):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "80"}
    done = subprocess.run([man, "--warnings=w", *arguments, "--local-file", page], env=environment, text=True, capture_output=True, check=False)
    return done.stdout, done.stderr + (f"ended with {done.returncode}" if done.returncode else "")


def problems_of(text, warnings):
    if warnings:
        yield f"man says: {warnings.strip().splitlines()[0]}"
    found = RESIDUE.search(text)
    if found:
        yield f"markup is left: {found.group(0)!r}"
    for section in ("NAME", "DESCRIPTION"):
        if not re.search(rf"(?m)^{section}$", text):
            yield f"has no section {section}"
    if not re.search(r"(?m)^ +\w+ +(-|‐|–) +\S", text):
        yield "its name has no meaning beside it"


def shown(man, page):
    """(text, problems) as a terminal of 80 columns has them. The text has whole words."""
    text, _ = formatted(man, page, "--no-hyphenation", "--no-justification")
    return text, list(problems_of(text, formatted(man, page)[1]))


def check_itself(man):
    """Each specimen has the problem that its name says."""
    for wanted, source in SPECIMENS.items():
        with tempfile.NamedTemporaryFile("w", suffix=".3") as file:
            file.write(source)
            file.flush()
            said = shown(man, file.name)[1]
        if not any(("man says" if wanted == "a warning" else "markup is left") in one for one in said):
            yield f"the check does not find {wanted}: {said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("pages", "make"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--man", required=True)
    options = parser.parse_args()
    problems = list(check_itself(options.man))
    pages = {f"{path.parent.name}/{path.name}": path for path in sorted(options.pages.glob("man[37]/*"))}
    listed = subprocess.run([sys.executable, options.make, "--list"], text=True, capture_output=True, check=True).stdout.split()
    problems += [f"{name} is listed or there, but not both" for name in sorted(set(listed) ^ set(pages))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        texts = dict(zip(pages, pool.map(lambda path: shown(options.man, path), pages.values())))
    everything = "".join(text for text, _ in texts.values())
    for name in (TOP / "tests/exports/zlink_functions.txt").read_text(encoding="utf-8").split():
        if f"man3/{name}.3" not in pages:
            problems.append(f"the function {name} has no page")
    for header in sorted((TOP / "include/zlink").glob("*.h")):
        text = header.read_text(encoding="utf-8")
        names = re.findall(r"ZMQ_EXPORT [^;]*?\b(zlink_\w+)\s*\(", text)
        problems += [f"{name} of {header.name} has no page" for name in names if f"man3/{name}.3" not in pages]
        constants = [name for name in re.findall(r"(?m)^#define (ZLINK_\w+) ", text)]
        problems += [f"{name} of {header.name} is on no page" for name in constants if not re.search(rf"\b{name}\b", everything)]
    for name, (text, said) in texts.items():
        problems += [f"{name}: {one}" for one in said]
        for other, section in REFERENCE.findall(text):
            if f"man{section}/{other}.{section}" not in pages:
                problems.append(f"{name} leads to {other}({section}), which is not there")
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
