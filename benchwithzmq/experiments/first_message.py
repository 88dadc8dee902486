# SPDX-License-Identifier: MPL-2.0
"""Times from the connect of a new DEALER to the reception of its first message by a ROUTER, both in one thread.

Usage: first_message.py LABEL TRANSPORT SIZE, with the library file in BENCH_PEER_LIBRARY. Prints RESULT and LIBRARY lines as the
other programs do, in microseconds. The calls go through ctypes, which adds the same to every library.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

DEALER, ROUTER, LAST_ENDPOINT, LINGER, IO_THREADS = 5, 6, 32, 17, 1
CONNECTIONS, WARMUP = 200, 20  # few enough for the ports of a host, run after run
ENDPOINTS = {"inproc": "inproc://first", "tcp": "tcp://127.0.0.1:*", "ipc": "ipc://{folder}/first"}


class Library:
    """The few calls that are needed; a negative result ends the program."""

    def __init__(self, path: str) -> None:
        self.loaded = ctypes.CDLL(path)
        for name in ("zmq_ctx_new", "zmq_socket", "zmq_strerror"):
            getattr(self.loaded, name).restype = ctypes.c_void_p

    def call(self, name: str, *arguments) -> int:
        done = getattr(self.loaded, name)(*arguments)
        if done is None or done < 0:
            sys.exit(f"FAIL: {name}: {os.strerror(self.loaded.zmq_errno())}")
        return done

    def socket(self, context: ctypes.c_void_p, kind: int) -> ctypes.c_void_p:
        made = ctypes.c_void_p(self.call("zmq_socket", context, kind))
        nothing = ctypes.c_int(0)
        self.call("zmq_setsockopt", made, LINGER, ctypes.byref(nothing), ctypes.sizeof(nothing))
        return made

    def version(self) -> str:
        parts = [ctypes.c_int() for _ in range(3)]
        self.loaded.zmq_version(*(ctypes.byref(part) for part in parts))
        return ".".join(str(part.value) for part in parts)


def bound_endpoint(library: Library, router: ctypes.c_void_p, endpoint: str) -> bytes:
    library.call("zmq_bind", router, endpoint.encode())
    text = ctypes.create_string_buffer(256)
    size = ctypes.c_size_t(len(text))
    library.call("zmq_getsockopt", router, LAST_ENDPOINT, text, ctypes.byref(size))
    return text.value


def one(library: Library, context: ctypes.c_void_p, router: ctypes.c_void_p, endpoint: bytes, body: bytes) -> float:
    """Microseconds. The size of what arrived is checked."""
    dealer = library.socket(context, DEALER)
    room = ctypes.create_string_buffer(len(body) + 1)
    begin = time.perf_counter_ns()
    library.call("zmq_connect", dealer, endpoint)
    library.call("zmq_send", dealer, body, len(body), 0)
    library.call("zmq_recv", router, room, len(room), 0)
    got = library.call("zmq_recv", router, room, len(room), 0)
    end = time.perf_counter_ns()
    if got != len(body) or room.raw[:got] != body:
        sys.exit("FAIL: the message is not the one that was sent")
    library.call("zmq_close", dealer)
    return (end - begin) / 1000


def measure(library: Library, transport: str, size: int) -> list[float]:
    context = ctypes.c_void_p(library.call("zmq_ctx_new"))
    library.call("zmq_ctx_set", context, IO_THREADS, int(os.environ.get("BENCH_IO_THREADS", "1")))
    router = library.socket(context, ROUTER)
    with tempfile.TemporaryDirectory() as folder:
        endpoint = bound_endpoint(library, router, ENDPOINTS[transport].format(folder=folder))
        body = bytes(range(256)) * (size // 256 + 1)
        times = [one(library, context, router, endpoint, body[:size]) for _ in range(WARMUP + CONNECTIONS)]
        library.call("zmq_close", router)
        library.call("zmq_ctx_term", context)
    return times[WARMUP:]


def main() -> None:
    label, transport, size = sys.argv[1:]
    file = os.path.realpath(os.environ["BENCH_PEER_LIBRARY"])
    library = Library(file)
    if file not in Path("/proc/self/maps").read_text(encoding="utf-8"):
        sys.exit(f"FAIL: {file} is not what was loaded")
    sha256 = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    print(f"LIBRARY,{label},{file},{library.version()},{sha256}")
    times = measure(library, transport, int(size))
    for metric, value in (("latency", statistics.median(times)), ("latency_p99", sorted(times)[len(times) * 99 // 100])):
        print(f"RESULT,{label},FIRST_MESSAGE,{transport},{size},{metric},{value:.3f}")


if __name__ == "__main__":
    main()
