# SPDX-License-Identifier: MPL-2.0
"""Runs the two programs of a library for one cell, and reads what they tell."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from comparison.environment import PEER_VARIABLE
from comparison.model import ComparisonError
from comparison.programs import RunFailed, numbers_of, run
from scale.model import Cell
from web.cells import Library, source

READY = "READY"


class Certificate:
    """Self-signed, for this host. nng wants certificate and key in one file."""

    def __init__(self, folder: Path) -> None:
        self.file, self.key = folder / "certificate.pem", folder / "key.pem"
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                   "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                   "-keyout", str(self.key), "-out", str(self.file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ComparisonError(f"openssl made no certificate: {done.stderr.strip()}")
        joined = folder / "key.pem.joined"
        joined.write_text(self.file.read_text(encoding="utf-8") + self.key.read_text(encoding="utf-8"), encoding="utf-8")


class Programs:
    """The programs of a build directory, and those in Python, which need `python` with their packages."""

    def __init__(self, folder: Path, python: Path, certificate: Certificate | None, peer: Path | None = None) -> None:
        """`peer`: the file that web_peer loads."""
        self.folder, self.python, self.certificate, self.peer = folder, python, certificate, peer
        self.environment = {**os.environ, **({PEER_VARIABLE: str(peer)} if peer is not None else {})}

    def command(self, name: str) -> list[str]:
        return [str(self.python), str(source(name))] if name.endswith(".py") else [str(self.folder / name)]

    def version(self, library: Library) -> str:
        """Raises RunFailed if the library is not there."""
        command = [*self.command(library.server), "--version"]
        if not Path(command[0]).is_file():
            raise RunFailed(f"{Path(command[0]).name} is missing")
        if library.server == "web_peer" and (self.peer is None or not self.peer.is_file()):
            raise RunFailed("its file is missing, which make peers builds")
        return run(command, self.environment, 30)[0].strip()

    def measure(self, library: Library, cell: Cell, timeout_s: float) -> dict[str, float]:
        if cell.scenario == "idle":
            words = [str(cell.get(name)) for name in ("transport", "connections", "as")]
            output, _ = run([*self.command("web_idle"), *words], self.environment, timeout_s)
            return read_values(output.splitlines(), cell.metrics)
        words = [cell.scenario, *(str(cell.get(name)) for name in ("transport", "size", "run_ms", "mark")),
                 str(self.certificate.file), str(self.certificate.key), str(free_port())]
        server = [*self.command(library.server), "server", *words]
        client = [*self.command(library.client), "client", *words]
        return two_processes(server, client, cell.metrics, timeout_s, self.environment)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def started(command: Sequence[str], environment: dict[str, str] | None) -> Iterator[subprocess.Popen[bytes]]:
    """A program that is killed at the end of the block."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


class Lines:
    """The lines of several programs as they come. The end of one before everything was told is a failure."""

    def __init__(self, timeout_s: float) -> None:
        self.deadline = time.monotonic() + timeout_s
        self.selector = selectors.DefaultSelector()
        self.all: list[str] = []

    def add(self, process: subprocess.Popen[bytes]) -> None:
        self.selector.register(process.stdout, selectors.EVENT_READ, bytearray())

    def read_until(self, wanted: Sequence[str]) -> None:
        """Returns when a line begins with each of the words."""
        while not all(any(line.startswith(word) for line in self.all) for word in wanted):
            events = self.selector.select(max(0.0, self.deadline - time.monotonic()))
            if not events:
                raise RunFailed("it hung" + self.last())
            for key, _ in events:
                self.take(key.fileobj, key.data)

    def take(self, stream: object, kept: bytearray) -> None:
        got = os.read(stream.fileno(), 65536)
        if not got:
            raise RunFailed("it ended too early" + self.last())
        kept += got
        *whole, rest = bytes(kept).split(b"\n")
        self.all += [line.decode(errors="replace") for line in whole]
        kept[:] = rest

    def last(self) -> str:
        return f": {self.all[-1]}" if self.all else ""


def two_processes(server: Sequence[str], client: Sequence[str], metrics: Sequence[str], timeout_s: float,
                  environment: dict[str, str] | None = None) -> dict[str, float]:
    lines = Lines(timeout_s)
    with started(server, environment) as one:
        lines.add(one)
        lines.read_until([READY])
        with started(client, environment) as other:
            lines.add(other)
            lines.read_until([f"WEB,{metric}," for metric in metrics])
    return read_values(lines.all, metrics)


def read_values(lines: Sequence[str], wanted: Sequence[str]) -> dict[str, float]:
    told = (line.strip().split(",") for line in lines)
    return numbers_of(((fields[1], fields[2]) for fields in told if fields[0] == "WEB" and len(fields) == 3), wanted)
