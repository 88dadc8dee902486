#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Peers of ws that get WebSocket from Python's websockets package, against the library under test, called by ctypes.

    ws_peers.py --subject DIR

They check messages in both directions, as client and as server, fragments, and the Close frame.
"""

import argparse
import asyncio
import sys

try:
    import websockets
    from websockets.exceptions import ConnectionClosed
except ImportError:
    print("the package websockets is missing: left out")
    sys.exit(77)

from capi import PUSH, ROUTER, Library

SUBPROTOCOLS = ["ZWS2.0"]


def expect(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r:.200} in place of {wanted!r:.200}")


async def as_client(library):
    router = library.socket(ROUTER)
    endpoint = router.bind("ws://127.0.0.1:*/chat")
    async with websockets.connect(endpoint, subprotocols=SUBPROTOCOLS) as peer:
        expect(peer.subprotocol, "ZWS2.0")
        await peer.send(b"\0me")
        expect(await peer.recv(), b"\0")
        for body in (b"", b"x" * 125, b"y" * 70000):
            await peer.send([b"\0", body[:50], body[50:]])  # in fragments
            expect(await asyncio.to_thread(router.receive), b"me")
            expect(await asyncio.to_thread(router.receive), body)
            router.send(b"me", body, b"end")
            expect(await peer.recv(), b"\1" + body)
            expect(await peer.recv(), b"\0end")
        await (await peer.ping(b"alive"))
        router.close()
        try:
            await peer.recv()
        except ConnectionClosed:
            pass
        expect(peer.close_code, 1000)


async def as_server(library):
    push = library.socket(PUSH)
    heard = asyncio.get_running_loop().create_future()

    async def serve(peer):
        try:
            request = getattr(peer, "request", peer)  # of older versions it is the peer
            expect(request.path, "/data?x=1")
            await peer.send(b"\0")
            heard.set_result([await peer.recv() for _ in range(3)])
        except Exception as failure:
            heard.set_exception(failure)

    async with websockets.serve(serve, "127.0.0.1", 0, subprotocols=SUBPROTOCOLS) as server:
        port = server.sockets[0].getsockname()[1]
        push.connect(f"ws://127.0.0.1:{port}/data?x=1")
        await asyncio.to_thread(push.send, b"one", b"z" * 70000)
        expect(await asyncio.wait_for(heard, 10), [b"\0", b"\1one", b"\0" + b"z" * 70000])
        push.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--subject", required=True)
    parser.add_argument("--program")
    library = Library(parser.parse_args().subject)
    for case in (as_client, as_server):
        asyncio.run(case(library))
        print(f"{case.__name__}: good")


if __name__ == "__main__":
    main()
