#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Python's `websockets` over ws and wss, with the command line of work.hpp."""

from __future__ import annotations

import asyncio
import ssl
import sys
import time

import websockets
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve

DATA, HELLO, END = 0, 1, 3  # `kind` of common/body.hpp
PLAIN = {"compression": None, "max_size": None, "ping_interval": None}


class Order:
    def __init__(self, words: list[str]) -> None:
        role, self.work, self.transport, size, run_ms, _, self.certificate, self.key, self.port = words
        self.serves = role == "server"
        self.size = int(size)
        self.run_s = int(run_ms) / 1000
        self.sends = self.work == ("down" if self.serves else "up")

    def tls(self) -> ssl.SSLContext | None:
        if self.transport != "wss":
            return None
        made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if self.serves else ssl.PROTOCOL_TLS_CLIENT)
        made.minimum_version = ssl.TLSVersion.TLSv1_3
        if self.serves:
            made.load_cert_chain(self.certificate, self.key)
        else:
            made.load_verify_locations(self.certificate)
        return made

    def message(self, kind: int) -> bytes:
        return bytes([kind]) + bytes(self.size - 1)


def report(metric: str, value: float) -> None:
    print(f"WEB,{metric},{value:.6g}", flush=True)


async def send_for(to, message: bytes, time_s: float) -> None:
    end = time.perf_counter() + time_s
    while time.perf_counter() < end:
        await to.send(message)


async def send_stream(to, order: Order) -> None:
    await send_for(to, order.message(HELLO), order.run_s / 5)
    await send_for(to, order.message(DATA), order.run_s)
    await to.send(order.message(END))


async def receive_stream(other, order: Order) -> None:
    while (await other.recv())[0] == HELLO:
        pass
    begin = time.perf_counter()
    count = 1
    while (await other.recv())[0] == DATA:
        count += 1
    report("messages_per_s", count / (time.perf_counter() - begin))


async def answer(other, order: Order) -> None:
    message = order.message(HELLO)
    while message[0] != END:
        message = await other.recv()
        await other.send(message)


async def ask_for(other, message: bytes, time_s: float) -> list[float]:
    times = []
    end = time.perf_counter() + time_s
    while (begin := time.perf_counter()) < end:
        await other.send(message)
        await other.recv()
        times.append((time.perf_counter() - begin) * 1e6)
    return sorted(times)


async def ask(other, order: Order) -> None:
    await ask_for(other, order.message(HELLO), order.run_s / 5)
    times = await ask_for(other, order.message(DATA), order.run_s)
    await ask_for_end(other, order)
    report("p50_us", times[len(times) // 2])
    report("p99_us", times[len(times) * 99 // 100])


async def ask_for_end(other, order: Order) -> None:
    await other.send(order.message(END))
    await other.recv()


async def work(other, order: Order) -> None:
    if order.work == "round_trips":
        await (answer if order.serves else ask)(other, order)
    else:
        await (send_stream if order.sends else receive_stream)(other, order)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


async def run(order: Order) -> None:
    if not order.serves:
        url = f"{order.transport}://localhost:{order.port}/"
        async with connect(url, ssl=order.tls(), **PLAIN) as server:
            await work(server, order)
        return
    done = asyncio.get_running_loop().create_future()

    async def on_client(client) -> None:
        try:
            await work(client, order)
        finally:
            done.set_result(None)

    async with serve(on_client, "localhost", int(order.port), ssl=order.tls(), **PLAIN):
        print("READY", flush=True)
        await done


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        print(websockets.__version__)
    else:
        asyncio.run(run(Order(sys.argv[1:])))
