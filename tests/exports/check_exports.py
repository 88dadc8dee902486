#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""The shared library exports libzmq's functions and those of zlink/peers.h, and the headers declare exactly those.

Fails when the library defines a dynamic symbol that is not in the list, when one of the list is missing from the library, or
when the header and the list disagree.
"""
import argparse
import pathlib
import re
import subprocess
import sys


def declared_functions(compiler, include, draft):
    """Names of the functions that zmq.h, zlink/peers.h and zlink/stats.h declare."""
    command = [compiler, "-E", "-P", "-x", "c", f"-I{include}", "-"]
    if draft:
        command.insert(1, "-DZMQ_BUILD_DRAFT_API")
    text = subprocess.run(command, input="#include <zmq.h>\n#include <zlink/peers.h>\n", text=True, capture_output=True, check=True).stdout
    return set(re.findall(r"\b((?:zmq|zlink)_[a-z0-9_]+)\s*\((?!\s*\))", re.sub(r"typedef[^;]*;", "", text)))


def exported_symbols(nm, library):
    """Names of the dynamic symbols that the library defines."""
    command = [nm, "-D", "--defined-only", "--format=posix", library]
    lines = subprocess.run(command, text=True, capture_output=True, check=True).stdout.splitlines()
    return {line.split()[0] for line in lines}


def complain(what, names):
    for name in sorted(names):
        print(f"{what}: {name}")
    return bool(names)


def main():
    parser = argparse.ArgumentParser()
    for option in ("nm", "compiler", "library", "include"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("--list", required=True, nargs="+")
    options = parser.parse_args()

    api = {name for path in options.list for name in pathlib.Path(path).read_text(encoding="utf-8").split()}
    declared = declared_functions(options.compiler, options.include, draft=True)
    stable = declared_functions(options.compiler, options.include, draft=False)
    exported = exported_symbols(options.nm, options.library)

    failed = complain("declared but not in the list", declared - api)
    failed |= complain("in the list but not declared", api - declared)
    failed |= complain("exported but not part of the API", exported - api)
    failed |= complain("in the list but not exported", api - exported)
    print(f"{len(exported)} exported, {len(stable)} stable and {len(declared)} declared functions")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
