# SPDX-License-Identifier: MPL-2.0
"""The table of settings: for every setting its variable, the values that it takes, and its words on the page."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

MECHANISMS = ("null", "curve")
BODY_OFFSETS = ("malloc", "page", "good")
PAGE_BYTES = 4096

Reader = Callable[[str], object]


@dataclasses.dataclass(frozen=True)
class Setting:
    """One row. `read` raises ValueError with the values that are taken; `unset` is the page's text for None."""

    variable: str
    title: str
    read: Reader
    unit: str = ""
    unset: str = ""
    for_programs: bool = True


def number_from(low: int) -> Reader:
    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d+", text) or int(text) < low:
            raise ValueError(f"a number from {low} on")
        return int(text)

    return read


def switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError("0 or 1")
    return text == "1"


def inverted_switch(text: str) -> bool:
    return not switch(text)


def mechanism(text: str) -> str:
    if text not in MECHANISMS:
        raise ValueError(f"one of {', '.join(MECHANISMS)}")
    return text


def body_offset(text: str) -> str:
    if text not in BODY_OFFSETS and not (text.isdecimal() and int(text) < PAGE_BYTES):
        raise ValueError(f"one of {', '.join(BODY_OFFSETS)}, or a number from 0 to {PAGE_BYTES - 1}")
    return text


def row(default: object, variable: str, title: str, read: Reader, **more: object) -> object:
    """A field of Settings with its row of the table."""
    return dataclasses.field(default=default, metadata={"setting": Setting(variable, title, read, **more)})


@dataclasses.dataclass(frozen=True)
class Settings:
    """Everything that changes a measurement. Field names are keys of the JSON and of the cache. None: the program decides."""

    message_count: int | None = row(None, "BENCH_MSG_COUNT", "messages per throughput run", number_from(1),
                                    unset="as many as fit into the time")
    warmup_count: int | None = row(None, "BENCH_WARMUP_COUNT", "messages of the warm-up", number_from(0),
                                   unset="a tenth of the time, or of the messages")
    latency_count: int | None = row(None, "BENCH_LAT_COUNT", "round trips of the latency run", number_from(1),
                                    unset="two fifths of the time, or a tenth of the messages")
    run_ms: int = row(250, "BENCH_RUN_MS", "time of a throughput run without a count", number_from(10), unit="ms")
    io_threads: int = row(1, "BENCH_IO_THREADS", "I/O threads", number_from(1))
    send_buffer_bytes: int | None = row(None, "BENCH_SNDBUF", "send buffer (ZMQ_SNDBUF)", number_from(0), unit="bytes",
                                        unset="as the library sets it")
    receive_buffer_bytes: int | None = row(None, "BENCH_RCVBUF", "receive buffer (ZMQ_RCVBUF)", number_from(0), unit="bytes",
                                           unset="as the library sets it")
    high_water_mark: int = row(0, "BENCH_HWM", "high-water mark (0: none)", number_from(0))
    mechanism: str = row("null", "BENCH_MECHANISM", "security mechanism", mechanism)
    two_processes: bool = row(False, "BENCH_TWO_PROCESSES", "the ends are two processes", switch)
    body_offset: str = row("page", "BENCH_BODY_OFFSET", "where message bodies begin in a page of memory", body_offset)
    held_memory_mib: int = row(0, "BENCH_HOLD_MEMORY_MIB", "memory held by another process", number_from(0), unit="MiB",
                               for_programs=False)
    busy_memory: bool = row(False, "BENCH_BUSY_MEMORY", "another process keeps the memory busy", switch, for_programs=False)
    pinned: bool = row(True, "BENCH_NO_TASKSET", "every run is pinned to one processor", inverted_switch, for_programs=False)
    debug: bool = row(False, "BENCH_DEBUG", "the programs print debug lines", switch)
    # Variables of docs/api/tuning.md; only the programs of zlink get them.
    tuning: dict[str, str] = dataclasses.field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """The BENCH_* variables that make a program measure exactly this."""
        values = {row.variable: getattr(self, field) for field, row in TABLE.items() if row.for_programs}
        return {name: value if isinstance(value, str) else str(int(value)) for name, value in values.items()
                if value is not None}

    def described(self) -> dict[str, object]:
        return dataclasses.asdict(self)

    def text(self, field: str) -> str:
        """The value as the page shows it."""
        value, row = getattr(self, field), TABLE[field]
        if value is None:
            return row.unset
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value} {row.unit}".strip()


TABLE: dict[str, Setting] = {field.name: field.metadata["setting"] for field in dataclasses.fields(Settings)
                             if "setting" in field.metadata}
FIELD_OF: dict[str, str] = {row.variable: field for field, row in TABLE.items()}
