#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink ping."""
import contextlib
import ctypes.util
import http.server
import json
import socket
import sys
import threading

import support


class PeerTest(support.CommandTest):
    def serve(self, kind, *arguments):
        endpoint = self.endpoint()
        server = self.start("cat", "--type", kind, "--bind", endpoint, "--receive-only", *arguments)
        path = endpoint[len("ipc://"):]
        self.wait_for_path(path)
        self.assertIsNone(server.process.poll())
        return endpoint

    def wait_for_path(self, path):
        end = support.time.monotonic() + support.DEADLINE
        while support.time.monotonic() < end:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as probe:
                probe.connect(path)
                return
        self.fail(f"nobody listens at {path}")

    def listen(self, answer, count=3):
        """A tcp server that writes the answer to whoever connects; its endpoint."""
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)

        def run():
            for _ in range(count):
                try:
                    peer, _ = server.accept()
                except OSError:
                    return
                with peer:
                    answer(peer)
        threading.Thread(target=run, daemon=True).start()
        return f"tcp://127.0.0.1:{server.getsockname()[1]}"



class Ping(PeerTest):
    def test_tells_version_mechanism_type_and_round_trips(self):
        endpoint = self.serve("PULL")
        status, out, errors = self.run_zlink("ping", endpoint, "--count", 2, "--interval", 0)
        self.assertEqual((status, errors), (0, b""))
        for line in (b"peer          ZMTP 3.1\n", b"mechanism     NULL\n", b"socket type   PULL\n"):
            self.assertIn(line, out)
        self.assertEqual(out.count(b"(PING)\n"), 2)

    def test_json(self):
        endpoint = self.serve("ROUTER", "--routing-id", "me")
        status, out, _ = self.run_zlink("ping", endpoint, "--json")
        told = json.loads(out)
        self.assertEqual(status, 0)
        self.assertEqual((told["peer"], told["mechanism"], told["socket type"], told["Identity"]), ("ZMTP 3.1", "NULL", "ROUTER", "me"))
        self.assertEqual(len(told["round_trips_us"]), 2)

    def test_does_not_become_a_peer_that_gets_messages(self):
        endpoint = self.endpoint()
        dealer = self.start("cat", "--type", "DEALER", "--bind", endpoint, stdin=support.subprocess.PIPE)
        self.wait_for_path(endpoint[len("ipc://"):])
        status, out, _ = self.run_zlink("ping", endpoint)
        self.assertEqual(status, 0)
        self.assertIn(b"not sent: a DEALER", out)
        self.assertIn(b"(PING)", self.run_zlink("ping", endpoint, "--complete")[1])
        self.assertIsNone(dealer.process.poll())

    def test_the_time_of_a_ping_is_not_that_of_delayed_acknowledgements(self):
        """Nagle's algorithm and a peer that delays its ACK make 40 ms of each try."""
        server = self.start("cat", "--type", "PUB", "--bind", "tcp://127.0.0.1:*", stdin=support.subprocess.PIPE)
        endpoint = server.wait_for_error(b"\n").split()[-1].decode()

        def first_ping():
            return json.loads(self.run_zlink("ping", endpoint, "--json")[1])["round_trips_us"][1]
        self.assertLess(min(first_ping() for _ in range(10)), 35000)

    def test_json_of_a_failure_has_what_was_found_before(self):
        endpoint = self.serve("PULL", "--plain-server", "--plain-allow", "ada:secret")
        status, out, errors = self.run_zlink("ping", endpoint, "--json")
        told = json.loads(out)
        self.assertEqual((status, told["mechanism"]), (1, "PLAIN (as server)"))
        self.assertIn(told["error"].encode(), errors)

    def test_websocket(self):
        server = self.start("cat", "--type", "PULL", "--bind", "ws://127.0.0.1:*/feed")
        endpoint = server.wait_for_error(b"\n").split()[-1].decode()
        status, out, errors = self.run_zlink("ping", endpoint)
        self.assertEqual((status, errors), (0, b""))
        for line in (b"(WebSocket)\n", b"peer          ZWS 2.0", b"mechanism     NULL\n", b"socket type   PULL\n", b"(PING)\n"):
            self.assertIn(line, out)
        self.check_failure(1, ["path"], "ping", endpoint.replace("/feed", "/food"))
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        self.check_failure(1, ["refused", "ss -tln"], "ping", f"ws://127.0.0.1:{port}/")

    def test_refused(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        self.check_failure(1, ["refused", "ss -tln"], "ping", f"tcp://127.0.0.1:{port}")
        self.check_failure(1, ["no such socket file"], "ping", self.endpoint())

    def test_bad_endpoints(self):
        self.check_failure(2, ["tcp://HOST:PORT"], "ping", "nonsense")
        self.check_failure(2, ["no host or no port"], "ping", "tcp://localhost")
        self.check_failure(2, ["cannot be pinged"], "ping", "inproc://x")
        self.check_failure(1, ["has no address"], "ping", "tcp://no-such-host.invalid:1")
        self.check_failure(1, ["too long"], "ping", "ipc://" + "x" * 200)
        self.check_failure(2, ["ENDPOINT"], "ping")

    def test_a_web_server_is_recognised(self):
        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                """The first connection is cut off while it is answered."""

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

        with Server(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.addCleanup(server.shutdown)
            self.check_failure(1, ["web server", "HTTP/1."], "ping", f"tcp://127.0.0.1:{server.server_address[1]}", "--timeout", 0.3)

    def test_another_protocol_is_shown(self):
        endpoint = self.listen(lambda peer: peer.sendall(b"SSH-2.0-OpenSSH\r\n"))
        self.check_failure(1, ['not ZMTP: it sent "SSH-2.0-OpenSSH', "looks like SSH"], "ping", endpoint)
        endpoint = self.listen(lambda peer: peer.sendall(b"\x01\x00"))
        self.check_failure(1, ["ZMTP 1.0"], "ping", endpoint)

    def test_a_silent_server(self):
        endpoint = self.listen(lambda peer: peer.recv(1000) and peer.recv(1000))
        self.check_failure(1, ["silent for 0.2 s"], "ping", endpoint, "--timeout", 0.2)

    def test_a_server_that_closes(self):
        endpoint = self.listen(lambda peer: peer.recv(12))
        self.check_failure(1, ["closed the connection before its greeting"], "ping", endpoint)

    def test_an_old_peer(self):
        endpoint = self.listen(lambda peer: peer.sendall(b"\xff" + bytes(7) + b"\x01\x7f\x01\x05\x00\x00"))
        status, out, _ = self.run_zlink("ping", endpoint)
        self.assertEqual((status, out), (0, b"peer          ZMTP 2.0\nsocket type   DEALER\nIdentity      (empty)\n"))

    def test_malformed_metadata(self):
        greeting = b"\xff" + bytes(8) + b"\x7f\x03\x01NULL" + bytes(48)
        for ready, word in ((b"\x05READY\x0bSocket-Type\x00\x00\x00\x09PUB", "property is cut off"), (b"\x05READY\xff", "property is cut off"),
                            (b"\x05ERROR\x03sad", "refuses the connection: sad"), (b"\xff", "malformed command")):
            with self.subTest(ready):
                endpoint = self.listen(lambda peer, ready=ready: peer.sendall(greeting + b"\x04" + bytes([len(ready)]) + ready) or peer.recv(99))
                self.check_failure(1, [word], "ping", endpoint)

    def test_interrupt_ends_the_wait(self):
        endpoint = self.serve("PULL")
        ping = self.start("ping", endpoint, "--count", 100, "--interval", support.DEADLINE)
        while b"PING" not in ping.read_line():
            pass
        self.assertEqual(ping.stop(), (0, b"", b""))


class Secured(PeerTest):
    def test_plain(self):
        endpoint = self.serve("PULL", "--plain-server", "--plain-allow", "ada:secret")
        self.check_failure(1, ["wants PLAIN", "--plain-username"], "ping", endpoint)
        self.check_failure(1, ["refuses the user or the password"], "ping", endpoint, "--plain-username", "ada", "--plain-password", "wrong")
        status, out, errors = self.run_zlink("ping", endpoint, "--plain-username", "ada", "--plain-password", "secret")
        self.assertEqual((status, errors), (0, b""))
        self.assertIn(b"socket type   PULL", out)
        self.assertIn(b"(PING)", out)

    def test_curve(self):
        for name in ("server", "other"):
            self.run_zlink("keygen", "--public", self.folder / f"{name}.pub", "--secret", self.folder / f"{name}.key")
        endpoint = self.serve("PULL", "--curve-server", "--curve-secretkey", f"@{self.folder}/server.key")
        self.check_failure(1, ["wants CURVE", "--curve-serverkey"], "ping", endpoint)
        self.check_failure(1, ["--curve-serverkey the peer's key"], "ping", endpoint, "--timeout", 0.3, "--curve-serverkey", f"@{self.folder}/other.pub")
        status, out, errors = self.run_zlink("ping", endpoint, "--curve-serverkey", f"@{self.folder}/server.pub")
        self.assertEqual((status, errors), (0, b""))
        for line in (b"mechanism     CURVE (as server)\n", b"socket type   PULL\n", b"(PING)\n"):
            self.assertIn(line, out)

    def test_a_key_that_may_not_connect(self):
        for name in ("server", "other"):
            self.run_zlink("keygen", "--public", self.folder / f"{name}.pub", "--secret", self.folder / f"{name}.key")
        server = [f"@{self.folder}/server.key", "--curve-allow", f"@{self.folder}/other.pub"]
        endpoint = self.serve("PULL", "--curve-server", "--curve-secretkey", *server)
        self.check_failure(1, ["authenticator does not allow this key"], "ping", endpoint, "--curve-serverkey", f"@{self.folder}/server.pub")
        status, _, _ = self.run_zlink("ping", endpoint, "--curve-serverkey", f"@{self.folder}/server.pub", "--curve-secretkey", f"@{self.folder}/other.key")
        self.assertEqual(status, 0)

    def test_the_options_of_a_server_are_refused(self):
        self.check_failure(2, ["is a client"], "ping", "tcp://127.0.0.1:1", "--plain-server", "--plain-allow", "ada:secret")
        self.check_failure(1, ["--tls-ca", "No such file"], "ping", "tls://127.0.0.1:1", "--tls-ca", self.folder / "none")

    def test_security_that_the_peer_does_not_have(self):
        endpoint = self.serve("PULL")
        self.check_failure(1, ["mechanism NULL"], "ping", endpoint, "--plain-username", "x", "--plain-password", "y")


class Everywhere(PeerTest):
    """The same is told over each transport, with each mechanism."""

    def setUp(self):
        super().setUp()
        self.run_zlink("keygen", "--public", self.folder / "s.pub", "--secret", self.folder / "s.key")
        self.mechanisms = {
            "NULL": ([], []),
            "PLAIN": (["--plain-server", "--plain-allow", "ada:secret"], ["--plain-username", "ada", "--plain-password", "secret"]),
            "CURVE": (["--curve-server", "--curve-secretkey", f"@{self.folder}/s.key"], ["--curve-serverkey", f"@{self.folder}/s.pub"])}

    def check(self, transport, address, servers=(), clients=()):
        for mechanism, (server, client) in self.mechanisms.items():
            with self.subTest(transport=transport, mechanism=mechanism):
                peer = self.start("cat", "--type", "ROUTER", "--bind", f"{transport}://{address}", "--routing-id", "me",
                                  "--receive-only", *server, *servers)
                endpoint = peer.wait_for_error(b"\n").split()[-1].decode().replace("127.0.0.1", "localhost")
                status, out, errors = self.run_zlink("ping", endpoint, "--json", "--count", 3, "--interval", 0, *client, *clients)
                self.assertEqual((status, errors), (0, b""))
                told = json.loads(out)
                self.assertEqual((told["mechanism"].split()[0], told["socket type"], told["Identity"]), (mechanism, "ROUTER", "me"))
                self.assertEqual(len(told["round_trips_us"]), 3 if transport.startswith("ws") else 4)
                self.assertEqual("TLSv1.3" in out.decode(), transport in ("tls", "wss"))
                if mechanism != "NULL":
                    self.check_failure(1, [f"wants {mechanism}"], "ping", endpoint, *clients)

    def test_tcp(self):
        self.check("tcp", "127.0.0.1:*")

    def test_ws(self):
        self.check("ws", "127.0.0.1:*/feed")

    def test_tls_and_wss(self):
        certificate, key = support.make_certificate(self.folder)
        for transport, address in (("tls", "127.0.0.1:*"), ("wss", "127.0.0.1:*/feed")):
            self.check(transport, address, ["--tls-cert", certificate, "--tls-key", key], ["--tls-ca", certificate])

    def test_a_name_with_addresses(self):
        peer = self.start("cat", "--type", "PULL", "--bind", "tcp://127.0.0.1:*", "--receive-only")
        port = peer.wait_for_error(b"\n").split(b":")[-1].decode().strip()
        self.assertEqual(self.run_zlink("ping", f"dns+tcp://localhost:{port}")[0], 0)

    def test_peers_that_might_send_messages(self):
        """A zlink tells its type although the handshake is not finished."""
        for mechanism in ("PLAIN", "CURVE"):
            server, client = self.mechanisms[mechanism]
            endpoint = self.serve("PAIR", *server)
            out = self.run_zlink("ping", endpoint, *client)[1]
            self.assertIn(b"socket type   PAIR\nPING          not sent: a PAIR", out)
            self.assertIn(b"(PING)", self.run_zlink("ping", endpoint, "--complete", *client)[1])


LIBZMQ_PEER = """
import ctypes, sys
libzmq = ctypes.CDLL(sys.argv[1])
for name in ("zmq_ctx_new", "zmq_socket"):
    getattr(libzmq, name).restype = ctypes.c_void_p
context = ctypes.c_void_p(libzmq.zmq_ctx_new())
one, key = ctypes.c_int(1), sys.argv[2].encode()
for number, endpoint in enumerate(sys.argv[3:]):
    socket = ctypes.c_void_p(libzmq.zmq_socket(context, number))
    assert libzmq.zmq_setsockopt(socket, 47, ctypes.byref(one), ctypes.c_size_t(4)) == 0
    assert libzmq.zmq_setsockopt(socket, 49, key, ctypes.c_size_t(40)) == 0
    assert libzmq.zmq_bind(socket, endpoint.encode()) == 0
print("bound", flush=True)
sys.stdin.read()
"""


class Libzmq(PeerTest):
    def test_curve_with_every_type(self):
        """libzmq does not tell its type to a type that does not fit."""
        library = ctypes.util.find_library("zmq")
        if not library:
            self.skipTest("libzmq is not installed")
        self.run_zlink("keygen", "--public", self.folder / "s.pub", "--secret", self.folder / "s.key")
        key = [line for line in (self.folder / "s.key").read_text().splitlines() if not line.startswith("#")][0]
        types = "PAIR PUB SUB REQ REP DEALER ROUTER PULL PUSH XPUB XSUB".split()
        endpoints = [self.endpoint() for _ in types]
        peers = self.start("-c", LIBZMQ_PEER, library, key, *endpoints, command=[sys.executable], stdin=support.subprocess.PIPE)
        self.assertEqual(peers.read_line(), b"bound\n")
        for kind, endpoint in zip(types, endpoints):
            with self.subTest(kind):
                asked = ["ping", endpoint, "--curve-serverkey", f"@{self.folder}/s.pub"]
                if kind in ("PAIR", "REQ", "DEALER", "PUSH"):
                    self.check_failure(1, ["--complete"], *asked)
                    asked.append("--complete")
                status, out, errors = self.run_zlink(*asked)
                self.assertEqual((status, errors), (0, b""))
                self.assertIn(f"socket type   {kind}\n".encode(), out)
                self.assertIn(b"(PING)", out)


if __name__ == "__main__":
    support.main()
