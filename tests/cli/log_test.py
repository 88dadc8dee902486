#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""ZLINK_LOG: lines about the connections of a program, on stderr or in a file."""
import collections
import json
import os
import re
import socket
import subprocess
import sys
import time

import support

# A PULL and a PUSH that exchange a message; argument: where they meet.
PROGRAM = """
import ctypes, os, sys
zmq = ctypes.CDLL(os.environ["ZLINK_COMPAT"])
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
context = ctypes.c_void_p(zmq.zmq_ctx_new())
pull = ctypes.c_void_p(zmq.zmq_socket(context, 7))
push = ctypes.c_void_p(zmq.zmq_socket(context, 8))
assert zmq.zmq_bind(pull, sys.argv[1].encode()) == 0
assert zmq.zmq_connect(push, sys.argv[1].encode()) == 0
assert zmq.zmq_send(push, b"text", 4, 0) == 4
assert zmq.zmq_recv(pull, ctypes.create_string_buffer(9), 9, 0) == 4
other = ctypes.c_void_p(zmq.zmq_socket(context, 7))
if sys.argv[1].startswith("tcp"):
    assert zmq.zmq_bind(other, sys.argv[1].encode()) == -1
zmq.zmq_close(other)
zmq.zmq_close(push)
zmq.zmq_close(pull)
zmq.zmq_ctx_term(context)
print("done", flush=True)
"""
# A PULL to which many come that speak no ZMTP; argument: how many. It ends when the log has told of so many.
VICTIM = """
import ctypes, json, os, socket, sys
zmq = ctypes.CDLL(os.environ["ZLINK_COMPAT"])
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
context = ctypes.c_void_p(zmq.zmq_ctx_new())
pull = ctypes.c_void_p(zmq.zmq_socket(context, 7))
assert zmq.zmq_setsockopt(pull, 19, ctypes.byref(ctypes.c_int(1000)), 4) == 0
assert zmq.zmq_bind(pull, b"tcp://127.0.0.1:*") == 0
endpoint, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
assert zmq.zmq_getsockopt(pull, 32, endpoint, ctypes.byref(size)) == 0
def strangers(count): # at once: more than the log has lines for in a second
    peers = [socket.create_connection(("127.0.0.1", int(endpoint.value.rsplit(b":")[-1]))) for _ in range(count)]
    for peer in peers:
        peer.sendall(b"\\xff\\0\\0\\0\\0\\0\\0\\0\\1\\x7f\\3\\0NOT-A-MECHANISM\\0\\0\\0\\0\\0" + bytes(32))
    for peer in peers:
        while peer.recv(4096):
            pass
        peer.close()
strangers(int(sys.argv[1]))
def told():
    rows = [json.loads(line) for line in open(os.environ["ZLINK_LOG_FILE"])]
    return sum(row.get("count", row["event"].startswith("handshake_failed")) for row in rows)
while told() < int(sys.argv[1]):
    strangers(1)
zmq.zmq_close(pull)
zmq.zmq_ctx_term(context)
"""
# A process and its child have a context each.
FORKED = """
import ctypes, os
zmq = ctypes.CDLL(os.environ["ZLINK_COMPAT"])
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
def use():
    context = ctypes.c_void_p(zmq.zmq_ctx_new())
    pull = ctypes.c_void_p(zmq.zmq_socket(context, 7))
    assert zmq.zmq_bind(pull, b"tcp://127.0.0.1:*") == 0
    zmq.zmq_close(pull)
    zmq.zmq_ctx_term(context)
use()
child = os.fork()
use()
if child == 0:
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z zlink\[\d+\] (\w+) (\w+) socket=(\w+)#\d+( \w+=(\"[^\"]*\"|\S+))*")


class Log(support.CommandTest):
    def run_program(self, endpoint, stderr=subprocess.PIPE, **variables):
        environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
        done = subprocess.run([sys.executable, "-c", PROGRAM, endpoint], env=environment, stdout=subprocess.PIPE, stderr=stderr,
                              timeout=support.DEADLINE, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, b"done\n"), done.stderr)
        return (done.stderr or b"").decode()

    def free_port(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            return free.getsockname()[1]

    def events(self, text):
        """(level, event, type) of each line."""
        found = []
        for line in text.splitlines():
            matched = LINE.fullmatch(line)
            self.assertIsNotNone(matched, line)
            found.append(matched.group(1, 2, 3))
        return found

    def test_nothing_is_said_unless_it_is_asked_for(self):
        self.assertEqual(self.run_program(self.endpoint()), "")
        self.assertEqual(self.run_program(self.endpoint(), ZLINK_LOG="off"), "")
        self.assertEqual(self.run_program(self.endpoint(), ZLINK_LOG="warning"), "")

    def test_a_wrong_level_is_reported_and_ignored(self):
        said = self.run_program(self.endpoint(), ZLINK_LOG="loud")
        self.assertEqual(said.splitlines(), ["zlink: ZLINK_LOG=loud: not a value that it takes (off, error, warning, info, debug); ignored"])

    def test_info_has_a_line_for_each_event(self):
        found = self.events(self.run_program(self.endpoint(), ZLINK_LOG="info"))
        for expected in (("info", "listening", "PULL"), ("info", "accepted", "PULL"), ("info", "connected", "PUSH"),
                         ("info", "handshake_succeeded", "PUSH"), ("info", "handshake_succeeded", "PULL")):
            self.assertEqual(found.count(expected), 1, found)
        self.assertNotIn("debug", {level for level, _, _ in found})

    def test_debug_has_more_and_error_has_less(self):
        endpoint = f"tcp://127.0.0.1:{self.free_port()}"
        self.assertIn(("debug", "connect_delayed", "PUSH"), self.events(self.run_program(endpoint, ZLINK_LOG="debug")))
        self.assertEqual(self.events(self.run_program(endpoint, ZLINK_LOG="error")), [("error", "bind_failed", "PULL")])

    def test_json_goes_to_a_file_that_grows(self):
        file = self.folder / "log"
        for rounds in (1, 2):
            said = self.run_program(self.endpoint(), ZLINK_LOG="info", ZLINK_LOG_FORMAT="json", ZLINK_LOG_FILE=file)
            self.assertEqual(said, "")
            rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
            self.assertEqual([row["event"] for row in rows].count("accepted"), rounds)
            accepted = [row for row in rows if row["event"] == "accepted"][-1]
            self.assertEqual((accepted["type"], accepted["level"]), ("PULL", "info"))
            self.assertTrue(accepted["local"].startswith("ipc://"))
        self.assertEqual(file.stat().st_mode & 0o007, 0)

    def test_ends_have_a_reason(self):
        said = self.run_program(self.endpoint(), ZLINK_LOG="info")
        self.assertRegex(said, r"disconnected socket=PUSH#\d+ .*reason=\"local\"")
        self.assertRegex(said, r"disconnected socket=PULL#\d+ .*reason=\"(peer|local)\"")
        self.assertEqual(said.count(" disconnected "), 2, said)

    def test_a_file_that_cannot_be_made_is_reported_once(self):
        said = self.run_program(self.endpoint(), ZLINK_LOG="debug", ZLINK_LOG_FILE="/no/such/folder/log")
        self.assertEqual(said, "zlink: ZLINK_LOG_FILE=/no/such/folder/log: No such file or directory; lines are lost\n")

    def test_a_full_disk_stops_nothing(self):
        self.assertEqual(self.run_program(self.endpoint(), ZLINK_LOG="debug", ZLINK_LOG_FILE="/dev/full"), "")

    def test_a_closed_stderr_stops_nothing(self):
        """Its number then belongs to a descriptor of the library's."""
        for endpoint in (self.endpoint(), "tcp://127.0.0.1:" + str(self.free_port())):
            environment = {**os.environ, "ZLINK_LOG": "debug", "ZLINK_RUNTIME_DIR": str(self.folder)}
            done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", PROGRAM, endpoint], env=environment,
                                  stdout=subprocess.PIPE, timeout=support.DEADLINE, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, b"done\n"))

    def test_an_endpoint_forges_no_line(self):
        forged = "\n2026-01-01T00:00:00.000000Z zlink[1] info accepted socket=PULL#1"
        endpoint = f"ipc://{self.folder}/a \"b{forged}"
        said = self.run_program(endpoint, ZLINK_LOG="info")
        self.assertTrue(self.events(said))
        self.assertNotIn(" accepted socket=PULL#1 ", said)
        said = self.run_program(endpoint + "2", ZLINK_LOG="info", ZLINK_LOG_FORMAT="json")
        for line in said.splitlines():
            self.assertIn("event", json.loads(line))

    def test_failing_handshakes_do_not_flood_it(self):
        file, strangers = self.folder / "log", 300
        environment = {**os.environ, "ZLINK_LOG": "warning", "ZLINK_LOG_FORMAT": "json", "ZLINK_LOG_FILE": str(file)}
        begin = time.monotonic()
        subprocess.run([sys.executable, "-c", VICTIM, str(strangers)], env=environment, timeout=support.DEADLINE, check=True)
        seconds = time.monotonic() - begin
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        failed = [row for row in rows if row["event"].startswith("handshake_failed")]
        left_out = sum(row["count"] for row in rows if row["event"] == "lines_left_out")
        self.assertTrue(all(row["reason"] for row in failed), failed[:3])
        self.assertLessEqual(len(failed), 100 * (seconds + 2))
        self.assertGreater(left_out, 0)
        self.assertGreaterEqual(len(failed) + left_out, strangers)

    def test_a_child_writes_lines_of_its_own(self):
        file = self.folder / "log"
        environment = {**os.environ, "ZLINK_LOG": "info", "ZLINK_LOG_FORMAT": "json", "ZLINK_LOG_FILE": str(file)}
        subprocess.run([sys.executable, "-c", FORKED], env=environment, timeout=support.DEADLINE, check=True)
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        listening = collections.Counter(row["pid"] for row in rows if row["event"] == "listening")
        self.assertEqual(sorted(listening.values()), [1, 2])

    def test_a_stderr_that_nobody_reads_stops_nothing(self):
        reads, writes = os.pipe()
        os.set_blocking(writes, False)
        try:
            while True:
                os.write(writes, b"x" * 65536)
        except BlockingIOError:
            os.set_blocking(writes, True)
        self.run_program(self.endpoint(), stderr=writes, ZLINK_LOG="debug") # it is full
        os.close(reads)
        self.run_program(self.endpoint(), stderr=writes, ZLINK_LOG="debug") # nobody is there
        os.close(writes)


if __name__ == "__main__":
    support.main()
