#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink run. The programs load the system's libzmq, or bring one under another name, as wheels do."""
import ctypes.util
import os
import shutil
import signal
import subprocess
import sys

import support

LIBZMQ = "/usr/lib/x86_64-linux-gnu/libzmq.so.5" if os.path.exists("/usr/lib/x86_64-linux-gnu/libzmq.so.5") else ctypes.util.find_library("zmq")
# Succeeds if zmq_getsockopt knows an option that only zlink has. The process then looks for zmq_* as a linked program does: by scope.
ASK = """
import ctypes, sys
own = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
zmq = ctypes.CDLL(None)
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
zmq.zmq_socket.argtypes = [ctypes.c_void_p, ctypes.c_int]
zmq.zmq_getsockopt.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
value, size = ctypes.c_uint64(), ctypes.c_size_t(8)
print(zmq.zmq_getsockopt(zmq.zmq_socket(zmq.zmq_ctx_new(), 0), 10001, ctypes.byref(value), ctypes.byref(size)))
"""
PYTHON = os.path.realpath(sys.executable)


class Run(support.CommandTest):
    def run_python(self, code, *arguments, options=()):
        return self.run_zlink("run", *options, PYTHON, "-c", code, *arguments)

    def test_the_programs_calls_reach_zlink(self):
        bundled = self.folder / "libzmq-1f4b.so.5.2.5"
        shutil.copy(LIBZMQ, bundled)
        for library in (LIBZMQ, bundled):
            plain = subprocess.run([PYTHON, "-c", ASK, library], capture_output=True, check=True)
            self.assertEqual(plain.stdout, b"-1\n")
            self.assertEqual(self.run_python(ASK, library), (0, b"0\n", b""))

    def test_verbose_names_the_file(self):
        status, _, errors = self.run_python("import time; time.sleep(0.2)", options=["--verbose"])
        self.assertEqual(status, 0)
        self.assertIn(f"zlink was loaded from {os.path.realpath(os.environ['ZLINK_COMPAT'])}".encode(), errors)

    def test_a_program_that_clears_the_preload_is_told(self):
        status, _, errors = self.run_zlink("run", "env", "-u", "LD_PRELOAD", "sleep", "0.3")
        self.assertEqual(status, 0)
        # `env` itself may be seen with the library before it becomes the other program.
        self.assertRegex(errors, b"ran without zlink|no longer has zlink")
        status, _, errors = self.run_python("import os, sys; os.execve(sys.argv[1], ['sleep', '0.3'], {})", shutil.which("sleep"))
        self.assertIn(b"no longer has zlink", errors)

    def test_a_program_that_is_seen_as_it_ends(self):
        # Its list of files is cut off then. Without a check one run in some hundreds said that zlink was lost.
        for run in range(60):
            status, _, errors = self.run_zlink("run", "--verbose", "sleep", f"0.{run:03}")
            self.assertEqual(status, 0)
            self.assertRegex(errors, b"zlink was loaded from|ended too soon")

    def test_a_static_program_is_refused(self):
        source, program = self.folder / "a.c", self.folder / "a"
        source.write_text("int main(void) { return 0; }\n")
        subprocess.run([os.environ.get("CC", "cc"), "-static", "-o", program, source], check=True)
        self.check_failure(1, ["linked statically", "docs/MIGRATING.md"], "run", program)

    def test_status_arguments_and_streams_are_the_programs(self):
        code = "import sys; sys.stdout.write(sys.stdin.read() + ' '.join(sys.argv[1:])); sys.exit(7)"
        done = self.run_zlink("run", "--quiet", PYTHON, "-c", code, "--count", "-h", data=b"in ")
        self.assertEqual(done, (7, b"in --count -h", b""))

    def test_a_program_that_is_killed(self):
        status, _, errors = self.run_python("import os; os.kill(os.getpid(), 9)", options=["-q"])
        self.assertEqual(status, 128 + 9)
        self.assertIn(b"signal 9", errors)

    def test_terminate_reaches_the_program(self):
        code = ("import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\n"
                "print('ready', flush=True)\nsignal.pause()")
        running = self.start("run", PYTHON, "-c", code)
        self.assertEqual(running.read_line(), b"ready\n")
        self.assertEqual(running.stop(signal.SIGTERM)[0], 5)

    def test_two_dashes_before_a_program(self):
        self.assertEqual(self.run_zlink("run", "-q", "--", "sh", "-c", "echo $1", "--", "--x"), (0, b"--x\n", b""))
        self.assertEqual(self.run_zlink("run", "-q", "sh", "-c", "echo $1", "--", "--x"), (0, b"--x\n", b""))

    def test_no_program(self):
        self.check_failure(2, ["which program"], "run")
        self.check_failure(127, ["no program", "PATH"], "run", "no-such-program-here")
        self.check_failure(127, ["No such file"], "run", self.folder / "none")
        self.check_failure(126, ["no executable"], "run", self.folder)
        self.check_failure(1, ["cannot read", "No such file"], "run", "--library", self.folder / "none", "true")


if __name__ == "__main__":
    support.main()
