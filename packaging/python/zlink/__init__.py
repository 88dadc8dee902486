# SPDX-License-Identifier: MPL-2.0
"""The command zlink and the library zlink, as files of this package.

    python -m zlink run app.py     runs a program of pyzmq on zlink
"""
import os
import pathlib
import sys

_HERE = pathlib.Path(__file__).resolve().parent


def command_path():
    """The program zlink."""
    return _HERE / "bin" / "zlink"


def library_path():
    """The library, for programs that are linked with zlink."""
    return _HERE / "lib" / "libzlink.so.1"


def compat_path():
    """The library under libzmq's name, for LD_PRELOAD and for ctypes."""
    return _HERE / "lib" / "zlink" / "compat" / "libzmq.so.5"


def with_interpreter(words):
    """The words of the command; `run app.py` gets this interpreter before the script, which need not be executable."""
    if not words or words[0] != "run":
        return words
    at = 1
    while at < len(words) and words[at].startswith("-") and words[at] != "--":
        at += 2 if words[at] == "--library" else 1
    if at < len(words) and words[at] == "--":
        at += 1
    if at < len(words) and words[at].endswith(".py") and os.path.isfile(words[at]):
        return [*words[:at], sys.executable, *words[at:]]
    return words


def main():
    """Becomes the command zlink."""
    command = command_path()
    try:
        os.execv(command, ["zlink", *with_interpreter(sys.argv[1:])])
    except OSError as error:
        sys.exit(f"zlink: cannot run {command}: {error.strerror}; install the wheel again")
