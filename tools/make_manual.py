#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Makes manual pages of sections 3 and 7 from the pages of docs/ and the headers of include/zlink, by Pandoc.

    make_manual.py --out DIR    writes DIR/man3/*.3 and DIR/man7/*.7
    make_manual.py --list       prints the names of the files, and writes nothing

Section 3 has each function of include/zlink/*.h, and the options that only zlink has. Section 7 has a page for each page of docs/api and
for some others. The texts are those of the site. A link to a page without a manual page becomes its words.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
# Page -> (name, section). All other pages of docs/api are zlink_NAME(7).
PLACES = {"docs/api/README.md": ("zlink", 7), "docs/api/zlink_options.md": ("zlink_options", 3), "docs/api/sockets/README.md": ("zlink_sockets", 7),
          "docs/api/transports/README.md": ("zlink_transports", 7), "docs/SECURITY.md": ("zlink_security", 7), "docs/cpp.md": ("zlink_cpp", 7)}
FOLDERS = ["docs/api", "docs/api/sockets", "docs/api/transports"]
LINK = re.compile(r"(!?)\[((?:[^\]\[]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
SEPARATOR = re.compile(r"\|(?: *:?-+:? *\|)+ *")
WIDEST_TABLE = 68  # characters
HEADER_COMMENT = re.compile(r"/\*(.*?)\*/", re.S)


class Page:
    def __init__(self, name, section, title, text):
        self.name, self.section, self.title, self.text = name, section, title, text

    @property
    def file(self):
        return f"man{self.section}/{self.name}.{self.section}"


def read(path):
    return (TOP / path).read_text(encoding="utf-8")


def places():
    """Page of the tree -> (name, section), as far as it has a manual page."""
    found = dict(PLACES)
    for folder in FOLDERS:
        for path in sorted((TOP / folder).glob("*.md")):
            found.setdefault(f"{folder}/{path.name}", (f"zlink_{path.stem}", 7))
    return found


# ---- texts of docs

def linked(page, text, known):
    """The text with the manual pages in the place of links."""
    def link(match):
        picture, words, target = match.groups()
        if picture:
            return ""
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        goal, _, _ = target.partition("#")
        goal = os.path.normpath(os.path.join(os.path.dirname(page), goal)) if goal else page
        goal = goal if goal in known else f"{goal}/README.md"
        if goal not in known or goal == page:
            return words
        name, section = known[goal]
        return f"**{name}**({section})" if plain(words).lower() in (name, pathlib.Path(goal).stem, pathlib.Path(goal).name) else f"{words} (**{name}**({section}))"
    return LINK.sub(link, text)


def plain(text):
    return re.sub(r"[`*]", "", text).strip()


def readable(text):
    """The text with tables that fit a page of 80 columns. Of any other, each row becomes a term with its explanation."""
    lines, made, at = text.split("\n"), [], 0
    while at < len(lines):
        if at + 1 == len(lines) or not SEPARATOR.fullmatch(lines[at + 1]):
            made.append(lines[at])
            at += 1
            continue
        end = at + 2
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        rows = [cells(line) for line in [lines[at], *lines[at + 2:end]]]
        widths = [max(len(plain(row[column])) for row in rows) for column in range(len(rows[0]))]
        made += lines[at:end] if sum(widths) + 3 * len(widths) <= WIDEST_TABLE else terms(rows)
        at = end
    return "\n".join(made)


def cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))]


def terms(rows):
    """The rows of a table as a list of definitions, with the heads of the columns from the third on."""
    head, *rest = rows
    for first, *others in rest:
        said = [f"{label}: {cell}" if number > 0 and label not in ("", "meaning") else cell for number, (label, cell) in enumerate(zip(head[1:], others)) if cell]
        yield from (first or "-", "", f":   {'; '.join(said).replace(chr(92) + '|', '|') or '-'}", "")


def text_page(path, known):
    name, section = known[path]
    head, _, body = read(path).partition("\n")
    title = plain(head.lstrip("# ")).removeprefix(f"{name.removeprefix('zlink_')}: ")
    if " " not in title:  # what a name alone does, its first sentence says
        title += ": " + plain(LINK.sub(r"\2", body.strip())).split(".")[0].replace("\n", " ")
    body = re.sub(r"(?m)^#(#+ )", r"\1", linked(path, body, known))
    return Page(name, section, title, f"# DESCRIPTION\n{body}")


# ---- functions of headers

def comment_lines(comment):
    return [re.sub(r"^\s*\*( |$)", "", line).strip() for line in comment.strip().splitlines()]


def functions_of(header):
    """(introduction, [(name, prototype, comment)]) of a header of zlink's own functions."""
    text = read(header)
    comments = [comment_lines(match) for match in HEADER_COMMENT.findall(text)]
    introduction = "\n".join(next((lines for lines in comments if not lines[0].startswith("SPDX")), []))
    found, comment = [], ""
    for match in re.finditer(r"/\*(.*?)\*/|ZMQ_EXPORT ([^;]*);", text, re.S):
        if match.group(1) is not None:
            comment = "" if re.match(r" ---- ", match.group(1)) else " ".join(comment_lines(match.group(1)))
            continue
        prototype = re.sub(r"\s+", " ", match.group(2)).strip()
        found.append((re.search(r"(zlink_\w+)\s*\(", prototype).group(1), prototype, comment))
        comment = ""
    return introduction, found


def marked(text):
    """Names of the interface, and what is code, in a comment of C are bold; nothing else is markup."""
    escaped = re.sub(r"`([^`]*)`", r"**\1**", re.sub(r"([\\*_<>\[\]#])", r"\\\1", text))
    return re.sub(r"\b((?:ZMQ|ZLINK|E|NULL|zmq|zlink)(?:\\_|[A-Za-z0-9])*)\b",
                  lambda match: f"**{match.group(1)}**" if re.match(r"(ZMQ|ZLINK|zmq|zlink)\\_|E[A-Z]{3}|NULL$", match.group(1)) else match.group(1), escaped)


def function_pages(known):
    for path in sorted((TOP / "include/zlink").glob("*.h")):
        header = f"include/zlink/{path.name}"
        introduction, functions = functions_of(header)
        constants = re.findall(r"(?m)^#define (ZLINK_\w+) (\S+)", read(header))
        for name, prototype, comment in functions:
            if not comment:
                sys.exit(f"FAILED: {header}: {name} has no comment")
            others = [f"**{other}**(3)" for other, _, _ in functions if other != name]
            about = [f"**{page}**({section})" for source, (page, section) in known.items() if source in introduction] + ["**zlink**(7)"]
            text = [f"# SYNOPSIS\n\n```c\n#include <zlink/{path.name}>\n\n{wrapped(prototype)};\n```\n\n# DESCRIPTION\n\n{marked(comment)}\n",
                    f"# NOTES\n\n{with_pages(marked(introduction), known)}\n"]
            if constants:
                text.append("# CONSTANTS\n\n" + "\n".join(f"- **{marked(key).strip('*')}**: {value}" for key, value in constants) + "\n")
            text.append(f"# SEE ALSO\n\n{', '.join([*about, *others])}")
            yield Page(name, 3, plain(re.split(r"(?<=\w)[.;] |\.$", comment)[0]), "\n".join(text))


def with_pages(text, known):
    for source, (page, section) in known.items():
        text = text.replace(source.replace("_", r"\_"), f"**{page}**({section})")
    return text


def wrapped(prototype):
    """A declaration in lines that a page of 80 columns has."""
    if len(prototype) <= 66:
        return prototype
    head, _, rest = prototype.partition("(")
    return f"{head}(\n    " + ",\n    ".join(part.strip() for part in rest.split(","))


# ---- pages

def version():
    return re.search(r"project\(zlink VERSION ([\d.]+)", read("CMakeLists.txt")).group(1)


def write(page, out, pandoc):
    text = f"# NAME\n\n{page.name} - {marked(page.title)}\n\n{readable(page.text)}\n"
    goal = out / page.file
    goal.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run([pandoc, "--from", "gfm+definition_lists-autolink_bare_uris", "--to", "man", "--standalone", "--columns", "1000",
                           "--metadata", f"title={page.name}", "--metadata", f"section={page.section}", "--metadata", f"footer=zlink {version()}",
                           "--metadata", "header=Manual of zlink", "--output", goal], input=text, text=True, check=False, capture_output=True)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"FAILED: pandoc on {page.name}: {done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--pandoc", default="pandoc")
    parser.add_argument("--list", action="store_true", help="prints the names of the files, and writes nothing")
    options = parser.parse_args()
    known = places()
    linkable = known | {"docs/cli.md": ("zlink", 1)}
    pages = [text_page(path, linkable) for path in known] + list(function_pages(known))
    if options.list:
        print("\n".join(sorted(page.file for page in pages)))
        return
    for section in (3, 7):
        shutil.rmtree(options.out / f"man{section}", ignore_errors=True)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda page: write(page, options.out, options.pandoc), pages))
    print(f"manual: {len(pages)} pages")


if __name__ == "__main__":
    main()
