#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink bench."""
import json
import socket

import support

ONE_WAY = ("push-pull", "pub-sub", "scatter-gather", "radio-dish")
ROUND_TRIP = ("req-rep", "pair", "dealer-router", "dealer-dealer", "client-server", "channel", "peer")
SHORT = ["--warm-up", "0", "--json"]


def has_ipv6():
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


class Bench(support.CommandTest):
    def bench(self, *arguments):
        status, out, errors = self.run_zlink("bench", *SHORT, *arguments)
        self.assertEqual((status, errors), (0, b""))
        return json.loads(out)

    def test_every_pattern_over_every_transport(self):
        for pattern in (*ONE_WAY, *ROUND_TRIP):
            for endpoint in ("inproc://x", "tcp://127.0.0.1:*", self.endpoint()):
                with self.subTest(pattern=pattern, endpoint=endpoint):
                    told = self.bench("--pattern", pattern, "--endpoint", endpoint, "--count", 100)
                    self.assertEqual(told["messages"], 100)
                    self.assertGreater(told["messages_per_second"], 0)
                    self.assertAlmostEqual(told["bytes_per_second"], told["messages_per_second"] * 64, delta=1)
                    self.assertEqual("latency_us" in told, pattern in ROUND_TRIP)

    def free_udp_endpoint(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.bind(("127.0.0.1", 0))
            return f"udp://127.0.0.1:{probe.getsockname()[1]}"

    def test_radio_dish_over_udp(self):
        told = self.bench("--pattern", "radio-dish", "--endpoint", self.free_udp_endpoint(), "--rate", 2000, "--seconds", 0.3)
        self.assertTrue(0 < told["messages"] <= 601 and told["messages"] + told["lost"] >= 590, told)
        self.assertIn("latency_us", told)

    def test_dgram(self):
        for endpoint in ("udp://127.0.0.1:*", self.free_udp_endpoint()):
            told = self.bench("--pattern", "dgram", "--endpoint", endpoint, "--rate", 2000, "--seconds", 0.3)
            self.assertTrue(0 < told["messages"] <= 601 and told["messages"] + told["lost"] >= 590, told)
            self.assertIn("latency_us", told)
        if has_ipv6():
            told = self.bench("--pattern", "dgram", "--endpoint", "udp://[::1]:*", "--ipv6", "--size", 65000, "--rate", 100, "--count", 5)
            self.assertEqual(told["messages"] + told["lost"], 5)

    def test_peer_in_two_processes(self):
        both = [*SHORT, "--pattern", "peer", "--endpoint", self.endpoint()]
        server = self.start("bench", "--role", "server", *both)
        server.wait_for_error(b"waits for a client")
        status, out, _ = self.run_zlink("bench", "--role", "client", "--count", 100, *both)
        self.assertEqual((status, json.loads(out)["messages"], server.finish()[0]), (0, 100, 0))

    def test_one_way_in_two_processes(self):
        for pattern, endpoint, losses in (("radio-dish", self.endpoint(), (0,)), ("radio-dish", self.free_udp_endpoint(), range(500)),
                                          ("dgram", self.free_udp_endpoint(), range(500))):
            with self.subTest(pattern=pattern, endpoint=endpoint):
                both = [*SHORT, "--pattern", pattern, "--endpoint", endpoint]
                server = self.start("bench", "--role", "server", *both)
                server.wait_for_error(b"waits for a client")
                self.assertEqual(self.run_zlink("bench", "--role", "client", "--count", 500, "--rate", 5000, *both)[0], 0)
                told = json.loads(server.finish()[1])
                self.assertEqual(told["messages"] + told["lost"], 500)
                self.assertIn(told["lost"], losses)

    def test_a_radio_without_a_dish_gives_up(self):
        self.check_failure(1, ["is silent"], "bench", "--role", "client", "--pattern", "radio-dish", "--endpoint", self.endpoint(), "--timeout", 0.2)

    def test_stream(self):
        certificate, key = support.make_certificate(self.folder)
        secured = ["--tls-cert", certificate, "--tls-key", key, "--tls-insecure"]
        for endpoint, options in (("tcp://127.0.0.1:*", []), (self.endpoint(), []), ("tls://127.0.0.1:*", secured)):
            for size in (1, 64, 200_000):
                with self.subTest(endpoint=endpoint, size=size):
                    told = self.bench("--pattern", "stream", "--endpoint", endpoint, "--size", size, "--count", 50, *options)
                    self.assertEqual((told["messages"], told["lost"]), (50, 0))
                    self.assertGreater(told["latency_us"]["p50"], 0)

    def test_stream_in_two_processes(self):
        both = [*SHORT, "--pattern", "stream", "--endpoint", self.endpoint()]
        server = self.start("bench", "--role", "server", *both)
        server.wait_for_error(b"waits for a client")
        status, out, _ = self.run_zlink("bench", "--role", "client", "--count", 100, *both)
        self.assertEqual((status, json.loads(out)["messages"], server.finish()[0]), (0, 100, 0))

    def test_what_stream_and_udp_cannot_do(self):
        self.check_failure(2, ["udp://127.0.0.1:*"], "bench", "--pattern", "dgram")
        self.check_failure(2, ["no name"], "bench", "--role", "client", "--pattern", "dgram", "--endpoint", "udp://localhost:5556")
        for status, endpoint, reason in ((2, "udp://1.2.3:5", "no name"), (2, "udp://999.1.1.1:5556", "no name"),
                                         (1, "udp://127.0.0.1:0", "65535"), (1, "udp://127.0.0.1:99999", "65535")):
            self.check_failure(status, [reason], "bench", "--role", "client", "--pattern", "dgram", "--endpoint", endpoint)
        self.check_failure(2, ["datagram"], "bench", "--pattern", "dgram", "--endpoint", "udp://127.0.0.1:1", "--size", 65508)
        self.check_failure(2, ["tcp://"], "bench", "--pattern", "stream")
        self.check_failure(2, ["--size 1"], "bench", "--pattern", "stream", "--endpoint", self.endpoint(), "--size", 0)
        self.check_failure(2, ["radio-dish"], "bench", "--endpoint", "udp://127.0.0.1:1")
        self.check_failure(2, ["datagram"], "bench", "--pattern", "radio-dish", "--endpoint", "udp://127.0.0.1:1", "--size", 65503)

    def test_latency_at_a_rate(self):
        for pattern in (*ONE_WAY, *ROUND_TRIP):
            with self.subTest(pattern):
                told = self.bench("--pattern", pattern, "--rate", 500, "--seconds", 0.2)
                latency = told["latency_us"]
                self.assertTrue(0 < latency["p50"] <= latency["p90"] <= latency["p99"] <= latency["p99.9"] <= latency["max"], latency)
                # 500 a second for 0.2 s: the number does not depend on how late they are.
                self.assertTrue(95 <= told["messages"] <= 101, told["messages"])

    def test_a_stopped_server_is_seen_in_the_latency(self):
        endpoint = self.endpoint()
        server = self.start("bench", "--role", "server", "--pattern", "req-rep", "--endpoint", endpoint)
        server.wait_for_error(b"waits for a client")
        server.process.send_signal(support.signal.SIGSTOP)
        client = self.start("bench", *SHORT, "--role", "client", "--pattern", "req-rep", "--endpoint", endpoint, "--rate", 1000, "--seconds", 0.4)
        with self.assertRaises(support.subprocess.TimeoutExpired):
            client.process.wait(0.3)
        server.process.send_signal(support.signal.SIGCONT)
        status, out, _ = client.finish()
        self.assertEqual(status, 0)
        # One request waited; by the time of sending the others would look fast. By the time when they were due half of them are slow.
        self.assertGreater(json.loads(out)["latency_us"]["p50"], 10000)

    def test_two_processes(self):
        for pattern, owner in (("push-pull", "server"), ("req-rep", "client")):
            endpoint = self.endpoint()
            both = ["--pattern", pattern, "--endpoint", endpoint]
            server = self.start("bench", *SHORT, "--role", "server", *both)
            server.wait_for_error(b"waits for a client")
            client = self.run_zlink("bench", *SHORT, "--role", "client", "--count", 500, *both)
            done = server.finish()
            self.assertEqual((client[0], done[0]), (0, 0))
            outputs = {"client": client[1], "server": done[1]}
            self.assertEqual(json.loads(outputs.pop(owner))["messages"], 500)
            self.assertEqual(list(outputs.values()), [b""])

    def test_prints_for_people(self):
        status, out, _ = self.run_zlink("bench", "--pattern", "req-rep", "--count", 20, "--warm-up", 0, "--size", 5)
        self.assertEqual(status, 0)
        for word in (b"req-rep over inproc://bench, 5 B", b"20 in", b"msg/s", b"p99.9", b"max"):
            self.assertIn(word, out)

    def test_interrupt_prints_what_was_measured(self):
        endpoint = self.endpoint()
        server = self.start("bench", *SHORT, "--role", "server", "--endpoint", endpoint)
        server.wait_for_error(b"waits for a client")
        client = self.start("bench", "--warm-up", 0, "--role", "client", "--endpoint", endpoint, "--seconds", 100, "--rate", 5000)
        with self.assertRaises(support.subprocess.TimeoutExpired):
            client.process.wait(0.3)
        status, out, _ = server.stop()
        self.assertEqual(status, 130)
        self.assertGreater(json.loads(out)["messages"], 0)
        self.assertEqual(client.stop()[0], 130)

    def test_sizes_around_the_stamp_and_the_end(self):
        for size in (0, 1, 15, 16, 17):
            for pattern in ("push-pull", "req-rep"):
                self.assertEqual(self.bench("--pattern", pattern, "--size", size, "--count", 50)["messages"], 50, size)

    def test_chart(self):
        status, out, _ = self.run_zlink("bench", "--pattern", "req-rep", "--count", 200, "--warm-up", 0, "--chart")
        self.assertEqual(status, 0)
        rows = support.re.findall(rb"^  to [\d.]+ \w+ +#* +([\d.]+) %$", out, support.re.M)
        self.assertAlmostEqual(sum(map(float, rows)), 100, delta=0.5)
        self.assertEqual(sum(row["messages"] for row in self.bench("--pattern", "pair", "--count", 200)["histogram"]), 200)
        self.check_failure(2, ["--rate", "--pattern"], "bench", "--chart")

    def test_a_server_shows_no_latency_that_is_the_time_in_queues(self):
        for rate in (0, 1000):
            endpoint = self.endpoint()
            server = self.start("bench", *SHORT, "--role", "server", "--endpoint", endpoint)
            server.wait_for_error(b"waits for a client")
            self.run_zlink("bench", *SHORT, "--role", "client", "--count", 100, "--endpoint", endpoint, "--rate", rate)
            self.assertEqual("latency_us" in json.loads(server.finish()[1]), rate > 0)

    def test_keys_are_those_of_one_side(self):
        """Client and server of one process would have the same options, and wait for each other."""
        self.check_failure(2, ["--role server"], "bench", "--endpoint", self.endpoint(), "--curve-server", "--curve-secretkey", "x" * 40)

    def test_wrong_usage(self):
        self.check_failure(2, ["one process"], "bench", "--role", "server")
        self.check_failure(2, ["16 bytes"], "bench", "--rate", 5, "--size", 8)
        self.check_failure(2, ["push-pull|"], "bench", "--pattern", "ring")
        self.check_failure(1, ["cannot bind"], "bench", "--endpoint", "nonsense")
        self.check_failure(1, ["is silent", "--pattern"], "bench", "--role", "client", "--pattern", "req-rep", "--endpoint", self.endpoint(), "--timeout", 0.2)


if __name__ == "__main__":
    support.main()
