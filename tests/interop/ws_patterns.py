#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Peers that get WebSocket from a Python package and speak ZWS 2.0 by hand, with every pattern, as client and as server.

    ws_patterns.py --subject DIR --program interop_end PACKAGE SCHEME

PACKAGE: websockets or wsproto; SCHEME: ws or wss (Python's ssl below). Both offer compression, which has to be refused, and cut
their messages into fragments. Exit code 77: the package is not installed.
"""

import asyncio
import re
import socket
import ssl
import sys
import tempfile
import threading

from ends import Failure, arguments, run_all
from patterns import CASES, SET
from tls_peers import Files, Peers
from wire import TIMEOUT_S, Closed, expect

PATH = "/chat?room=1"
SUBPROTOCOL = "ZWS2.0"
LAST, MORE = b"\0", b"\1"


class Missing(Exception):
    pass


class WebsocketsPeer:
    """The package websockets; its event loop runs on a thread."""

    def __init__(self):
        try:
            import websockets
        except ImportError:
            raise Missing("websockets") from None
        self.package = websockets
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def run(self, task):
        return asyncio.run_coroutine_threadsafe(task, self.loop).result(TIMEOUT_S)

    def connect(self, port, context):
        async def go():
            scheme = "wss" if context else "ws"
            return await self.package.connect(f"{scheme}://localhost:{port}{PATH}", subprotocols=[SUBPROTOCOL], ssl=context,
                                              max_size=None)

        self.connection = self.run(go())
        expect(self.connection.subprotocol, SUBPROTOCOL, "subprotocol")

    def listen(self, context):
        self.arrived = self.loop.create_future()
        self.ended = asyncio.Event()

        async def serve(connection, *_):
            self.arrived.set_result(connection)
            await self.ended.wait()

        async def go():
            return await self.package.serve(serve, "127.0.0.1", 0, subprotocols=[SUBPROTOCOL], ssl=context, max_size=None)

        self.server = self.run(go())
        return self.server.sockets[0].getsockname()[1]

    def accept(self):
        async def go():
            return await self.arrived

        self.connection = self.run(go())
        expect(self.connection.subprotocol, SUBPROTOCOL, "subprotocol")

    def send(self, data):
        self.run(self.connection.send([data[:1], data[1:]]))

    def receive(self):
        return self.run(self.connection.recv())

    def close(self):
        if hasattr(self, "ended"):
            self.loop.call_soon_threadsafe(self.ended.set)
        self.run(self.connection.close())
        self.loop.call_soon_threadsafe(self.loop.stop)


class WsprotoPeer:
    """The package wsproto, which does no I/O itself."""

    def __init__(self):
        try:
            import wsproto
            import wsproto.events
            import wsproto.extensions
        except ImportError:
            raise Missing("wsproto") from None
        self.events, self.package = wsproto.events, wsproto
        self.messages, self.parts = [], []

    def begin(self, kind, stream):
        self.stream = stream
        self.stream.settimeout(TIMEOUT_S)
        self.machine = self.package.WSConnection(kind)

    def connect(self, port, context):
        plain = socket.create_connection(("127.0.0.1", port))
        self.begin(self.package.ConnectionType.CLIENT, context.wrap_socket(plain, server_hostname="localhost") if context else plain)
        compression = self.package.extensions.PerMessageDeflate()
        self.say(self.events.Request(host="localhost", target=PATH, subprotocols=[SUBPROTOCOL], extensions=[compression]))
        answer = self.next_event()
        if not isinstance(answer, self.events.AcceptConnection):
            raise Failure(f"{answer} in place of an acceptance")
        expect((answer.subprotocol, answer.extensions), (SUBPROTOCOL, []), "answer")

    def listen(self, context):
        self.listener, self.context = socket.create_server(("127.0.0.1", 0)), context
        return self.listener.getsockname()[1]

    def accept(self):
        self.listener.settimeout(TIMEOUT_S)
        plain = self.listener.accept()[0]
        plain.settimeout(TIMEOUT_S)
        self.begin(self.package.ConnectionType.SERVER, self.context.wrap_socket(plain, server_side=True) if self.context else plain)
        request = self.next_event()
        expect((request.target, request.subprotocols[0], request.extensions), (PATH, SUBPROTOCOL, []), "request")
        self.say(self.events.AcceptConnection(subprotocol=SUBPROTOCOL))

    def say(self, event):
        self.stream.sendall(self.machine.send(event))

    def next_event(self):
        """The next one that is no ping."""
        while True:
            for event in self.machine.events():
                if isinstance(event, self.events.Ping):
                    self.say(event.response())
                else:
                    return event
            data = self.stream.recv(65536)
            self.machine.receive_data(data or None)

    def send(self, data):
        self.say(self.events.BytesMessage(data[:1], message_finished=False))
        self.say(self.events.BytesMessage(data[1:]))

    def receive(self):
        whole = bytearray()
        while True:
            event = self.next_event()
            if not isinstance(event, self.events.BytesMessage):
                raise Closed(repr(event))
            whole += event.data
            if event.message_finished:
                return bytes(whole)

    def close(self):
        self.stream.close()
        if hasattr(self, "listener"):
            self.listener.close()


class Talk:
    """Messages of ZWS 2.0 without a mechanism, over either."""

    def __init__(self, peer, routing_id=b""):
        self.peer = peer
        peer.send(LAST + routing_id)
        self.other_id = peer.receive()

    def send(self, frames):
        for number, body in enumerate(frames):
            self.peer.send((MORE if number + 1 < len(frames) else LAST) + body)

    def receive(self):
        frames = []
        while True:
            data = self.peer.receive()
            frames.append(data[1:])
            if data[:1] == LAST:
                return frames
            expect(data[:1], MORE, "flags")


PACKAGES = {"websockets": WebsocketsPeer, "wsproto": WsprotoPeer}


def play(peers, make, scheme, is_client, case):
    kind, script, _, acts = case
    peer, message_option = make(), f"set={SET}"
    files = peers.files
    if is_client:
        own = files.of("server") if scheme == "wss" else []
        end = peers.end(kind, "bind", f"{scheme}://127.0.0.1:*{PATH}", script, message_option, *own)
        port = int(re.search(r":(\d+)/", end.expect("bound")).group(1))
        peer.connect(port, files.context(ssl.Purpose.SERVER_AUTH) if scheme == "wss" else None)
    else:
        port = peer.listen(files.context(ssl.Purpose.CLIENT_AUTH, "server") if scheme == "wss" else None)
        trust = files.trust() if scheme == "wss" else []
        end = peers.end(kind, "connect", f"{scheme}://localhost:{port}{PATH}", script, message_option, *trust)
        peer.accept()
    try:
        acts(Talk(peer, b"peer"), end)
        end.expect("done")
        end.finish()
        peer.close()
    except Failure:
        raise
    except Exception as error:  # of the package, of the socket
        raise Failure(f"{type(error).__name__} {error} {''.join(end.errors)}") from None
    finally:
        end.kill()


def main():
    options = arguments(__doc__, package=list(PACKAGES), scheme=["ws", "wss"])
    if options.self_check:
        sys.exit("the reference has no ws")
    make = PACKAGES[options.package]
    try:
        make()
    except Missing as package:
        print(f"the package {package} is missing (tools/install_packages.sh build): left out")
        return 77
    with tempfile.TemporaryDirectory(prefix="zlink-ws-") as directory:
        peers = Peers(options.program, options.subject, Files(directory))
        return run_all([(f"{options.package} {options.scheme} {'client' if is_client else 'server'}, {case[0]} {case[1]}",
                         lambda is_client=is_client, case=case: play(peers, make, options.scheme, is_client, case))
                        for is_client in (True, False) for case in CASES])


if __name__ == "__main__":
    sys.exit(main())
