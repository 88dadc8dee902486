# SPDX-License-Identifier: MPL-2.0
"""Counts in the code of src/: lists of socket types, frame headers written by hand, names of the queue in the C interface.

Each function takes {name: code without comments} and returns the places as "file:line: text".
"""
import re

from check_structure import line_of

TRAITS = re.compile(r"/socket_traits\b|/socket_type\.hpp$")
TYPES = ("pair pub sub req rep dealer router pull push xpub xsub stream server client radio dish gather scatter dgram peer "
         "channel").split()
ANY_TYPE = "(?:" + "|".join(TYPES) + ")"
ALIAS = re.compile(r"\busing\s+(\w+)\s*=\s*(?:\w+::)*socket_type\s*;")
USING_ENUM = re.compile(r"\busing\s+enum\s+(?:\w+::)*socket_type\s*;")
# Formats of ZMTP 1.0 and 2.0 have headers of their own.
OLD_FORMATS = re.compile(r"/legacy_")
FLAG = r"\b(?:frame_flags?|flags?)\b|\b(?:large|long_size|flags_long)\b"
QUEUE_NAMES = re.compile(r"\b(?:pipe_end|pipe_view|pipe|message_queue|write_cursor|receive_window)\b")
BRACE = re.compile(r"[{}]|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'")
BEFORE_BODY = re.compile(r"(?:\)|\b(?:const|noexcept|override|final|try))\s*\Z|\)\s*->[^;{}()]*\Z")
NO_FUNCTION = re.compile(r"(?:namespace|class|struct|enum|if|for|while|switch|do)\b")


def statements(code):
    """(position, text) of the parts of the code between semicolons and the braces of functions."""
    begin = 0
    for match in re.finditer(r";|\)[\w\s]*\{\n|\n\}", code):
        yield begin, code[begin:match.end()]
        begin = match.end()
    yield begin, code[begin:]


def mentions(code):
    """A pattern that finds a socket type in this source."""
    prefixes = [r"\bsocket_type::"] + [rf"\b{name}::" for name in ALIAS.findall(code)]
    if USING_ENUM.search(code):
        prefixes.append(r"(?<![\w.:>\"])")
    return re.compile(f"(?:{'|'.join(prefixes)}){ANY_TYPE}\\b(?!\\s*\\()")


def socket_type_places(sources):
    """(lists of two or more types, tests for a single type)."""
    lists, tests = [], []
    for name, code in sources.items():
        if TRAITS.search(name):
            continue
        pattern = mentions(code)
        single = re.compile(r"(?:[=!]=|\bcase)\s*" + pattern.pattern)
        for begin, text in statements(code):
            found = [one for one in pattern.finditer(text)
                     if not (text[:one.start()].rstrip().endswith("{") and text[one.end():].lstrip().startswith("}"))]
            if not found:
                continue
            first = code.rfind("\n", 0, begin + found[0].start()) + 1
            place = f"{name}:{line_of(code, begin + found[0].start())}: {code[first:].split(chr(10), 1)[0].strip()}"
            if len(found) > 1:
                lists.append(place)
            elif single.search(text):
                tests.append(place)
    return lists, tests


def closing_brace(code, opening):
    depth = 0
    for match in BRACE.finditer(code, opening):
        if match.group(0) in "{}":
            depth += 1 if match.group(0) == "{" else -1
            if depth == 0:
                return match.start()
    return len(code)


def functions(code):
    """(position, text) of the definitions of functions, found by their braces. A lambda belongs to the function around it."""
    position = 0
    for match in BRACE.finditer(code):
        if match.start() < position or match.group(0) != "{" or not BEFORE_BODY.search(code, 0, match.start()):
            continue
        begin = max(code.rfind(mark, position, match.start()) for mark in (";", "{\n", "}\n", ":\n")) + 1
        begin = max(begin, position)
        begin += len(code[begin:]) - len(code[begin:].lstrip("\n }"))
        if NO_FUNCTION.match(code[begin:match.start()].lstrip()):
            continue
        position = closing_brace(code, match.start())
        yield begin, code[begin:position]


def header_places(sources):
    """(functions that write a frame header, functions that read one)."""
    wide_write, wide_read = re.compile(r"\bstore_big_endian_64\("), re.compile(r"\bload_big_endian_64\(")
    short_write = re.compile(r"\b(\w+)\[0\] = [^;]+;\s*\1\[1\] = (?:static_cast<std::uint8_t>|\w+;)")
    # Tests the flags byte, and takes the byte behind it as a size.
    flags_byte = re.compile(r"\b(\w+)\[0\] (?:[!=]= |& )")
    writes, reads = [], []
    for source, code in sources.items():
        if OLD_FORMATS.search(source) or source.startswith(("src/security/", "src/transport/")):
            continue
        for begin, text in functions(code):
            first = text.split("\n", 1)[0].strip()
            place = f"{source}:{line_of(code, begin)}: {first}"
            flagged = re.search(FLAG, text)
            if short_write.search(text) or (wide_write.search(text) and flagged):
                writes.append(place)
            reads_short = any(re.search(rf"(?:[=?] |[(,] ?){name}\[1\]|\b{name}\[1\] [!=]= ", text)
                              for name in flags_byte.findall(text))
            if reads_short or (flagged and wide_read.search(text)):
                reads.append(place)
    return writes, reads


def queue_names(sources):
    """Names of the pipe or the queue in src/capi."""
    return [f"{name}:{line_of(code, match.start())}: {match.group(0)}" for name, code in sources.items()
            if name.startswith("src/capi/") for match in QUEUE_NAMES.finditer(code)]


def retired_words(text):
    """[(folders, pattern, replacement)] of lines `PATTERN -> REPLACEMENT` or `[FOLDER ...] PATTERN -> REPLACEMENT`."""
    found = []
    for line in text.split("\n"):
        match = re.match(r"(?:\[(.*?)\] )?([^#\s].*) -> (.*)$", line)
        if match:
            folders = tuple(match.group(1).split()) if match.group(1) else ("",)
            found.append((folders, re.compile(rf"(?<![^\W_])(?:{match.group(2)})(?![^\W_])", re.I), match.group(3)))
    return found


def uses_of(retired, name, text):
    """The places of retired words in the text of a file, and in its name."""
    for folders, pattern, instead in retired:
        if name.startswith(folders):
            for match in pattern.finditer(name):
                yield f"{name}:0: {match.group(0)}, in the name: write {instead}"
            for match in pattern.finditer(text):
                yield f"{name}:{line_of(text, match.start())}: {match.group(0)}: write {instead}"
