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


def report(metric: str, value: float) -> None:
    print(f"WEB,{metric},{value:.6g}", flush=True)


async def send_stream(to, order: Order) -> None:
    message = bytes(order.size)
    while True:
        await to.send(message)


async def receive_for(other, time_s: float) -> float:
    begin = time.perf_counter()
    count = 0
    while (passed := time.perf_counter() - begin) < time_s:
        await other.recv()
        count += 1
    return count / passed


async def receive_stream(other, order: Order) -> None:
    await other.recv()
    await receive_for(other, order.run_s / 5)
    report("messages_per_s", await receive_for(other, order.run_s))


async def answer(other, _: Order) -> None:
    while True:
        await other.send(await other.recv())


async def ask_for(other, message: bytes, time_s: float) -> list[float]:
    times = []
    end = time.perf_counter() + time_s
    while (begin := time.perf_counter()) < end:
        await other.send(message)
        await other.recv()
        times.append((time.perf_counter() - begin) * 1e6)
    return sorted(times)


async def ask(other, order: Order) -> None:
    await ask_for(other, bytes(order.size), order.run_s / 5)
    times = await ask_for(other, bytes(order.size), order.run_s)
    report("p50_us", times[len(times) // 2])
    report("p99_us", times[len(times) * 99 // 100])


async def work(other, order: Order) -> None:
    if order.work == "round_trips":
        await (answer if order.serves else ask)(other, order)
    else:
        await (send_stream if order.sends else receive_stream)(other, order)
    await asyncio.get_running_loop().create_future()  # until it is killed


async def run(order: Order) -> None:
    if not order.serves:
        url = f"{order.transport}://127.0.0.1:{order.port}/"
        async with connect(url, ssl=order.tls(), proxy=None, **PLAIN) as server:
            await work(server, order)
        return

    async def on_client(client) -> None:
        await work(client, order)

    async with serve(on_client, "127.0.0.1", int(order.port), ssl=order.tls(), **PLAIN):
        print("READY", flush=True)
        await asyncio.get_running_loop().create_future()


if __name__ == "__main__":
    if sys.argv[1:] == ["--version"]:
        print(websockets.__version__)
    else:
        asyncio.run(run(Order(sys.argv[1:])))
