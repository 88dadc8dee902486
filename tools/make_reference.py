#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Writes docs/api/reference from the docstrings of the public headers and the tables of options that the tests check.

    make_reference.py            writes the pages
    make_reference.py --check    writes nothing; fails when a page is not what would be written

Either way it fails when a function of tests/exports/api_functions.txt has no docstring, or one that does not say what each
parameter is, what is returned, which thread may call and where that is laid down. A docstring is the comment before a declaration:
a sentence, paragraphs, and `@param name`, `@return`, `@error CODES`, `@threads`, `@source`; `@as name` takes what is not said from
another function's.
"""
import argparse
import errno
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
OUT = TOP / "docs/api/reference"
HEADERS = ["context", "message", "socket", "poll", "utilities", "draft"]
CONSTANTS = "include/zlink/c/constants.h"
GENERATED = "<!-- written by tools/make_reference.py from include/ and tests/exports: change those -->\n"

# Page -> title, and the sections of the headers that it has.
PAGES = {
    "library": ("The library", ["Library"]),
    "contexts": ("Contexts", ["Contexts"]),
    "sockets": ("Sockets", ["Sockets", "Sending and receiving"]),
    "messages": ("Messages", ["Messages"]),
    "polling": ("Polling", ["Polling", "Pollers"]),
    "monitors": ("Monitors", ["Monitors"]),
    "proxies": ("Proxies and devices", ["Proxies"]),
    "security": ("Keys and their encoding", ["Encoding and keys"]),
    "utilities": ("Counters, timers, stopwatches, threads", ["Atomic counters", "Timers", "Stopwatches and threads"]),
}
SECURITY_NOTE = ("What PLAIN, CURVE and ZAP do: [SECURITY.md](../../SECURITY.md). Their options: `ZMQ_PLAIN_*`, `ZMQ_CURVE_*` and `ZMQ_ZAP_*` in "
                 "the [table of options](options.md).\n")
NOTES = {"security": SECURITY_NOTE}
THREADS = {
    "any": "any thread, at any time",
    "socket": "the thread that has the socket; any thread for a [thread-safe type](../draft_types.md)",
    "holder": "one thread at a time: whoever holds the object",
}
# What an error means where the docstring does not say it.
COMMON_ERRORS = {
    "ENOMEM": "there is not enough memory",
    "ENOTSOCK": "it is not a socket, or one that was closed",
    "ETERM": "the context is ending",
    "EINTR": "a signal came; call again",
}
TAG = re.compile(r"^@(\w+) ?(.*)$")
OWN_ERRORS = {"EFSM", "ENOCOMPATPROTO", "ETERM", "EMTHREAD"}


class Function:
    """A declaration with what its docstring says."""

    def __init__(self, name, prototype, comment, section, draft):
        self.name, self.prototype, self.comment = name, prototype, comment
        self.section, self.draft = section, draft
        self.summary, self.details = "", []
        self.tags = []  # (tag, text), in order
        self.read()

    def parameters(self):
        inside = self.prototype[self.prototype.index("(") + 1:self.prototype.rindex(")")]
        return [] if inside.strip() == "void" else [re.search(r"(\w+)$", part.strip()).group(1) for part in inside.split(",")]

    def read(self):
        paragraphs = [""]
        for line in self.comment.splitlines():
            tag = TAG.match(line)
            if tag:
                self.tags.append([tag.group(1), tag.group(2)])
            elif self.tags:
                self.tags[-1][1] += " " + line.strip()
            elif line:
                paragraphs[-1] = (paragraphs[-1] + " " + line).strip()
            else:
                paragraphs.append("")
        self.tags = [(tag, text.strip()) for tag, text in self.tags]
        self.summary, *self.details = [text for text in paragraphs if text] or [""]

    def all(self, tag):
        return [text for name, text in self.tags if name == tag]

    def adopt(self, functions):
        """Takes what it does not say itself from the function it is another form of."""
        for name in self.all("as"):
            if name not in functions:
                continue
            own = {tag for tag, _ in self.tags}
            self.tags += [pair for pair in functions[name].tags if pair[0] not in own]

    def problems(self):
        if not self.summary.endswith("."):
            yield "has no docstring that begins with a sentence"
            return
        told = [text.split(" ", 1)[0] for text in self.all("param")]
        if sorted(told) != sorted(self.parameters()):
            yield f"has the parameters {self.parameters()}, its docstring {told}"
        gives = self.prototype.split("zmq_")[0] != "void "
        if gives != bool(self.all("return")):
            yield "says not what it returns, or returns nothing"
        for tag in ("threads", "source"):
            if len(self.all(tag)) != 1:
                yield f"has not one @{tag}"
        for tag, _ in self.tags:
            if tag not in ("param", "return", "error", "threads", "source", "as"):
                yield f"has the unknown tag @{tag}"
        for codes, text in self.errors():
            unknown = [code for code in codes if code not in OWN_ERRORS and not hasattr(errno, code)]
            if unknown or not codes or not text:
                yield f"has an @error without codes or without a meaning: {codes} {text}"

    def errors(self):
        """(codes, meaning) pairs."""
        for text in self.all("error"):
            words = text.split()
            count = next((at for at, word in enumerate(words) if not re.fullmatch(r"E[A-Z0-9]+", word)), len(words))
            meaning = " ".join(words[count:]) or COMMON_ERRORS.get(words[0], "")
            yield words[:count], meaning

    def lines(self):
        yield f"\n### {self.name}\n"
        yield f"```c\n{self.prototype};\n```\n"
        yield ("Draft. " if self.draft else "") + code(self.summary) + "\n"
        for paragraph in self.details:
            yield code(paragraph) + "\n"
        order = self.parameters()
        for text in sorted(self.all("param"), key=lambda text: order.index(text.split(" ", 1)[0])):
            name, meaning = text.split(" ", 1)
            yield f"- `{name}`: {code(meaning)}"
        if self.all("param"):
            yield ""
        for text in self.all("return"):
            yield f"Returns {code(text)}.\n"
        rows = list(self.errors())
        if rows:
            yield "| errno | |\n| --- | --- |"
            for codes, meaning in rows:
                yield f"| {' '.join(f'`{one}`' for one in codes)} | {code(meaning)} |"
            yield ""
        first, _, rest = self.all("threads")[0].partition(" ")
        key = first.rstrip(",;")
        known = THREADS.get(key)
        text = known + first[len(key):] + (" " + rest if rest else "") if known else self.all("threads")[0]
        yield f"Threads: {code(text)}. Source: {self.all('source')[0]}.\n"


def code(text):
    """Marks names of the interface, quoted literals and NULL; nothing else in the text is markup."""
    text = re.sub(r'"[^" ]*"', lambda match: f"`{match.group(0)}`", text)
    text = re.sub(r"(?<![\w`\"/])((?:ZMQ|ZLINK)_[A-Z0-9_]+\*?|zmq_\w+\*?|E(?:AGAIN|INVAL|TERM|INTR|FAULT)\b|NULL\b)(?!`)", r"`\1`", text)
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("*", "\\*") for part in parts[::2]]
    return "`".join(parts).replace("|", "\\|")


def comment_text(comment):
    """A C comment without its frame."""
    lines = [re.sub(r"^\s*\*( |$)", "", line).rstrip() for line in comment.strip().splitlines()]
    return "\n".join(lines).strip()


def read_functions(problems):
    """Name -> Function, in the order of the headers."""
    functions = {}
    for header in HEADERS:
        text = (TOP / f"include/zlink/c/{header}.h").read_text(encoding="utf-8")
        section, comment = "", ""
        for match in re.finditer(r"/\*(.*?)\*/|ZMQ_EXPORT ([^;]*);", text, re.S):
            title = re.match(r" ---- (.+?) -+ $", match.group(1) or "")
            if title:
                section, comment = title.group(1), ""
            elif match.group(1) is not None:
                comment = comment_text(match.group(1))
            else:
                prototype = re.sub(r"\s+", " ", match.group(2)).strip()
                name = re.search(r"(zmq_\w+)\s*\(", prototype).group(1)
                if name in functions:  # declared once for each system: the last is shown
                    comment = functions[name].comment
                functions[name] = Function(name, prototype, comment, section, header == "draft")
                comment = ""
    for function in functions.values():
        function.adopt(functions)
        problems += [f"{function.name} {problem}" for problem in function.problems()]
    check_set(functions, problems)
    return functions


def check_set(functions, problems):
    listed = set((TOP / "tests/exports/api_functions.txt").read_text(encoding="utf-8").split())
    problems += [f"{name} is not declared in {', '.join(HEADERS)}" for name in sorted(listed - set(functions))]
    problems += [f"{name} is not in api_functions.txt" for name in sorted(set(functions) - listed)]
    placed = {section for _, sections in PAGES.values() for section in sections}
    problems += [f"{one.name}: no page has the section '{one.section}'" for one in functions.values() if one.section not in placed]


def fill(template, lines):
    return GENERATED + template + "\n".join(lines).rstrip() + "\n"


def function_page(title, sections, note, functions):
    lines = [note] if note else []
    for section in sections:
        members = [function for function in functions.values() if function.section == section]
        if len(sections) > 1:
            lines.append(f"## {section}\n")
        lines.append(" · ".join(f"[{one.name}](#{one.name})" for one in members) + "\n")
        for function in members:
            lines += function.lines()
    return re.sub(r"\n{3,}", "\n\n", fill(f"# {title}\n\n", lines))


# ---- options

def read_constants():
    """Name without ZMQ_ -> (value, comment)."""
    text = (TOP / CONSTANTS).read_text(encoding="utf-8")
    found = re.findall(r"^#define (\w+) +(.*?) *(?:/\*(.*?)\*/)?$", text, re.M)
    return {name: (value, comment.strip()) for name, value, comment in found}


def read_table(name):
    rows = (TOP / "tests/exports" / name).read_text(encoding="utf-8").splitlines()
    return [row.split() for row in rows if row and not row.startswith("#")]


KINDS = {"int": "int", "bool": "int, 0 or 1", "truth": "int as truth", "u64": "uint64_t", "i64": "int64_t", "text": "text", "binary": "bytes",
         "count": "int", "set": ""}
# The options whose forms the tables call "set": of a way of their own.
OWN_KINDS = {"SUBSCRIBE": "bytes", "UNSUBSCRIBE": "bytes", "TCP_ACCEPT_FILTER": "text", "CURVE_PUBLICKEY": "key", "CURVE_SECRETKEY": "key",
             "CURVE_SERVERKEY": "key", "IPC_FILTER_PID": "pid_t", "IPC_FILTER_UID": "uid_t", "IPC_FILTER_GID": "gid_t",
             "HEARTBEAT_TTL": "int", "METADATA": "text", "THREAD_AFFINITY_CPU_REMOVE": "int"}
DEFAULTS = {"LINGER": "-1; 0 for SUB, XSUB, DISH", "HEARTBEAT_TIMEOUT": "-1", "STREAM_NOTIFY": "1"}
LENGTHS = {"text", "binary"}


def shown_range(kind, limits):
    if limits == "-" or kind == "bool":
        return ""
    least, most = limits.split("..")
    if least == "-2147483648" and most == "2147483647":
        return "any"
    text = f"from {least}" if most in ("", "2147483647") else f"{least} to {most}"
    return text + (" bytes" if kind in LENGTHS else "")


def aliases_of(constants):
    found = {}
    for name, (value, _) in constants.items():
        if re.fullmatch(r"ZMQ_\w+", value):
            found.setdefault(value, []).append(name)
    return found


def option_row(row, constants, aliases, problems):
    number, name, access, kind, limits, default = row[:6]
    value, meaning = constants.get(f"ZMQ_{name}", ("", ""))
    if value != number or not meaning:
        problems.append(f"ZMQ_{name}: {CONSTANTS} has no line with the number {number} and what it means")
    also = "".join(f", `{alias}`" for alias in aliases.get(f"ZMQ_{name}", []))
    use = {"SG": "set, get", "SA": "set; get on all", "S": "set", "G": "get"}.get(access, "EINVAL")
    default = DEFAULTS.get(name, "" if default == "-" else default)
    types = row[6].replace(",", ", ").replace("-", "") if len(row) > 6 else None
    cells = [number, f"`ZMQ_{name}`{also}", use, OWN_KINDS.get(name, KINDS.get(kind, "")), shown_range(kind, limits), default]
    return "| " + " | ".join(cells + ([types] if types is not None else []) + [code(meaning)]) + " |"


OPTIONS_HEAD = """# Options

What they are set and read by: [zmq_setsockopt](sockets.md#zmq_setsockopt), [zmq_getsockopt](sockets.md#zmq_getsockopt),
[zmq_ctx_set](contexts.md#zmq_ctx_set), [zmq_ctx_get](contexts.md#zmq_ctx_get). "int as truth" takes every value of the range and
reads 0 or 1. Ranges of text and bytes are lengths; text is read with a final NUL. An option of other socket types, another size and a
value out of the range are `EINVAL`. "EINVAL" as use: as in a libzmq built without it. Options only zlink has:
[zlink_options.md](../zlink_options.md).

"""


def options_page(problems):
    constants = read_constants()
    aliases = aliases_of(constants)
    lines = ["## Socket options\n", "| | name | | value | range | default | socket types | |", "| ---: | --- | --- | --- | --- | --- | --- | --- |"]
    lines += [option_row(row, constants, aliases, problems) for row in read_table("api_options.txt")]
    lines += ["\n## Context options\n", "| | name | | value | range | default | |", "| ---: | --- | --- | --- | --- | --- | --- |"]
    lines += [option_row(row, constants, aliases, problems) for row in read_table("api_context_options.txt")]
    return fill(OPTIONS_HEAD, lines)


# ---- index

INDEX_HEAD = """# Reference of the C interface

97 functions: 70 of libzmq's stable interface, and 27 that it calls drafts, which are in the library always and which `zmq.h` declares
when `ZMQ_BUILD_DRAFT_API` is defined. `#include <zmq.h>`, link `libzlink` or `libzmq`.

- **Errors.** Functions that give an int answer -1 on error, those that give a pointer NULL; the reason is in `errno`.
- **Units.** Sizes are bytes, times milliseconds, unless something else is said; -1 is for ever, 0 is not at all.
- **Lifetimes.** What a `_new`, `_init` or `zmq_socket` gave is ended by `_destroy`, `_close` or `_term`.

| page | |
| --- | --- |
"""


def index_page(functions):
    lines = [f"| [{title}]({page}.md) | {', '.join(f'[{one.name}]({page}.md#{one.name})' for one in functions.values() if one.section in sections)} |"
             for page, (title, sections) in PAGES.items()]
    lines += ["| [Options](options.md) | of sockets and contexts: number, type, range, default, socket types |"]
    lines += ["\n## Errors of its own\n", "| errno | number | |", "| --- | --- | --- |"]
    constants = read_constants()
    lines += [f"| `{name}` | {value.strip('()')} | {comment} |" for name, (value, comment) in constants.items() if name in OWN_ERRORS]
    lines += ["\n`ZMQ_HAUSNUMERO` is 156384712. Everything else is the system's."]
    return fill(INDEX_HEAD, lines)


def pages(problems):
    """File name -> text."""
    functions = read_functions(problems)
    if problems:
        return {}
    made = {f"{page}.md": function_page(title, sections, NOTES.get(page), functions) for page, (title, sections) in PAGES.items()}
    return made | {"options.md": options_page(problems), "README.md": index_page(functions)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    checks = parser.parse_args().check
    problems = []
    made = pages(problems)
    there = {path.name for path in OUT.glob("*.md")} if OUT.is_dir() else set()
    for name in sorted(made.keys() | there) if made else []:
        path = OUT / name
        if checks and (name not in made or name not in there or path.read_text(encoding="utf-8") != made[name]):
            problems.append(f"docs/api/reference/{name} is not up to date: run tools/make_reference.py")
        elif not checks and name in made:
            OUT.mkdir(parents=True, exist_ok=True)
            path.write_text(made[name], encoding="utf-8")
        elif not checks:
            path.unlink()
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"reference: {len(made)} pages {'are up to date' if checks else 'written'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
