#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Finds comment sentences of src/, include/ and tests/ that are no whole sentences: run it from anywhere, it reads the tree it lies in.

Fails on a sentence that
- begins with "What" and is not a question, or with "Of", "The same", "Likewise" or "That, or";
- says "False:" or "True:" where "Returns false if" is meant.

--self-test checks how this script itself joins lines and splits sentences.
"""
import re
import sys

from check_structure import SOURCES, TOP, line_of, read, tree_files

TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.S)
# The comments of one block: nothing but white space and one line break lies between them.
JOINT = re.compile(r"[ \t]*\n[ \t]*")
MARKS = re.compile(r"^[ \t]*(?:///?<?|/\*+<?|\*+/|\*+(?!\*))[ \t]?|[ \t]*\*+/$")
END = re.compile(r"[.!?][)\"'`]*(?=\s|$)|:(?=\s*\n\s*[-*] )|\n\s*(?=\n|[-*] |@\w)|^-{4} .*$|^SPDX-.*$", re.M)
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|cf|etc|vs)\.$")
OPENING = re.compile(r"(?:What\b(?!.*\?[)\"'`]*$)|Of\b|The same\b|Likewise\b|That, or\b)", re.S)
RESULT = re.compile(r"\b(?:False|True):")
# Tags of the reference and marks of a list may come before a sentence.
LEAD = re.compile(r"^(?:[-*(\s]|@param\s+\w+\s|@(?:return|error|threads|source|brief)\b)*")


def blocks(text):
    """(position, words) of every comment block; the words keep the line breaks of the block. A comment behind code goes on in
    the next line only if that comment begins in the same column."""
    start, end, column, parts = 0, None, None, []
    for match in TOKEN.finditer(text):
        found = match.group(0)
        if found.startswith(('"', "'")):
            continue
        before = text[text.rfind("\n", 0, match.start()) + 1:match.start()]
        goes_on = (parts and found.startswith("//") and JOINT.fullmatch(text, end, match.start()) and not before.strip()
                   and column in (None, len(before)))
        if not goes_on:
            if parts:
                yield start, "\n".join(parts)
            start, column, parts = match.start(), len(before) if before.strip() else None, []
        parts += [MARKS.sub("", line) for line in found.split("\n")]
        end = match.end()
    if parts:
        yield start, "\n".join(parts)


def sentences(words):
    """(lines before it, sentence) for each sentence of a block."""
    begin = 0
    for match in list(END.finditer(words)) + [None]:
        if match and ABBREVIATION.search(words, 0, match.end()):
            continue
        end = match.end() if match else len(words)
        piece = words[begin:end]
        if piece.strip():
            blank = len(piece) - len(piece.lstrip())
            yield words.count("\n", 0, begin + blank), " ".join(piece.split())
        begin = end


def is_bad(sentence):
    return bool(OPENING.match(LEAD.sub("", sentence)) or RESULT.search(sentence))


def problems_of(name, text):
    for start, words in blocks(text):
        for line, sentence in sentences(words):
            if is_bad(sentence):
                yield f"{name}:{line_of(text, start) + line}: {sentence}"


def self_test():
    """Every case is a source and the lines of it that have to be found."""
    cases = [
        ("// What is it?\n// What is it for.\n", [2]),
        ("// A sentence. Of a\n// second one.\nint x; // The same.\nint y; // Good.\n", [1, 3]),
        ("// A line that ends in e.g. What it names.\n", []),
        ("// It counts. False: full.\n\n// Returns false if it is full.\n", [1]),
        ("/* Good.\n * Likewise bad. */\n", [2]),
        ("/** Good.\n *  @return What it is\n *  @error The same\n */\n", [2, 3]),
        ('const char *x = "// What is no comment.";\n', []),
        ("char c = '\"'; // Of a kind.\nchar d = '\"';\n", [1]),
        ("// ---- the I/O thread's\n// Of a kind.\n", [2]),
        ("// It is one\n// Of a kind.\n", []),
        ("// SPDX-License-Identifier: MPL-2.0\n// Of a kind.\n", [2]),
        ("// Kinds:\n// - What is large\n// - small\n", [2]),
        ("bool a; // True: open\n        // and more\nbool b; // Office hours.\n", [1]),
        ("int a; // one\n       // Of a kind\n// Of another\nint b;\n", [3]),
    ]
    for text, lines in cases:
        found = [int(problem.split(":")[1]) for problem in problems_of("x", text)]
        if found != lines:
            print(f"self-test: lines {found} instead of {lines} of {text!r}")
            return 1
    print(f"self-test: {len(cases)} cases")
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    names = [name for name in tree_files() if name.startswith(("src/", "include/", "tests/"))
             and (TOP / name).suffix in SOURCES]
    problems = [problem for name in names for problem in problems_of(name, read(name))]
    for problem in problems:
        print(problem)
    print(f"words: {len(names)} sources, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
