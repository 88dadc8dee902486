#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""The shared library has what the usual hardening flags leave in a file.

Full RELRO, no executable stack, no relocations in code, calls of the stack protector and of checked functions, and on x86-64 landing
marks (endbr64) where each function of the API begins.
"""
import argparse
import re
import subprocess
import sys

X86_64_LANDING = bytes.fromhex("f30f1efa")


class Elf:
    """What readelf says about a file."""

    def __init__(self, readelf, path):
        self.readelf, self.path = readelf, path
        self.segments = self.read("-lW")
        self.dynamic = self.read("-dW")
        symbols = [line.split() for line in self.read("--dyn-syms", "-W").splitlines()]
        symbols = [words for words in symbols if len(words) >= 8 and words[0][:-1].isdigit()]
        self.wanted = {words[7].split("@")[0] for words in symbols if words[6] == "UND"}
        self.functions = {words[7]: int(words[1], 16) for words in symbols if words[3] == "FUNC" and words[6] != "UND"}

    def read(self, *options):
        return subprocess.run([self.readelf, *options, self.path], text=True, capture_output=True, check=True).stdout

    def segment(self, kind):
        """The flags of the first segment of a kind; None: there is none."""
        found = re.search(rf"^\s+{kind}((?:\s+0x[0-9a-f]+){{5}})\s+([RWE ]+?)\s+0x", self.segments, re.MULTILINE)
        return found.group(2) if found else None

    def bytes_at(self, address, count):
        """Bytes of the loaded image."""
        for found in re.finditer(r"^\s+LOAD\s+(0x\S+)\s+(0x\S+)\s+0x\S+\s+(0x\S+)", self.segments, re.MULTILINE):
            offset, start, size = (int(word, 16) for word in found.groups())
            if start <= address < start + size:
                with open(self.path, "rb") as file:
                    file.seek(offset + address - start)
                    return file.read(count)
        return b""


def missing(elf):
    """Names of what is not there."""
    if elf.segment("GNU_RELRO") is None:
        yield "relro"
    if not re.search(r"\bBIND_NOW\b|\bNOW\b", elf.dynamic):
        yield "immediate binding, without which relro is partial"
    if "E" in (elf.segment("GNU_STACK") or "E"):
        yield "a stack that is not executable"
    if "TEXTREL" in elf.dynamic:
        yield "code without relocations"
    if "__stack_chk_fail" not in elf.wanted:
        yield "the stack protector"
    if not [name for name in elf.wanted if re.fullmatch(r"__\w+_chk", name)]:
        yield "checked functions (_FORTIFY_SOURCE)"
    if "X86-64" in elf.read("-hW"):
        for name, address in sorted(elf.functions.items()):
            if elf.bytes_at(address, 4) != X86_64_LANDING:
                yield f"a landing mark in {name} (-fcf-protection)"


def main():
    parser = argparse.ArgumentParser()
    for option in ("readelf", "library"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    absent = list(missing(Elf(options.readelf, options.library)))
    for what in absent:
        print(f"not there: {what}")
    return 1 if absent else 0


if __name__ == "__main__":
    sys.exit(main())
