# SPDX-License-Identifier: MPL-2.0
"""Where the reference comes from: the system's libzmq, the newer one inside pyzmq's wheel, or a file."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

SYSTEM = Path("/usr/lib/x86_64-linux-gnu/libzmq.so.5")


class NoReference(Exception):
    """There is no such library; the text says why."""


def find(name: str, place: Path) -> Path:
    """`name` is "system", "wheel" or a file; a wheel is fetched into `place` once."""
    if name == "system":
        return SYSTEM
    if name == "wheel":
        return in_wheel(place) or fetched(place)
    return Path(name)


def in_wheel(place: Path) -> Path | None:
    return next(iter(sorted(place.glob("pyzmq.libs/libzmq-*.so*"))), None)


def fetched(place: Path) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--only-binary", ":all:", "--dest", str(place), "pyzmq"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NoReference(f"{' '.join(command)}: {done.stderr.strip()}")
    for wheel in place.glob("pyzmq-*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            # The library finds the others of its folder by a path of its own.
            archive.extractall(place, [name for name in archive.namelist() if name.startswith("pyzmq.libs/")])
    library = in_wheel(place)
    if library is None:
        raise NoReference(f"the wheel in {place} has no libzmq")
    return library
