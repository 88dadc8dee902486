# SPDX-License-Identifier: MPL-2.0
"""What machine this is, for the report and as part of the cache's key."""

from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path


def read_text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def processor_name() -> str:
    for line in read_text("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown"


def memory_mib() -> int:
    for line in read_text("/proc/meminfo").splitlines():
        if line.startswith("MemTotal:"):
            return int(line.split()[1]) // 1024
    return 0


def identity() -> str:
    """Tells two machines of the same kind apart without naming either."""
    material = read_text("/etc/machine-id") + platform.node()
    return hashlib.sha256(material.encode()).hexdigest()[:12]


def describe() -> dict[str, object]:
    release = {line.partition("=")[0]: line.partition("=")[2].strip('"')
               for line in read_text("/etc/os-release").splitlines()}
    return {
        "identity": identity(),
        "processor": processor_name(),
        "processors": len(os.sched_getaffinity(0)),
        "memory_mib": memory_mib(),
        "kernel": platform.release(),
        "system": release.get("PRETTY_NAME", platform.system()),
        "c_library": " ".join(platform.libc_ver()),
        "tcp_congestion_control": read_text("/proc/sys/net/ipv4/tcp_congestion_control").strip() or "unknown",
    }


def file_sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
