# SPDX-License-Identifier: MPL-2.0
"""The pages of the project, and the sentences of a page."""
import re

# Scripts write these.
GENERATED = re.compile(r"docs/(?:api/reference/|performance/|experiments/|(?:PERFORMANCE|WORLD)\.md$)")
GLOSSARY = "docs/GLOSSARY.md"
OWN_WORDS = "## Words of this project"
DESIGN = ("docs/ARCHITECTURE.md", "docs/DATA_PATH.md", "docs/THREADS.md")
FENCE = re.compile(r"^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$", re.M | re.S)
HIDDEN = re.compile(r"<!--.*?-->", re.S)
RULE = re.compile(r"^\s*\|?[\s:|-]*-{3,}[\s:|-]*\|?\s*$")
# A block of its own: a heading, a row of a table, an item of a list.
OWN = re.compile(r"^\s*(?:#|\||[-*+] |\d+[.)] |>)")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
CODE = re.compile(r"(`+).+?\1")
END = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\betc)(?<!\bvs)[.!?][)\"'*_]*(?=\s|$)")
WORD = re.compile(r"\S*[^\W_]\S*")


def is_page(name):
    return name == "README.md" or bool(re.match(r"docs/.*\.md$", name) and not GENERATED.match(name))


def blocks(text):
    """(line, words) of each paragraph, heading, item and cell."""
    def blank(match):
        return re.sub(r"[^\n]", "", match.group(0))
    parts, start = [], 0
    for number, line in enumerate(HIDDEN.sub(blank, FENCE.sub(blank, text)).split("\n") + [""], 1):
        if parts and (not line.strip() or OWN.match(line) or RULE.match(line)):
            yield start, parts
            parts = []
        if not line.strip() or RULE.match(line):
            continue
        if line.lstrip().startswith("|"):
            for cell in re.split(r"(?<!\\)\|", CODE.sub("code", line.strip().strip("|"))):
                yield number, [cell]
            continue
        start = start if parts else number
        parts.append(re.sub(r"^\s*(?:#+|[-*+]|\d+[.)]|>)\s", "", line) if OWN.match(line) else line)
        if line.startswith("#"):
            yield number, parts
            parts = []


def sentences(text):
    """(line, sentence) of a page. A piece of code counts as one word, a link as its text."""
    for line, parts in blocks(text):
        words = LINK.sub(r"\1", CODE.sub("code", "\n".join(parts)))
        begin = 0
        for end in [match.end() for match in END.finditer(words)] + [len(words)]:
            piece = words[begin:end]
            if piece.strip():
                blank = len(piece) - len(piece.lstrip())
                yield line + words.count("\n", 0, begin + blank), " ".join(piece.split())
            begin = end


def count_words(sentence):
    return len(WORD.findall(sentence))


def own_words(text):
    """(line, word, fault) of each row of the glossary's table of words that are not the field's; an empty fault is none."""
    lines = text.split("\n")
    begin = lines.index(OWN_WORDS) + 1
    for number, line in enumerate(lines[begin:], begin + 1):
        if line.startswith("## "):
            return
        if not line.startswith("|") or RULE.match(line) or line.startswith("| word |"):
            continue
        word, definition, page = (cell.strip() for cell in line.strip("|").split("|"))
        faults = [("more than two sentences", len(END.findall(definition)) > 2), ("no page that tells more", not LINK.search(page))]
        yield number, word, ", ".join(fault for fault, found in faults if found)
