#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""The options of TLS in all commands that have endpoints."""
import json
import re
import subprocess

import support


class Tls(support.CommandTest):
    def setUp(self):
        super().setUp()
        self.certificate, self.key = support.make_certificate(self.folder)
        self.own = ["--tls-cert", self.certificate, "--tls-key", self.key]
        self.trusting = ["--tls-ca", self.certificate]

    def start_bound(self, scheme, *arguments):
        """Starts a command that binds; it, and the endpoint for those that connect."""
        running = self.start(*arguments, "--bind", f"{scheme}://127.0.0.1:*", *self.own)
        return running, self.bound_at(running, scheme)

    def bound_at(self, running, scheme):
        errors = running.wait_for_error(b"bound to")
        while b"\n" not in errors.split(b"bound to")[-1]:
            errors = running.wait_for_error(errors + b"\n")
        port = re.findall(rb"bound to \w+://127.0.0.1:(\d+)", errors)[-1].decode()
        return f"{scheme}://localhost:{port}"

    def test_cat(self):
        for scheme in ("tls", "wss"):
            with self.subTest(scheme):
                pull, endpoint = self.start_bound(scheme, "cat", "--type", "PULL", "--count", 1)
                done = self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, *self.trusting, data=b"hello\n")
                self.assertEqual(done, (0, b"", b""))
                self.assertEqual(pull.finish()[:2], (0, b"hello\n"))

    def test_what_is_wrong_with_files(self):
        bind = ["cat", "--type", "PULL", "--bind", "tls://127.0.0.1:*"]
        self.check_failure(1, ["--tls-cert FILE", "--tls-key FILE"], *bind)
        self.check_failure(2, ["--tls-cert and --tls-key need each other"], *bind, "--tls-cert", self.certificate)
        self.check_failure(1, ["--tls-cert", "/nowhere", "No such file"], *bind, "--tls-cert", "/nowhere", "--tls-key", self.key)
        self.check_failure(1, ["--tls-cert", "own.key", "PEM"], *bind, "--tls-cert", self.key, "--tls-key", self.key)

    def test_ping_says_why_it_is_not_trusted(self):
        for scheme in ("tls", "wss"):
            with self.subTest(scheme):
                _, endpoint = self.start_bound(scheme, "cat", "--type", "PULL", "--receive-only")
                self.check_failure(1, ["trusted", "--tls-ca"], "ping", endpoint)
                self.check_failure(1, ["another host", "--tls-hostname"], "ping", endpoint, *self.trusting, "--tls-hostname", "other")
                status, out, errors = self.run_zlink("ping", endpoint, *self.trusting, "--json")
                self.assertEqual((status, errors), (0, b""))
                self.assertEqual(json.loads(out)["socket type"], "PULL")

    def test_ping_does_not_become_a_peer_that_gets_messages(self):
        push, endpoint = self.start_bound("tls", "cat", "--type", "PUSH")
        self.assertEqual(push.finish()[0], 0)  # nothing to send
        push = self.start("cat", "--type", "PUSH", "--bind", endpoint.replace("localhost", "127.0.0.1"), *self.own, stdin=subprocess.PIPE)
        while self.run_zlink("ping", endpoint, *self.trusting, "--complete")[0] != 0:
            self.assertIsNone(push.process.poll())
        self.assertIn(b"not sent: a PUSH", self.run_zlink("ping", endpoint, *self.trusting)[1])

    def test_ping_of_a_peer_without_tls(self):
        tcp = self.start("cat", "--type", "PULL", "--bind", "tcp://127.0.0.1:*")
        endpoint = self.bound_at(tcp, "tls").replace("localhost", "127.0.0.1")
        self.check_failure(1, ["does the peer speak TLS"], "ping", endpoint, "--tls-insecure")

    def test_bench(self):
        status, out, errors = self.run_zlink("bench", "--pattern", "req-rep", "--endpoint", "tls://127.0.0.1:*", "--count", 50,
                                             "--json", "--tls-insecure", *self.own)
        self.assertEqual((status, errors), (0, b""))
        self.assertEqual(json.loads(out)["messages"], 50)

    def test_each_side_of_a_proxy_has_its_own(self):
        self.run_zlink("keygen", "--public", self.folder / "k.pub", "--secret", self.folder / "k.key")
        back = self.endpoint()
        proxy = self.start("proxy", "streamer", "--frontend", "tls://127.0.0.1:*", "--frontend-tls-cert", self.certificate,
                           "--frontend-tls-key", self.key, "--backend", back, "--backend-curve-server", "--backend-curve-secretkey",
                           f"@{self.folder}/k.key", "--statistics", 0.1)
        front = self.bound_at(proxy, "tls")
        pull = self.start("cat", "--type", "PULL", "--connect", back, "--curve-serverkey", f"@{self.folder}/k.pub", "--count", 1)
        done = self.run_zlink("cat", "--type", "PUSH", "--connect", front, *self.trusting, data=b"x\n")
        self.assertEqual(done, (0, b"", b""))
        self.assertEqual(pull.finish(), (0, b"x\n", b""))
        proxy.wait_for_error(b"frontend received 1 message (1 B)")  # while it runs
        self.assertEqual(proxy.stop()[0], 0)
        # Names of options are those of the side.
        self.check_failure(2, ["--frontend-curve-server needs --frontend-curve-secretkey"], "proxy", "queue", "--frontend", self.endpoint(),
                           "--backend", self.endpoint(), "--frontend-curve-server")

    def test_lists_of_one_side_hold_for_that_side(self):
        """An authenticator of the frontend does not ask clients of the backend."""
        for name in ("server", "friend"):
            self.run_zlink("keygen", "--public", self.folder / f"{name}.pub", "--secret", self.folder / f"{name}.key")
        front, back = self.endpoint(), self.endpoint()
        secret = f"@{self.folder}/server.key"
        self.start("proxy", "streamer", "--frontend", front, "--frontend-curve-server", "--frontend-curve-secretkey", secret,
                   "--frontend-curve-allow", f"@{self.folder}/friend.pub", "--backend", back, "--backend-curve-server",
                   "--backend-curve-secretkey", secret).wait_for_error(b"started")
        server = ["--curve-serverkey", f"@{self.folder}/server.pub"]
        pull = self.start("cat", "--type", "PULL", "--connect", back, *server, "--count", 1)  # with a key that nobody knows
        self.check_failure(1, ["no peer took"], "cat", "--type", "PUSH", "--connect", front, *server, "--timeout", 0.5, data=b"stranger\n")
        self.run_zlink("cat", "--type", "PUSH", "--connect", front, *server, "--curve-secretkey", f"@{self.folder}/friend.key", data=b"friend\n")
        self.assertEqual(pull.finish()[:2], (0, b"friend\n"))


if __name__ == "__main__":
    support.main()
