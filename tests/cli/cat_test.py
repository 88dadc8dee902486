#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink cat."""
import concurrent.futures
import json
import os
import signal
import socket
import subprocess

import support

ROUTER_LINE = b'["the answer"]'


class Cat(support.CommandTest):
    def pull(self, *arguments, endpoint=None):
        endpoint = endpoint or self.endpoint()
        return endpoint, self.start("cat", "--type", "PULL", "--bind", endpoint, "--timeout", support.DEADLINE, *arguments)

    def push(self, endpoint, data, *arguments):
        done = self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, "--timeout", support.DEADLINE, *arguments, data=data)
        self.assertEqual(done, (0, b"", b""))

    def transfer(self, data, count, sender=(), receiver=()):
        """What the receiver prints of the data that was sent."""
        endpoint, pull = self.pull("--count", count, *receiver)
        # The receiver's output is read meanwhile: it stops at a full pipe, and the sender at full queues.
        with concurrent.futures.ThreadPoolExecutor(1) as other:
            sent = other.submit(self.push, endpoint, data, *sender)
            status, out, errors = pull.finish()
            sent.result()
        self.assertEqual((status, errors), (0, b""))
        return out

    def test_lines_are_messages(self):
        self.assertEqual(self.transfer(b"one\n\nthree\n", 3), b"one\n\nthree\n")

    def test_the_last_line_needs_no_end(self):
        self.assertEqual(self.transfer(b"one\ntwo", 2), b"one\ntwo\n")

    def test_many_lines_arrive_in_order(self):
        lines = b"".join(b"line %d\n" % number for number in range(20000))
        self.assertEqual(self.transfer(lines, 20000), lines)

    def test_other_delimiters(self):
        out = self.transfer(b"a\0b\0", 2, ["--delimiter", "\\0"], ["--delimiter", "\\x2C\\n"])
        self.assertEqual(out, b"a,\nb,\n")

    def test_frames_of_lines(self):
        out = self.transfer(b"a|b|\n", 1, ["--frame-delimiter", "|"], ["--format", "json"])
        self.assertEqual(json.loads(out), ["a", "b", ""])
        out = self.transfer(b'["x","y"]\n', 1, ["--format", "json"])
        self.assertEqual(out, b"x\ty\n")

    def test_json_keeps_all_bytes(self):
        data = json.dumps(["text \u00e9", {"base64": "AP+A"}, ""]).encode() + b"\n" + b'"alone"\n'
        out = self.transfer(data, 2, ["--format", "json"], ["--format", "json"])
        self.assertEqual([json.loads(line) for line in out.splitlines()], [["text \u00e9", {"base64": "AP+A"}, ""], ["alone"]])

    def test_hex_keeps_all_bytes(self):
        out = self.transfer(b"00ff - 0A\n", 1, ["--format", "hex"], ["--format", "hex"])
        self.assertEqual(out, b"00ff - 0a\n")

    def test_raw_is_one_message(self):
        self.assertEqual(self.transfer(b"a\nb\n\0", 1, ["--format", "raw"], ["--format", "raw"]), b"a\nb\n\0")
        self.assertEqual(self.transfer(b"", 1, ["--format", "raw"], ["--format", "json"]), b'[""]\n')

    def test_files_are_messages(self):
        one, two = self.folder / "one", self.folder / "two"
        one.write_bytes(b"x\n" * 100000)
        two.write_bytes(b"")
        out = self.transfer(b"", 2, [one, two], ["--format", "hex"])
        self.assertEqual(out, b"780a" * 100000 + b"\n-\n")

    def test_publish_waits_for_its_subscriber(self):
        endpoint = self.endpoint()
        publisher = self.start("cat", "--bind", endpoint, "--topic", "cpu", "--wait-subscribers", 1, stdin=subprocess.PIPE)
        publisher.send(b"1\n2\n")
        publisher.process.stdin.close()
        publisher.process.stdin = None
        done = self.run_zlink("cat", "--connect", endpoint, "--subscribe", "cp", "--count", 2, "--timeout", support.DEADLINE)
        self.assertEqual(done, (0, b"cpu\t1\ncpu\t2\n", b""))
        self.assertEqual(publisher.finish()[0], 0)

    def test_a_topic_that_nobody_wants_is_not_received(self):
        endpoint = self.endpoint()
        publisher = self.start("cat", "--type", "XPUB", "--bind", endpoint, stdin=subprocess.PIPE)
        subscriber = self.start("cat", "--connect", endpoint, "--subscribe", "b", "--count", 1)
        self.assertEqual(publisher.read_line(), b"\x01b\n")
        publisher.send(b"apple\nbanana\n")
        self.assertEqual(subscriber.finish(), (0, b"banana\n", b""))

    def test_request_and_echo(self):
        endpoint = self.endpoint()
        server = self.start("cat", "--type", "REP", "--bind", endpoint, "--echo")
        done = self.run_zlink("cat", "--type", "REQ", "--connect", endpoint, "--timeout", support.DEADLINE, data=b"a\nb\n")
        self.assertEqual(done, (0, b"a\nb\n", b""))
        self.assertEqual(server.stop(), (0, b"a\nb\n", b""))

    def test_answers_come_from_the_input(self):
        endpoint = self.endpoint()
        server = self.start("cat", "--type", "REP", "--bind", endpoint, stdin=subprocess.PIPE)
        server.send(b"first\nsecond\n")
        client = ["cat", "--type", "REQ", "--connect", endpoint, "--timeout", support.DEADLINE]
        self.assertEqual(self.run_zlink(*client, data=b"q1\nq2\n"), (0, b"first\nsecond\n", b""))
        status, out, errors = server.finish()
        self.assertEqual((status, out, errors), (0, b"q1\nq2\n", b""))

    def test_a_router_answers_the_peer_that_it_heard(self):
        endpoint = self.endpoint()
        router = self.start("cat", "--type", "ROUTER", "--bind", endpoint, stdin=subprocess.PIPE)
        client = self.start("cat", "--type", "REQ", "--connect", endpoint, stdin=subprocess.PIPE)
        client.send(b"question\n")
        self.assertEqual(router.read_line(), b"question\n")
        router.send(b"answer\n")
        self.assertEqual(client.read_line(), b"answer\n")

    def test_a_router_in_json_has_ids(self):
        endpoint = self.endpoint()
        router = self.start("cat", "--type", "ROUTER", "--bind", endpoint, "--format", "json", stdin=subprocess.PIPE)
        dealer = self.start("cat", "--type", "DEALER", "--connect", endpoint, "--routing-id", "me", stdin=subprocess.PIPE)
        dealer.send(b"hello\n")
        self.assertEqual(json.loads(router.read_line()), ["me", "hello"])
        router.send(b'["me","back"]\n')
        self.assertEqual(dealer.read_line(), b"back\n")
        router.send(b'["nobody","x"]\n')
        status, _, errors = router.finish()
        self.assertEqual(status, 1)
        self.assertIn(b"no peer has that routing id", errors)

    def test_pair_both_ways(self):
        endpoint = self.endpoint()
        one = self.start("cat", "--type", "PAIR", "--bind", endpoint, stdin=subprocess.PIPE)
        two = self.start("cat", "--type", "PAIR", "--connect", endpoint, stdin=subprocess.PIPE)
        one.send(b"from one\n")
        self.assertEqual(two.read_line(), b"from one\n")
        two.send(b"from two\n")
        self.assertEqual(one.read_line(), b"from two\n")

    def test_stream_talks_to_a_plain_tcp_server(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            client = self.start("cat", "--type", "STREAM", "--connect", f"tcp://127.0.0.1:{server.getsockname()[1]}",
                                "--format", "raw", stdin=subprocess.PIPE)
            client.send(b"hello\n")
            client.process.stdin.close()
            client.process.stdin = None
            peer, _ = server.accept()
            with peer:
                peer.settimeout(support.DEADLINE)
                self.assertEqual(peer.recv(100), b"hello\n")
                peer.sendall(b"good bye")
            self.assertEqual(client.finish(), (0, b"good bye", b""))

    def test_a_wildcard_is_told(self):
        pull = self.start("cat", "--type", "PULL", "--bind", "tcp://127.0.0.1:*", "--count", 1)
        line = pull.wait_for_error(b"\n").decode()
        self.push(line.split("bound to ")[1].strip(), b"x\n")
        self.assertEqual(pull.finish()[:2], (0, b"x\n"))


class Ends(support.CommandTest):
    def test_interrupt_ends_with_what_was_received(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            endpoint = self.endpoint()
            pull = self.start("cat", "--type", "PULL", "--bind", endpoint)
            self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, data=b"a\nb\n")
            self.assertEqual([pull.read_line(), pull.read_line()], [b"a\n", b"b\n"])
            self.assertEqual(pull.stop(number), (0, b"", b""))

    def test_interrupt_before_the_count_is_told(self):
        pull = self.start("cat", "--type", "PULL", "--bind", "tcp://127.0.0.1:*", "--count", 3)
        pull.wait_for_error(b"bound")
        status, _, errors = pull.stop()
        self.assertEqual(status, 130)
        self.assertIn(b"stopped after 0 messages of 3", errors)

    def test_interrupt_while_nobody_takes_the_message(self):
        push = self.start("cat", "--type", "PUSH", "--bind", "tcp://127.0.0.1:*", stdin=subprocess.PIPE)
        push.wait_for_error(b"bound")
        push.send(b"x\n")
        status, _, errors = push.stop()
        self.assertIn(status, (0, 130))  # 0 if the signal was faster than the line
        self.assertNotIn(b"Traceback", errors)

    def test_a_closed_pipe_ends_without_a_word(self):
        endpoint = self.endpoint()
        reader, writer = os.pipe()
        os.close(reader)
        pull = self.start("cat", "--type", "PULL", "--bind", endpoint, stdout=writer)
        os.close(writer)
        self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, data=b"a\n")
        self.assertEqual(pull.process.wait(support.DEADLINE), 0)
        self.assertEqual(pull.process.stderr.read(), b"")

    def test_a_closed_standard_input_is_told(self):
        found = subprocess.run(f'"{support.COMMAND}" cat --type PUSH --bind {self.endpoint()} <&-', shell=True, check=False,
                               capture_output=True, timeout=support.DEADLINE)
        self.assertEqual(found.returncode, 1)
        self.assertIn(b"cannot read the standard input", found.stderr)

    def test_nobody_to_send_to(self):
        self.check_failure(1, ["no peer took a message within 0.1 s", "zlink ping"], "cat", "--type", "PUSH", "--connect",
                           self.endpoint(), "--timeout", 0.1, data=b"x\n")

    def test_nobody_to_receive_from(self):
        self.check_failure(1, ["no message within 0.1 s"], "cat", "--type", "PULL", "--connect", self.endpoint(), "--timeout", 0.1)

    def test_no_subscriber(self):
        self.check_failure(1, ["not enough subscribers", "1 more"], "cat", "--type", "PUB", "--bind", self.endpoint(), "--timeout", 0.1,
                           "--wait-subscribers", 1, data=b"x\n")

    def test_an_answer_that_does_not_come(self):
        endpoint = self.endpoint()
        self.start("cat", "--type", "ROUTER", "--bind", endpoint)
        self.check_failure(1, ["no answer within 0.3 s"], "cat", "--type", "REQ", "--connect", endpoint, "--timeout", 0.3, data=b"x\n")

    def test_bad_endpoints_say_what_to_write(self):
        for endpoint, word in (("nonsense", "write tcp://HOST:PORT"), ("ftp://x:1", "transport is unknown"),
                               ("tcp://192.0.2.1:5", "no interface"), (f"ipc://{self.folder}/no/x", "directory"),
                               ("ipc://" + "x" * 200, "too long")):
            with self.subTest(endpoint):
                self.check_failure(1, [word], "cat", "--type", "PULL", "--bind", endpoint)

    def test_an_address_in_use(self):
        pull = self.start("cat", "--type", "PULL", "--bind", "tcp://127.0.0.1:*")
        address = pull.wait_for_error(b"\n").decode().split("bound to ")[1].strip()
        self.check_failure(1, ["in use", "ss -tlnp"], "cat", "--type", "PULL", "--bind", address)

    def test_options_that_do_not_fit(self):
        end = ["--bind", self.endpoint()]
        for words, arguments in ((["which socket type"], end), (["--bind ENDPOINT"], ["--type", "PULL"]),
                                 (["PUSH|"], [*end, "--type", "FOO"]), (["for SUB"], [*end, "--type", "PULL", "--subscribe", "x"]),
                                 (["number"], [*end, "--type", "PULL", "--count", "-1"]),
                                 (["number"], [*end, "--type", "PULL", "--count", "many"]),
                                 (["escapes"], [*end, "--type", "PULL", "--delimiter", "\\q"]),
                                 (["cannot send"], [*end, "--type", "PULL", "--send-only"])):
            with self.subTest(arguments):
                self.check_failure(2, words, "cat", *arguments)

    def test_messages_before_bad_input_arrive(self):
        endpoint, body = self.endpoint(), b"x" * (8 << 20)  # more than the buffers of a connection hold
        pull = self.start("cat", "--type", "PULL", "--bind", endpoint, "--count", 1)
        done = self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, "--format", "json", data=b'["' + body + b'"]\n{\n')
        self.assertEqual(done[0], 1)
        self.assertEqual(pull.finish()[1], body + b"\n")

    def test_bad_input_names_the_message(self):
        endpoint = self.endpoint()
        self.start("cat", "--type", "PULL", "--bind", endpoint)
        for form, line, word in (("json", b"{", "not JSON"), ("json", b"[1]", "base64"), ("json", b'[{"base64":"A"}]', "length"),
                                 ("json", b"[]", "at least one frame"), ("hex", b"0g", "not hex"), ("hex", b"0", "not hex")):
            with self.subTest(line):
                self.check_failure(1, ["message 1 of the input", word], "cat", "--type", "PUSH", "--connect", endpoint,
                                   "--format", form, data=line + b"\n")


class Secured(support.CommandTest):
    def make_keys(self, name):
        self.assertEqual(self.run_zlink("keygen", "--public", self.folder / f"{name}.pub", "--secret", self.folder / f"{name}.key")[0], 0)
        return f"@{self.folder}/{name}.pub", f"@{self.folder}/{name}.key"

    def serve(self, *arguments):
        endpoint = self.endpoint()
        return endpoint, self.start("cat", "--type", "PULL", "--bind", endpoint, "--count", 1, *arguments)

    def test_curve_with_keys_from_files(self):
        public, secret = self.make_keys("server")
        endpoint, server = self.serve("--curve-server", "--curve-secretkey", secret)
        done = self.run_zlink("cat", "--type", "PUSH", "--connect", endpoint, "--curve-serverkey", public, data=b"secret\n")
        self.assertEqual(done, (0, b"", b""))
        self.assertEqual(server.finish(), (0, b"secret\n", b""))

    def test_curve_admits_known_keys_only(self):
        public, secret = self.make_keys("server")
        known, mine = self.make_keys("me")
        endpoint, server = self.serve("--curve-server", "--curve-secretkey", secret, "--curve-allow", known)
        client = ["cat", "--type", "PUSH", "--connect", endpoint, "--curve-serverkey", public]
        self.check_failure(1, ["no peer took"], *client, "--timeout", 0.3, data=b"x\n")
        self.assertIn(b"refused a peer", server.wait_for_error(b"\n"))
        self.assertEqual(self.run_zlink(*client, "--curve-secretkey", mine, data=b"mine\n")[0], 0)
        self.assertEqual(server.finish()[:2], (0, b"mine\n"))

    def test_plain_admits_known_users_only(self):
        users = self.folder / "users"
        users.write_text("# comment\nada:pass word\n")
        endpoint, server = self.serve("--plain-server", "--plain-allow", f"@{users}")
        client = ["cat", "--type", "PUSH", "--connect", endpoint, "--plain-username", "ada", "--plain-password"]
        self.check_failure(1, ["no peer took"], *client, "wrong", "--timeout", 0.3, data=b"x\n")
        password = self.folder / "password"
        password.write_text("pass word\n")
        self.assertEqual(self.run_zlink(*client, f"@{password}", data=b"x\n")[0], 0)
        self.assertEqual(server.finish()[:2], (0, b"x\n"))

    def test_a_key_may_begin_with_the_sign_of_files(self):
        secret = "@0000" + "11111" * 7
        endpoint = self.endpoint()
        for argument in (secret, f"@{self.folder}/at.key"):
            (self.folder / "at.key").write_text(secret + "\n")
            server = self.start("cat", "--type", "PULL", "--bind", endpoint, "--curve-server", "--curve-secretkey", argument, "--timeout", 0.1)
            self.assertIn(b"no message within", server.finish()[2])

    def test_bad_keys_and_pairs_are_told(self):
        one, secret = self.make_keys("one")
        two, _ = self.make_keys("two")
        start = ["cat", "--type", "PUSH", "--connect", self.endpoint()]
        self.check_failure(1, ["--curve-serverkey is no key", "zlink keygen"], *start, "--curve-serverkey", "short")
        self.check_failure(1, ["write @FILE"], *start, "--curve-serverkey", one[1:])
        self.check_failure(1, ["cannot read", "No such file"], *start, "--curve-serverkey", "@no-such-file")
        self.check_failure(1, ["does not belong"], *start, "--curve-serverkey", one, "--curve-publickey", two, "--curve-secretkey", secret)
        self.check_failure(2, ["one mechanism"], *start, "--curve-serverkey", one, "--plain-username", "x")
        self.check_failure(2, ["--plain-allow"], *start, "--plain-server")
        self.check_failure(2, ["--curve-secretkey"], *start, "--curve-server")


class DraftTypes(support.CommandTest):
    def exchange(self, first, second, lines, *, data=b"", endpoint=None):
        """Starts the one that receives, and lets the other one send; what the first has printed."""
        endpoint = endpoint or self.endpoint()
        receiver = self.start("cat", *first, "--bind", endpoint, "--count", lines, "--format", "json", "--timeout", support.DEADLINE)
        done = self.run_zlink("cat", *second, "--connect", endpoint, "--timeout", support.DEADLINE, data=data)
        self.assertEqual((done[0], done[2]), (0, b""))
        status, out, errors = receiver.finish()
        self.assertEqual((status, errors), (0, b""))
        return [json.loads(line) for line in out.splitlines()]

    def test_scatter_and_gather(self):
        self.assertEqual(self.exchange(["--type", "GATHER"], ["--type", "SCATTER"], 2, data=b"a\nb\n"), [["a"], ["b"]])

    def test_channel(self):
        self.assertEqual(self.exchange(["--type", "CHANNEL"], ["--type", "CHANNEL", "--send-only"], 1, data=b"a\n"), [["a"]])

    def test_radio_and_dish(self):
        endpoint = self.endpoint()
        dish = self.start("cat", "--type", "DISH", "--subscribe", "g", "--bind", endpoint, "--count", 1, "--format", "json")
        # The group is not known to the RADIO until it has come; nobody tells when.
        radio = self.start("cat", "--type", "RADIO", "--topic", "g", "--connect", endpoint, "--rate", 20, stdin=subprocess.PIPE)
        radio.send(b"x\n" * 1000)
        self.assertEqual(dish.finish()[:2], (0, b'["g","x"]\n'))

    def test_server_answers_the_client_that_was_heard_last(self):
        endpoint = self.endpoint()
        server = self.start("cat", "--type", "SERVER", "--bind", endpoint, stdin=subprocess.PIPE)
        client = self.start("cat", "--type", "CLIENT", "--connect", endpoint, "--count", 1, stdin=subprocess.PIPE)
        client.send(b"question\n")
        self.assertEqual(server.read_line(), b"question\n")
        server.send(b"answer\n")
        self.assertEqual(client.finish()[:2], (0, b"answer\n"))

    def test_server_shows_the_number_of_the_peer(self):
        number, text = self.exchange(["--type", "SERVER"], ["--type", "CLIENT", "--send-only"], 1, data=b"a\n")[0]
        self.assertEqual((number.isdigit(), text), (True, "a"))
        self.check_failure(1, ["no peer has that number"], "cat", "--type", "SERVER", "--bind", self.endpoint(), "--format", "json", data=b'["7","x"]\n')

    def test_wrong_usage(self):
        self.check_failure(2, ["--subscribe GROUP"], "cat", "--type", "DISH", "--bind", self.endpoint())
        self.check_failure(1, ["--topic"], "cat", "--type", "RADIO", "--bind", self.endpoint(), data=b"x\n")


if __name__ == "__main__":
    support.main()
