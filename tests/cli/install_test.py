#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""The installed command: it finds its library, and the one for other programs, from its own place."""
import os
import pathlib
import subprocess

import support


class Installed(support.CommandTest):
    def test_works_where_it_is_moved_to(self):
        prefix = self.folder / "prefix"
        subprocess.run([os.environ["CMAKE"], "--install", os.environ["ZLINK_BUILD"], "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
        moved = prefix.rename(self.folder / "moved")
        command = moved / "bin" / "zlink"
        found = subprocess.run([command, "--version"], capture_output=True, check=True)
        self.assertIn(b"libzmq 4.3.5", found.stdout)
        found = subprocess.run([command, "run", "--verbose", "sleep", "0.2"], capture_output=True, check=True)
        library = next(moved.rglob("compat/libzmq.so.5"))
        self.assertIn(f"zlink was loaded from {os.path.realpath(library)}".encode(), found.stderr)
        mapped = subprocess.run(["env", "LD_TRACE_LOADED_OBJECTS=1", command], capture_output=True, text=True, check=True)
        loaded = next(pathlib.Path(line.split()[2]).resolve() for line in mapped.stdout.splitlines() if "libzlink" in line)
        self.assertTrue(loaded.is_relative_to(moved.resolve()), loaded)
        pages = sorted(page.name for page in (moved / "share/man/man1").iterdir())
        self.assertIn("zlink-cat.1", pages)
        self.assertTrue((moved / "share/bash-completion/completions/zlink").is_file())


if __name__ == "__main__":
    support.main()
