# SPDX-License-Identifier: MPL-2.0
"""Answers of the reference that are already known, in a file. The same script is not played on the reference twice for one comparison."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from machine.player import Player, Results
from machine.script import Script


class Known:
    """Plays scripts once and keeps the results. The key is the library, the player and the script, so nothing in the file gets old."""

    def __init__(self, player: Player, file: Path) -> None:
        self.player = player
        file.parent.mkdir(parents=True, exist_ok=True)
        self.table = sqlite3.connect(file)
        self.table.execute("CREATE TABLE IF NOT EXISTS results (script BLOB PRIMARY KEY, lines TEXT NOT NULL)")
        files = b"".join(hashlib.sha256(each.read_bytes()).digest() for each in (player.library, player.program))
        self.salt = files + bytes([player.drafts])

    def key(self, script: Script) -> bytes:
        return hashlib.sha256(self.salt + "\n".join(script.lines).encode()).digest()

    def find(self, script: Script) -> Results | None:
        row = self.table.execute("SELECT lines FROM results WHERE script = ?", (self.key(script),)).fetchone()
        return tuple(json.loads(row[0])) if row else None

    def keep(self, scripts: Sequence[Script], results: Sequence[Results]) -> None:
        rows = [(self.key(script), json.dumps(lines)) for script, lines in zip(scripts, results)]
        with self.table:
            self.table.executemany("INSERT OR REPLACE INTO results VALUES (?, ?)", rows)

    def run(self, scripts: Sequence[Script], repeat: int = 1) -> list[list[Results]]:
        """Results of one run come from the file if they are there. Those of several runs are always new."""
        if repeat != 1:
            return self.player.run(scripts, repeat)
        found = [self.find(script) for script in scripts]
        missing = [script for script, results in zip(scripts, found) if results is None]
        new = [runs[0] for runs in self.player.run(missing)]
        self.keep(missing, new)
        rest = iter(new)
        return [[results if results is not None else next(rest)] for results in found]
