#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Prints one row for each goal of the house, with today's value, and fails where a value is worse than in tools/house.json.

--update       records better values in tools/house.json
--accept       records the values although some are worse
--show NAME    lists the places that a row counts
--self-test    checks that planted examples are found

It needs g++ for its headers, and universal-ctags. libclang comes from PyPI into build/tools/house at the first run.
"""
import dataclasses
import importlib.util
import os
import pathlib
import re
import signal
import subprocess
import sys

import check_words
import ratchet
from check_structure import SOURCES, TOP, line_of, read, tree_files, without_comments

if importlib.util.find_spec("clang") is None:
    HOME = TOP / "build/tools/house"
    HOME.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([TOP / "tools/make_venv.sh", HOME, TOP / "tools/house/requirements.txt"], check=True)
    if pathlib.Path(sys.prefix) == HOME:
        sys.exit(f"libclang is not in {HOME}: remove that folder")
    os.execv(HOME / "bin/python", [str(HOME / "bin/python"), *sys.argv])

from house import classes, code, pages, self_test, trips  # noqa: E402, after libclang is there

RECORD = TOP / "tools/house.json"
# Values of options and of sizes, without functions: a row of a table is a field.
TABLE_OF_VALUES = re.compile(r"(?:_options|^tuning|^settings)$")
QUEUE_FOLDERS = ("src/queue/", "src/pipe/")
# Before issue 22.
SOURCE_LINES = 30340


@dataclasses.dataclass
class Row:
    key: str
    title: str
    value: int
    goal: int
    places: list


def listing(key, title, goal, places):
    places = list(places)
    return Row(key, title, len(places), goal, places)


def largest(key, title, goal, found, measure):
    ordered = sorted(found, key=lambda one: -measure(one))
    return Row(key, title, measure(ordered[0]), goal,
               [f"{one.place}: {one.name}: {measure(one)}" for one in ordered if measure(one) > goal])


def class_rows(top=TOP):
    found = classes.parse(top)
    real = [one for one in found if one.functions or not TABLE_OF_VALUES.search(one.name)]
    yield largest("functions", "member functions of the largest class", 40, real, lambda one: one.functions)
    yield largest("fields", "fields of the largest class", 20, real, lambda one: one.fields)
    yield largest("bools", "bools in one class", 4, real, lambda one: one.bools)
    yield listing("friends", "friends in queue and pipe", 0,
                  [friend for one in real for friend in one.friends if friend.startswith(QUEUE_FOLDERS)])
    yield listing("pipe_end_fields", "public mutable fields of the pipe end", 4,
                  [f"{one.place}: {field}" for one in real if one.name == "pipe_end" for field in one.public_fields])
    yield listing("single_implementations", "abstract classes with a single implementation", 3,
                  [f"{one.place}: {one.name}: {only.name if only else 'none'}"
                   for one, only in classes.single_implementations(found)])


def code_rows(library):
    lists, tests = code.socket_type_places(library)
    writes, reads = code.header_places(library)
    yield listing("capi_names", "names of pipe or queue in src/capi", 0, code.queue_names(library))
    yield listing("header_encoders", "frame header encoders (one, and a fast form)", 2, writes)
    yield listing("header_decoders", "frame header decoders (one, and a fast form)", 2, reads)
    yield listing("type_lists", "lists of socket types outside the traits table", 0, lists)
    yield listing("type_tests", "tests for a single socket type outside it", 0, tests)


def trip_rows(library):
    found = trips.read_trips(read("tools/trips.txt"), trips.tag_functions(TOP, list(library)), library)
    for trip in found:
        yield Row("trip_" + trip.name.replace(" ", "_"), f"modules on a trip: {trip.name}", len(trip.modules), trip.goal,
                  trip.modules)
    yield listing("trip_problems", "steps of tools/trips.txt that are not in the source", 0,
                  [problem for trip in found for problem in trip.problems])


def long_sentences(found, limit):
    return [f"{place}: {count} words: {words}" for place, count, words in found if count > limit]


def word_rows(texts, page_texts):
    in_pages = [(f"{name}:{line}", pages.count_words(words), words) for name, text in page_texts.items()
                for line, words in pages.sentences(text)]
    in_comments = [(f"{name}:{line_of(text, start) + line}", pages.count_words(words), words)
                   for name, text in texts.items() for start, block in check_words.blocks(text)
                   for line, words in check_words.sentences(block)]
    design = [(name, page_texts[name].split("\n")) for name in pages.DESIGN if name in page_texts]
    yield listing("bad_openings", 'comment sentences with "What", "Of", "The same", "False:"', 0,
                  [one for name, text in texts.items() for one in check_words.problems_of(name, text)])
    yield listing("comment_sentences_25", "comment sentences over 25 words", 0, long_sentences(in_comments, 25))
    yield listing("page_sentences_25", "page sentences over 25 words", 0, long_sentences(in_pages, 25))
    yield listing("page_sentences_40", "page sentences over 40 words", 0, long_sentences(in_pages, 40))
    yield Row("design_lines", "lines of ARCHITECTURE, DATA_PATH and THREADS", sum(len(lines) - 1 for _, lines in design), 500,
              [f"{name}: {len(lines) - 1}" for name, lines in design])
    yield listing("design_long_lines", "their lines over 120 characters", 0,
                  [f"{name}:{number}: {len(line)}" for name, lines in design for number, line in enumerate(lines, 1)
                   if len(line) > 120])


def glossary_rows(text):
    words = list(pages.own_words(text))
    yield listing("glossary_words", "words of the glossary that are not the field's", 12,
                  [f"{pages.GLOSSARY}:{line}: {word}" for line, word, _ in words])
    yield listing("glossary_faults", "those defined in more than two sentences, or without a page", 0,
                  [f"{pages.GLOSSARY}:{line}: {word}: {fault}" for line, word, fault in words if fault])


def retired_row(texts):
    retired = code.retired_words(read("tools/retired_words.txt"))
    return listing("retired_words", "retired words in code and pages", 0,
                   [place for name, text in texts.items() for place in code.uses_of(retired, name, text)])


def all_rows():
    names = tree_files()
    texts = {name: read(name) for name in names if name.startswith(("src/", "include/", "tests/"))
             and pathlib.PurePath(name).suffix in SOURCES}
    library = {name: without_comments(text) for name, text in texts.items() if name.startswith("src/")}
    page_texts = {name: read(name) for name in names if pages.is_page(name)}
    rows = [*class_rows(), *code_rows(library), *trip_rows(library), *word_rows(texts, page_texts),
            *glossary_rows(page_texts[pages.GLOSSARY]), retired_row(texts | page_texts)]
    lines = {name: texts[name].count("\n") for name in library}
    rows.append(Row("source_lines", "lines of src/", sum(lines.values()), SOURCE_LINES,
                    [f"{name}: {count}" for name, count in sorted(lines.items(), key=lambda one: -one[1])]))
    return rows


def print_table(rows, recorded):
    width = max(len(row.title) for row in rows)
    print(f"{'goal of the house':{width}}  {'today':>6} {'goal':>6} {'recorded':>9}  name for --show")
    for row in rows:
        mark = "" if row.value > row.goal else " reached"
        print(f"{row.title:{width}}  {row.value:6} {row.goal:6} {recorded.get(row.key, '-'):>9}  {row.key}{mark}")


def main():
    arguments = ratchet.arguments(__doc__, "NAME")
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `--show` into `head`
    if arguments.self_test:
        return self_test.run()
    rows = all_rows()
    if arguments.show:
        shown = [row for row in rows if row.key == arguments.show]
        print("\n".join(shown[0].places) if shown else f"no row has this name: {arguments.show}")
        return 0 if shown else 1
    print_table(rows, ratchet.load(RECORD))
    # New code may need lines; the goal for them is judged at the end.
    counts = {row.key: row.value for row in rows if row.key != "source_lines"}
    return ratchet.hold(RECORD, counts, "tools/check_house.py", arguments.update, arguments.accept)


if __name__ == "__main__":
    sys.exit(main())
