#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""The probes of the library: their names, and what they tell a tracer (here gdb). Leaves itself out where sys/sdt.h was not found.

Usage: probes_test.py LIBRARY
"""
import os
import re
import shutil
import subprocess
import sys
import unittest

LIBRARY = os.path.abspath(sys.argv.pop())
WITH_ARGUMENTS = {"socket": 3, "send": 2, "receive": 2, "drop": 3, "block": 1, "unblock": 2, "connect": 2, "disconnect": 2}
# A PUSH that blocks for 20 ms, has a peer, and sends it 5 bytes; a PUB whose message nobody wants; the peer goes.
PROGRAM = """
import ctypes, sys, time
zmq = ctypes.CDLL(sys.argv[1])
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
context = ctypes.c_void_p(zmq.zmq_ctx_new())
push, pub, pull = (ctypes.c_void_p(zmq.zmq_socket(context, kind)) for kind in (8, 1, 7))
where, size = ctypes.create_string_buffer(100), ctypes.c_size_t(100)
zmq.zmq_setsockopt(push, 28, ctypes.byref(ctypes.c_int(20)), 4)
zmq.zmq_bind(push, b"tcp://127.0.0.1:*")
zmq.zmq_getsockopt(push, 32, where, ctypes.byref(size))
zmq.zmq_send(push, b"nobody", 6, 0)
zmq.zmq_connect(pull, where)
zmq.zmq_setsockopt(push, 28, ctypes.byref(ctypes.c_int(-1)), 4)
zmq.zmq_send(push, b"12345", 5, 0)
zmq.zmq_recv(pull, where, 100, 0)
zmq.zmq_send(pub, b"dropped", 7, 0)
zmq.zmq_close(pull)
time.sleep(0.3)
"""


def probes():
    notes = subprocess.run(["readelf", "--notes", LIBRARY], capture_output=True, text=True, check=True).stdout
    return re.findall(r"Provider: zlink\s+Name: (\w+)\s+Location:[^\n]*\s+Arguments:([^\n]*)", notes)


class Probes(unittest.TestCase):
    def test_names_and_arguments(self):
        found = {name: len(arguments.split()) for name, arguments in probes()}
        self.assertEqual(found, WITH_ARGUMENTS)

    @unittest.skipUnless(shutil.which("gdb"), "gdb is not installed")
    def test_what_they_tell(self):
        script = ["set breakpoint pending on", "set confirm off"]
        for name, count in WITH_ARGUMENTS.items():
            shown = ", ".join(f"$_probe_arg{index}" for index in range(count))
            script += [f"break -probe-stap zlink:{name}", "commands", "silent", f'printf "{name}' + " %ld" * count + f'\\n", {shown}',
                       "cont", "end"]
        script += ["run"]
        file = os.path.join(os.environ.get("TMPDIR", "/tmp"), f"probes.{os.getpid()}.gdb")
        with open(file, "w", encoding="ascii") as written:
            written.write("\n".join(script) + "\n")
        self.addCleanup(os.remove, file)
        out = subprocess.run(["gdb", "-batch", "-nx", "-x", file, "--args", sys.executable, "-c", PROGRAM, LIBRARY],
                             capture_output=True, text=True, timeout=100, check=False).stdout
        told = [(line.split()[0], [int(word) for word in line.split()[1:]]) for line in out.splitlines()
                if re.fullmatch(r"\w+( -?\d+)+", line) and line.split()[0] in WITH_ARGUMENTS]

        def of(name):
            return [arguments for one, arguments in told if one == name]
        (push, push_id, _), (pub, pub_id, _), (pull, pull_id, _) = of("socket")
        self.assertEqual([kind for _, _, kind in of("socket")], [8, 1, 7])
        self.assertEqual(of("block")[0], [push_id])
        self.assertEqual(of("unblock")[0][0], push_id)
        self.assertGreaterEqual(of("unblock")[0][1], 20_000_000)
        self.assertEqual(of("send"), [[push, 5], [pub, 7]])
        self.assertEqual(of("receive"), [[pull, 5]])
        self.assertEqual(of("drop"), [[pub_id, 1, 1]])
        self.assertEqual(sorted(socket for socket, _ in of("connect")), sorted([push_id, pull_id]))
        self.assertIn([push_id, 1], of("disconnect"))  # the peer


if __name__ == "__main__":
    if not probes():
        print("the library has no probes")
        sys.exit(77)
    unittest.main(verbosity=1)
