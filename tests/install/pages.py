# SPDX-License-Identifier: MPL-2.0
"""The commands and programs of docs/INSTALL.md, so that they are tried word for word."""
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^<!-- try: (\w+)(?: as ([\w.]+))? -->\n```\w+\n(.*?)^```$", re.M | re.S)


def blocks(page="docs/INSTALL.md"):
    """(name, file name or None, text) of each block of a page that a comment before it marks as tried."""
    return [match.groups() for match in BLOCK.finditer((TOP / page).read_text(encoding="utf-8"))]


def steps(name):
    """The files and the commands of one part of the page: the commands run in the order of the page."""
    files = {file: text for block, file, text in blocks() if block == name and file}
    commands = "".join(text for block, file, text in blocks() if block == name and not file)
    if not commands:
        raise KeyError(f"docs/INSTALL.md has no commands marked with try: {name}")
    return files, commands
