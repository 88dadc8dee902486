#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Scripted peers that get TLS from Python's ssl module and from the openssl command, against an end of the library under test.

    tls_peers.py --subject DIR --program interop_end CASE

Cases: client, server (Python speaks ZMTP through its ssl module), dribble (a record for each byte), s_client, s_server (the
openssl command carries ZMTP), versions (TLS 1.2 is refused, and spoken by option), mutual (client certificates), garbage (bytes that
are no ZMTP inside TLS, and no TLS at all, after each of which a good peer is served), patterns and openssl_patterns (every pattern, as
client and as server, by Python's ssl and by the openssl command).
"""

import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile

import patterns as patterns_of
from ends import End, Failure, arguments, free_port, run_all
from wire import Closed, Wire, answer_all, expect, message, message_set, shake

CERT, KEY, CA, REQUIRE_CLIENT, MIN_VERSION = 10020, 10021, 10023, 10026, 10028
TLS_1_2 = 0x0303
NAMES = "subjectAltName=DNS:localhost,IP:127.0.0.1"


class Files:
    """Certificates that the openssl command makes: of an authority, and of what it vouches for."""

    def __init__(self, directory):
        self.directory = directory
        self.make("ca", "/CN=interop authority")
        for name in ("server", "client"):
            self.make(name, f"/CN={name}", "-CA", self.path("ca.pem"), "-CAkey", self.path("ca.key"), "-addext", NAMES)

    def path(self, name):
        return os.path.join(self.directory, name)

    def make(self, name, subject, *more):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3",
                        "-keyout", self.path(f"{name}.key"), "-out", self.path(f"{name}.pem"), "-subj", subject, *more],
                       check=True, capture_output=True)

    def of(self, name):
        """Options of interop_end."""
        return [f"{CERT}:{self.path(name + '.pem')}", f"{KEY}:{self.path(name + '.key')}"]

    def trust(self):
        return [f"{CA}:{self.path('ca.pem')}"]

    def context(self, purpose, own=None):
        made = ssl.create_default_context(purpose, cafile=self.path("ca.pem"))
        if own:
            made.load_cert_chain(self.path(f"{own}.pem"), self.path(f"{own}.key"))
        return made


class Pipe:
    """The stdin and stdout of a command, used as the socket of a Wire."""

    def __init__(self, command):
        self.ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
        theirs.close()
        self.settimeout, self.sendall, self.recv = self.ours.settimeout, self.ours.sendall, self.ours.recv

    def setsockopt(self, *_):
        """There is no tcp on this side."""

    def close(self):
        self.ours.close()
        self.process.kill()
        self.process.wait()


class Peers:
    """What a case needs: the program, the library, the certificates."""

    def __init__(self, program, library, files):
        self.program, self.library, self.files = program, library, files
        self.ends = []

    def end(self, *words):
        made = End(self.program, self.library, *words)
        self.ends.append(made)
        return made

    def bound(self, kind, script, *options):
        made = self.end(kind, "bind", "tls://127.0.0.1:*", script, *self.files.of("server"), *options)
        endpoint = made.expect("bound")
        if not re.fullmatch(r"tls://127\.0\.0\.1:\d+", endpoint):
            raise Failure(f"bound to {endpoint}")
        return made, int(endpoint.rsplit(":", 1)[1])

    def connected(self, kind, port, script, *options):
        return self.end(kind, "connect", f"tls://localhost:{port}", script, *self.files.trust(), *options)

    def wire(self, port, dribble=False, own=None, version=None):
        context = self.files.context(ssl.Purpose.SERVER_AUTH, own)
        if version:
            context.maximum_version = version
        plain = socket.create_connection(("127.0.0.1", port))
        return Wire(context.wrap_socket(plain, server_hostname="localhost"), dribble)

    def finish(self, end, wire):
        end.expect("done")
        end.finish()
        wire.close()

    def kill(self):
        for end in self.ends:
            end.kill()


def ask(peers, wire, end):
    shake(wire, 1, b"REQ", b"REP")
    answer_all(wire, message_set(), [b""])
    peers.finish(end, wire)


def client(peers):
    end, port = peers.bound("REP", "answer")
    ask(peers, peers.wire(port), end)
    end, port = peers.bound("PUSH", "send")
    wire = peers.wire(port)
    shake(wire, 1, b"PULL", b"PUSH")
    for frames in message_set():
        expect(wire.receive_message(), frames, "message")
    peers.finish(end, wire)


def dribble(peers):
    end, port = peers.bound("REP", "answer")
    ask(peers, peers.wire(port, dribble=True), end)


def server(peers):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        end = peers.connected("DEALER", listener.getsockname()[1], "answer")
        context = peers.files.context(ssl.Purpose.CLIENT_AUTH, "server")
        wire = Wire(context.wrap_socket(listener.accept()[0], server_side=True))
        expect(wire.stream.version(), "TLSv1.3", "version")
        shake(wire, 1, b"ROUTER", b"DEALER")
        answer_all(wire, message_set(), [])
        peers.finish(end, wire)


def s_client(peers):
    end, port = peers.bound("REP", "answer")
    ask(peers, s_client_wire(peers, port), end)


def s_server(peers):
    port = free_port()
    wire = s_server_wire(peers, port)
    end = peers.connected("PUSH", port, "send")
    shake(wire, 1, b"PULL", b"PUSH")
    for frames in message_set():
        expect(wire.receive_message(), frames, "message")
    peers.finish(end, wire)


def refused(call):
    try:
        wire = call()
        wire.receive(1)
    except (ssl.SSLError, Closed, ConnectionResetError):
        return
    raise Failure("a peer was let in")


def versions(peers):
    end, port = peers.bound("REP", "answer")
    refused(lambda: peers.wire(port, version=ssl.TLSVersion.TLSv1_2))
    ask(peers, peers.wire(port), end)
    end, port = peers.bound("REP", "answer", f"{MIN_VERSION}={TLS_1_2}")
    wire = peers.wire(port, version=ssl.TLSVersion.TLSv1_2)
    expect(wire.stream.version(), "TLSv1.2", "version")
    ask(peers, wire, end)


def mutual(peers):
    end, port = peers.bound("REP", "answer", f"{REQUIRE_CLIENT}=1", *peers.files.trust())
    refused(lambda: peers.wire(port))
    ask(peers, peers.wire(port, own="client"), end)


def garbage(peers):
    end, port = peers.bound("REP", "serve")
    for junk in (b"GET / HTTP/1.1\r\n\r\n", bytes(300), b"\xff" * 300, b"\xff" + bytes(8) + b"\x7f\x03\x01NOPE" + bytes(48)):
        inside = peers.wire(port)
        inside.send(junk)  # some of it could be the beginning of an old peer's greeting
        inside.close()
        outside = Wire(socket.create_connection(("127.0.0.1", port)))
        outside.send(junk)
        outside.expect_close()
        good = peers.wire(port)
        shake(good, 1, b"REQ", b"REP")
        good.send(message([b"", b"hello"]))
        expect(good.receive_message(), [b"", b"hello"], "echo")
        good.close()
    end.tell("stop")
    end.expect("done")
    end.finish()


class Talk:
    """What patterns.py wants, over a Wire."""

    def __init__(self, wire, own_type, peer_type):
        self.wire, self.receive = wire, wire.receive_message
        shake(wire, 0, own_type.encode(), peer_type.encode(), Identity=b"peer")

    def send(self, frames):
        self.wire.send(message(frames))


def s_client_wire(peers, port):
    return Wire(Pipe(["openssl", "s_client", "-quiet", "-verify_return_error", "-CAfile", peers.files.path("ca.pem"),
                      "-verify_hostname", "localhost", "-connect", f"127.0.0.1:{port}"]))


def s_server_wire(peers, port):
    return Wire(Pipe(["openssl", "s_server", "-quiet", "-naccept", "1", "-accept", f"127.0.0.1:{port}",
                      "-cert", peers.files.path("server.pem"), "-key", peers.files.path("server.key")]))


def play(peers, case, is_client, is_openssl):
    kind, script, own_type, acts = case
    message_option = f"set={patterns_of.SET}"
    if is_client:
        end, port = peers.bound(kind, script, message_option)
        wire = s_client_wire(peers, port) if is_openssl else peers.wire(port)
    elif is_openssl:
        port = free_port()
        wire = s_server_wire(peers, port)
        end = peers.connected(kind, port, script, message_option)
    else:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            end = peers.connected(kind, listener.getsockname()[1], script, message_option)
            context = peers.files.context(ssl.Purpose.CLIENT_AUTH, "server")
            wire = Wire(context.wrap_socket(listener.accept()[0], server_side=True))
    try:
        acts(Talk(wire, own_type, kind), end)
        peers.finish(end, wire)
    except (Closed, Failure) as failure:
        raise Failure(f"{kind} {script}, {'client' if is_client else 'server'}: {failure} {''.join(end.errors)}") from None


def patterns(peers, is_openssl=False):
    for is_client in (True, False):
        for case in patterns_of.CASES:
            play(peers, case, is_client, is_openssl)


def openssl_patterns(peers):
    patterns(peers, True)


CASES = {call.__name__: call for call in (client, server, dribble, s_client, s_server, versions, mutual, garbage, patterns, openssl_patterns)}


def main():
    options = arguments(__doc__, case=list(CASES))
    if options.self_check:
        sys.exit("the reference has no tls")
    with tempfile.TemporaryDirectory(prefix="zlink-tls-") as directory:
        peers = Peers(options.program, options.subject, Files(directory))
        try:
            return run_all([(options.case, lambda: CASES[options.case](peers))])
        finally:
            peers.kill()


if __name__ == "__main__":
    sys.exit(main())
