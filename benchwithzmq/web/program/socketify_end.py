#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""uWebSockets as Python's `socketify` has it: a server of ws, with the command line of work.hpp. It has no client."""

from __future__ import annotations

import importlib.metadata
import sys
import time



def report(metric: str, value: float) -> None:
    print(f"WEB,{metric},{value:.6g}", flush=True)


class Counter:
    """The rate of the messages that a client sends."""

    def __init__(self, run_s: float) -> None:
        self.run_s = run_s
        self.begin = 0.0
        self.count = -1

    def message(self, *_) -> None:
        now = time.perf_counter()
        if not self.begin:
            self.begin = now + self.run_s / 5
        if now < self.begin or self.run_s == 0:
            return
        self.count += 1
        if self.count == 0:
            self.begin = now
        elif now - self.begin >= self.run_s:
            report("messages_per_s", self.count / (now - self.begin))
            self.run_s = 0


def handlers(work: str, run_s: float, opcode: object) -> dict[str, object]:
    if work == "up":
        return {"message": Counter(run_s).message}
    return {"message": lambda client, message, _: client.send(message, opcode)}


def main(words: list[str]) -> None:
    import socketify  # noqa: PLC0415 (the version is told without it)
    role, work, transport, _, run_ms, _, _, _, port = words
    if role != "server" or transport != "ws" or work == "down":
        sys.exit("FAIL: this is a server of ws that receives or answers")
    app = socketify.App()
    app.ws("/*", {"compression": socketify.CompressOptions.DISABLED, "max_payload_length": 1 << 24,
                  "max_backpressure": 1 << 26, "idle_timeout": 120,
                  **handlers(work, int(run_ms) / 1000, socketify.OpCode.BINARY)})
    app.listen(int(port), lambda _: print("READY", flush=True))
    app.run()


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        print(importlib.metadata.version("socketify"))
    else:
        main(sys.argv[1:])
