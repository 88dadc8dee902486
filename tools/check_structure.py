#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Holds the lines of the design that a compiler does not: run it from anywhere, it reads the tree it lies in.

Fails on
- an include between folders of src/ that the link line of the including folder (src/CMakeLists.txt) does not allow;
- a cycle of includes;
- Asio (any Boost header) in a folder whose link line does not name it, or in a public header other than zlink/asio.hpp and those of zlink/asio/;
- clocks, threads, locks or sockets in the pure folders;
- `errno =` outside src/capi, `delete this` anywhere;
- a function over 60 lines, a file over 500;
- two sources of a folder that have the same name without linkage: make install compiles the folder as one (ZLINK_UNITY);
- a source without its licence line, a header without `#pragma once`;
- a folder of tests/unit that has no counterpart in src.
"""
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
FUNCTION_LINES = 60
FILE_LINES = 500
# Protocol and pattern code takes time as an argument and does no I/O.
PURE = {"zmtp", "security", "patterns"}
IMPURE = re.compile(r"#\s*include\s*<(thread|mutex|shared_mutex|condition_variable|future|semaphore|poll\.h|unistd\.h|"
                    r"pthread\.h|netdb\.h|sys/(socket|epoll|eventfd|time)\.h)>|_clock::now\(|\bstd::this_thread\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)', re.M)
SOURCES = {".h", ".hpp", ".c", ".cpp"}


def tree_files():
    """Files of the tree as git knows or would add them, relative to its top."""
    listing = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=TOP, text=True,
                             capture_output=True, check=True).stdout
    names = sorted(name for name in set(listing.split("\0")) if name)
    return [name for name in names if (TOP / name).is_file()]


def read(name):
    return (TOP / name).read_text(encoding="utf-8")


def without_comments(text):
    """The code of a source; line breaks stay, so that line numbers do too."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)

    def blank(match):
        found = match.group(0)
        return found if found.startswith('"') else re.sub(r"[^\n]", " ", found)
    return token.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def allowed_arrows():
    """Folder -> folders it may include from, as the link lines say; `asio` stands for Boost."""
    lines = re.findall(r"^zlink_component\(([^)]+)\)", read("src/CMakeLists.txt"), re.M)
    return {words[0]: set(words) for words in (line.split() for line in lines)}


def folder_of(name):
    parts = name.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def asio_belongs(name, folder, arrows):
    return "asio" in arrows[folder] if folder else name.startswith(("include/zlink/asio.hpp", "include/zlink/asio/"))


def check_includes(code, arrows):
    """Problems with arrows between folders and with the places of Asio; and the graph of includes inside the tree."""
    problems, graph = [], {}
    for name, text in code.items():
        folder = folder_of(name)
        graph[name] = []
        if folder and folder not in arrows:
            problems.append(f"{name}: src/CMakeLists.txt has no component {folder}")
            continue
        for match in INCLUDE.finditer(text):
            where = f"{name}:{line_of(text, match.start(1) if match.group(1) else match.start(2))}"
            target = match.group(1) or match.group(2)
            if target.startswith(("boost/", "asio")) and not asio_belongs(name, folder, arrows):
                problems.append(f"{where}: Asio is not for this place: {target}")
            if not match.group(1):
                continue
            found = next((path for path in (f"src/{target}", f"include/{target}") if path in code), None)
            if found is None:
                problems.append(f"{where}: no such file by its path from src/ or include/: {target}")
                continue
            graph[name].append(found)
            other = folder_of(found)
            if folder and other and other not in arrows[folder]:
                problems.append(f"{where}: {folder} must not include from {other}: {target}")
    return problems, graph


def find_cycle(graph):
    """One cycle of includes as a list of files, or None."""
    state = {}
    for start in graph:
        if start in state:
            continue
        path, stack = [start], [iter(graph[start])]
        state[start] = "open"
        while stack:
            following = next(stack[-1], None)
            if following is None:
                state[path.pop()] = "done"
                stack.pop()
            elif state.get(following) == "open":
                return path[path.index(following):] + [following]
            elif following not in state:
                state[following] = "open"
                path.append(following)
                stack.append(iter(graph[following]))
    return None


def check_words(code):
    """Things that must not be written in the library, or in certain folders of it."""
    for name, text in code.items():
        folder = folder_of(name)
        rules = [(re.compile(r"\bdelete\s+this\b"), "no object deletes itself")]
        if folder != "capi":
            rules.append((re.compile(r"\berrno\s*=(?!=)"), "errno is set in src/capi only"))
        if folder in PURE:
            rules.append((IMPURE, f"{folder} is pure: no clock, thread or I/O"))
        for pattern, reason in rules:
            for match in pattern.finditer(text):
                yield f"{name}:{line_of(text, match.start())}: {reason}: {match.group(0).strip()}"


def check_files(names):
    """Sizes, licence lines and guards."""
    for name in names:
        suffix = pathlib.PurePath(name).suffix
        if suffix not in SOURCES | {".py", ".sh"}:
            continue
        lines = read(name).splitlines()
        if len(lines) > FILE_LINES:
            yield f"{name}: {len(lines)} lines, at most {FILE_LINES}"
        if not any("SPDX-License-Identifier: MPL-2.0" in line for line in lines[:2]):
            yield f"{name}: the licence line is missing"
        if suffix == ".hpp" and "#pragma once" not in lines:
            yield f"{name}: #pragma once is missing"


def tags(sources, fields, *arguments):
    """What universal-ctags finds in the sources, the fields of a tag each; nothing if it is not installed."""
    ctags = shutil.which("ctags-universal") or shutil.which("ctags")
    if ctags is None:
        print("functions are not measured, and names not compared: universal-ctags is not installed")
        return []
    command = [ctags, "-x", "--_xformat=" + "\t".join(f"%{{{field}}}" for field in fields), *arguments, "-L", "-"]
    output = subprocess.run(command, cwd=TOP, input="\n".join(sources), text=True, capture_output=True, check=True).stdout
    return [line.split("\t") for line in output.splitlines()]


def check_functions(names):
    """Lengths of functions."""
    sources = [name for name in names if pathlib.PurePath(name).suffix in SOURCES | {".py"}]
    for name, start, end, function in tags(sources, ["input", "line", "end", "name"], "--fields=+ne", "--kinds-C=f", "--kinds-C++=f",
                                           "--kinds-Python=fm", "--map-C++=+.h"):
        length = int(end) - int(start) + 1 if end else 0
        if length > FUNCTION_LINES:
            yield f"{name}:{start}: {function} has {length} lines, at most {FUNCTION_LINES}"


def check_unity(names):
    """Names in unnamed namespaces. Functions with other parameters may share one."""
    sources = [name for name in names if re.match(r"(src|cli)/.*\.cpp$", name)]
    first = {}
    for name, line, tag, kind, scope, place, parameters in tags(sources, ["input", "line", "name", "kind", "scope", "scopeKind", "signature"],
                                                                "--fields=+nsSp", "--kinds-C++=fvgstcu"):
        if place == "namespace" and re.search(r"__anon\w+$", scope):
            key = (pathlib.PurePath(name).parent, tag, parameters if kind == "function" else "")
            other = first.setdefault(key, name)
            if other != name:
                yield f"{name}:{line}: {other} has the name {tag}, too, and ZLINK_UNITY compiles both as one"


def check_mirror(names):
    """tests/unit has the folders of src."""
    for folder in sorted({name.split("/")[2] for name in names if re.match(r"tests/unit/\w+/", name)}):
        if not (TOP / "src" / folder).is_dir():
            yield f"tests/unit/{folder}: there is no src/{folder}"


def main():
    names = tree_files()
    sources = [name for name in names if pathlib.PurePath(name).suffix in SOURCES]
    library = {name: without_comments(read(name)) for name in sources if name.startswith(("src/", "include/"))}
    problems, graph = check_includes(library, allowed_arrows())
    cycle = find_cycle(graph)
    if cycle:
        problems.append("include cycle: " + " -> ".join(cycle))
    problems += check_words(library)
    for check in (check_files, check_functions, check_unity, check_mirror):
        problems += check(names)
    for problem in problems:
        print(problem)
    print(f"structure: {len(library)} library sources, {len(names)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
