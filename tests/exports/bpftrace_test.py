#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""What the scripts of examples/bpftrace print about a program with events of each kind. Leaves itself out where bpftrace cannot trace.

Usage: bpftrace_test.py SCRIPTS LIBRARY
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

LIBRARY, SCRIPTS = os.path.abspath(sys.argv.pop()), sys.argv.pop()
# Ten times a second: a PUSH sends 5 bytes to a PULL, a PUB drops a message, a send waits 20 ms in vain, and a peer comes and goes.
# An attempt to connect fails each second.
PROGRAM = """
import ctypes, sys, time
zmq = ctypes.CDLL(sys.argv[1])
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
context = ctypes.c_void_p(zmq.zmq_ctx_new())
push, pub, pull, wait, lost = (ctypes.c_void_p(zmq.zmq_socket(context, kind)) for kind in (8, 1, 7, 8, 5))
def bound(socket):
    where, size = ctypes.create_string_buffer(100), ctypes.c_size_t(100)
    zmq.zmq_bind(socket, b"tcp://127.0.0.1:*")
    zmq.zmq_getsockopt(socket, 32, where, ctypes.byref(size))
    return where
zmq.zmq_connect(pull, bound(push))
zmq.zmq_setsockopt(wait, 28, ctypes.byref(ctypes.c_int(20)), 4)
zmq.zmq_setsockopt(lost, 18, ctypes.byref(ctypes.c_int(1000)), 4)
zmq.zmq_connect(lost, b"tcp://127.0.0.1:1")
text, to = ctypes.create_string_buffer(100), bound(pub)
print(push.value, pull.value, flush=True)
while True:
    zmq.zmq_send(push, b"12345", 5, 0)
    zmq.zmq_recv(pull, text, 100, 0)
    zmq.zmq_send(pub, b"dropped", 7, 0)
    zmq.zmq_send(wait, b"nobody", 6, 0)
    peer = ctypes.c_void_p(zmq.zmq_socket(context, 2))
    zmq.zmq_connect(peer, to)
    time.sleep(0.08)
    zmq.zmq_close(peer)
"""


def why_not():
    """What keeps bpftrace from tracing here; nothing if it can."""
    begin = time.monotonic()
    if shutil.which("bpftrace") is None or os.geteuid() != 0:
        return "bpftrace is not installed, or this is not root"
    # The probe BEGIN is a place in the program bpftrace itself, which the kernel has to stop at.
    probe = ["bpftrace", "-e", 'BEGIN { printf("traces\\n"); exit(); }']
    try:
        done = subprocess.run(probe, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "bpftrace takes more than a minute for one probe here"
    Scripts.start_seconds = time.monotonic() - begin
    if Scripts.start_seconds > 5:
        return f"bpftrace takes {Scripts.start_seconds:.0f} s for one probe here"
    return "" if "\ntraces\n" in done.stdout else f"bpftrace does not trace here: {done.stdout}{done.stderr}"


class Scripts(unittest.TestCase):
    start_seconds = 0.0  # what bpftrace takes for one probe here; a script has more

    def setUp(self):
        self.program = subprocess.Popen([sys.executable, "-c", PROGRAM, LIBRARY], stdout=subprocess.PIPE, text=True)
        self.addCleanup(self.program.wait)
        self.addCleanup(self.program.kill)
        self.addCleanup(self.program.stdout.close)
        self.push, self.pull = self.program.stdout.readline().split()

    def expect(self, script, *wanted):
        """Every pattern is in what the script says until it is ended: soon, or later while the machine does other work."""
        soon = 3 + 4 * self.start_seconds
        for seconds in (soon, 3 * soon):
            tracer = subprocess.Popen(["bpftrace", "-p", str(self.program.pid), os.path.join(SCRIPTS, script)],
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.addCleanup(tracer.stdout.close)
            self.addCleanup(tracer.wait)
            self.addCleanup(tracer.kill)
            time.sleep(seconds)
            tracer.send_signal(signal.SIGINT)
            said, _ = tracer.communicate(timeout=60)
            missing = [pattern for pattern in wanted if not re.search(pattern, said, re.M)]
            if not missing:
                return
        self.fail(f"{script} did not say {missing}, but:\n{said}")

    def test_rates(self):
        self.expect("rates.bt", rf"^@sent\[{self.push}\]: \d+$", rf"^@received_bytes\[{self.pull}\]: \d{{1,3}}$", r"^\[4, 8\) +\d+ \|@@@")

    def test_drops(self):
        self.expect("drops.bt", r"^@dropped\[\d+, no subscriber\]: \d+$")

    def test_blocked(self):
        self.expect("blocked.bt", r"^@waited_us\[\d+\]:", r"^\[16K, 32K\) +\d+ \|@@@")

    def test_connections(self):
        self.expect("connections.bt", r"^..:..:.. socket \d+: connected with 127\.0\.0\.1$", r"socket \d+: ended: the peer closed, or it was lost$",
                    r"socket \d+: ended: connect failed$")


if __name__ == "__main__":
    if reason := why_not():
        print(reason)
        sys.exit(77)
    unittest.main(verbosity=1)
