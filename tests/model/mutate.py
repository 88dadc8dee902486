#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Weakens the memory orders of the library one by one, and looks whether the checker finds out.

    mutate.py copy SRC OUT FILE...      copies of the files (names below SRC), whose orders have numbers, and OUT/orders.tsv
    mutate.py run CHECKER ORDERS OUT    a table of all of them as OUT/orders.md; an execution that breaks as OUT/NUMBER-ORDER.txt

An order is weakened by one step. If no program fails, the next step is tried. The run fails if no program notices the first
step of an order, and explained.tsv does not say why: it has the file, a part of the line, and the reason.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

ORDER = re.compile(r"std::memory_order_(acquire|release|acq_rel|seq_cst)\b")
# From each order: the chains of weaker ones.
CHAINS = {"seq_cst": [["acq_rel", "acquire", "relaxed"], ["acq_rel", "release", "relaxed"]], "acq_rel": [["acquire"], ["release"]],
          "acquire": [["relaxed"]], "release": [["relaxed"]]}
DEEPEST = 2  # preemptions


def code_end(line):
    """Where a comment begins, or the line ends."""
    found = line.find("//")
    return len(line) if found < 0 else found


def number_orders(text, name, rows):
    """The text with calls of weakened(); adds a row for each order."""
    out = []
    for index, line in enumerate(text.split("\n"), 1):
        end = code_end(line)

        def numbered(match, index=index, line=line):
            rows.append([len(rows), name, index, match.group(1), line.strip()])
            return f"::zlink::model::weakened({len(rows) - 1}, {match.group(0)})"
        out.append(ORDER.sub(numbered, line[:end]) + line[end:])
    return "\n".join(out)


def copy(arguments):
    rows = []
    for name in arguments.files:
        target = arguments.out / name
        target.parent.mkdir(parents=True, exist_ok=True)
        text = number_orders((arguments.src / name).read_text(encoding="utf-8"), name, rows)
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")
    with (arguments.out / "orders.tsv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(rows)
    return 0


def reached(checker):
    """Order -> the programs that come to it, as far as they are run here."""
    done = subprocess.run([checker, "--reached", "--preemptions", "1", "--seconds", "0.3"], capture_output=True, text=True, check=True)
    programs = {}
    for program, numbers in re.findall(r"^reached by (\S+):(.*)$", done.stdout, re.M):
        for number in numbers.split():
            programs.setdefault(number, []).append(program)
    return programs


def find(checker, programs, number, order, seconds, out):
    """The program that fails, and how; or None."""
    for preemptions in range(DEEPEST + 1):
        done = subprocess.run([checker, "--weaken", number, order, "--preemptions", str(preemptions), "--seconds", str(seconds),
                               "--until-failure", *programs], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            continue
        failed = re.search(r"^(\S+): (.*)$", done.stdout[done.stdout.find("FAILED"):], re.M)
        (out / f"{number}-{order}.txt").write_text(done.stdout + done.stderr, encoding="utf-8")
        return (failed.group(1), failed.group(2)) if failed else ("?", f"ended with {done.returncode}")
    return None


def explanations():
    """(file, part of a line, reason) of each order that no program notices."""
    with (pathlib.Path(__file__).parent / "explained.tsv").open(encoding="utf-8", newline="") as file:
        return [row for row in csv.reader(file, delimiter="\t") if row]


def reason_of(name, text, reasons):
    return next((why for file, part, why in reasons if file == name and part in text), None)


def try_order(arguments, programs, row, lines):
    """Weakens one order step by step; returns whether a program noticed the first step."""
    number, name, line, order, text = row
    tried = {}
    for chain in [["relaxed"]] if "signal_fence" in text else CHAINS[order]:
        for weaker in chain:
            if weaker not in tried:
                found = tried[weaker] = find(arguments.checker, programs, number, weaker, arguments.seconds, arguments.out)
                print(f"{number} {name}:{line} {order} -> {weaker}: {found or 'NOT CAUGHT'}", flush=True)
                if found:
                    lines.append(f"| {name}:{line} | `{text}` | {order} → {weaker} | {found[0]}: {found[1]} |")
            if tried[weaker]:
                break
    return bool(next(iter(tried.values())))


def run(arguments):
    with arguments.orders.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t"))
    arguments.out.mkdir(parents=True, exist_ok=True)
    lines, caught, explained, missed = [], 0, 0, []
    programs, reasons = reached(arguments.checker), explanations()
    for row in rows:
        number, name, line, order, text = row
        if arguments.only and arguments.only not in name:
            continue
        if number in programs and try_order(arguments, programs[number], row, lines):
            caught += 1
            continue
        why = reason_of(name, text, reasons)
        lines.append(f"| {name}:{line} | `{text}` | {order} | {why or 'NOT EXPLAINED'} |")
        explained += why is not None
        if why is None:
            missed.append(f"{name}:{line} {text}")
    head = ["| order | code | weakened | the program that fails, or why none does |", "| --- | --- | --- | --- |"]
    (arguments.out / "orders.md").write_text("\n".join(head + lines) + "\n", encoding="utf-8")
    print(f"orders: {caught} needed, {explained} explained, {len(missed)} neither")
    for one in missed:
        print(f"not noticed and not explained: {one}")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    copying = commands.add_parser("copy")
    copying.add_argument("src", type=pathlib.Path)
    copying.add_argument("out", type=pathlib.Path)
    copying.add_argument("files", nargs="+")
    copying.set_defaults(do=copy)
    running = commands.add_parser("run")
    running.add_argument("checker")
    running.add_argument("orders", type=pathlib.Path)
    running.add_argument("out", type=pathlib.Path)
    running.add_argument("--seconds", type=float, default=2, help="of processor time, for each program and bound")
    running.add_argument("--only", help="files with this in their names")
    running.set_defaults(do=run)
    arguments = parser.parse_args()
    return arguments.do(arguments)


if __name__ == "__main__":
    sys.exit(main())
