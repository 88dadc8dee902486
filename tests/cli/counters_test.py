#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""zlink ls, stats, top and metrics: they look into other processes, which do nothing for it."""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

import support


# Sends three messages to nobody, says so, and goes on until its input ends.
SENDER = """
import ctypes, os, sys
zmq = ctypes.CDLL(os.environ["ZLINK_COMPAT"])
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
push = ctypes.c_void_p(zmq.zmq_socket(ctypes.c_void_p(zmq.zmq_ctx_new()), int(sys.argv[2])))
zmq.zmq_connect(push, sys.argv[1].encode())
for word in (b"one", b"two", b"three"):
    zmq.zmq_send(push, word, len(word), 0)
print("sent", flush=True)
sys.stdin.read()
os._exit(0)
"""


class Counters(support.CommandTest):
    def watched(self, socket_type=8, **options):
        """A process with a socket, a PUSH if not told, that has sent 3 messages to nobody."""
        started = support.Running([SENDER, self.endpoint(), str(socket_type)], command=[sys.executable, "-c"], stdin=subprocess.PIPE, **options)
        self.addCleanup(started.kill)
        self.assertEqual(started.read_line(), b"sent\n")
        return started

    def eventually(self, condition):
        end = time.monotonic() + support.DEADLINE
        while not condition():
            self.assertLess(time.monotonic(), end, "it did not come true")
            time.sleep(0.02)

    def test_ls_lists_a_process(self):
        process = self.watched()
        status, out, errors = self.run_zlink("ls", "--json")
        self.assertEqual((status, errors), (0, b""))
        row = next(row for row in json.loads(out) if row["pid"] == process.process.pid)
        self.assertEqual((row["program"][:7], row["sockets"], row["sent"], row["queued"]), ("python3", 1, 3, 3))
        status, out, _ = self.run_zlink("ls")
        self.assertEqual(status, 0)
        self.assertIn(str(process.process.pid).encode(), out)

    def test_stats_shows_sockets_and_peers_of_a_stopped_process(self):
        process = self.watched()
        pid = str(process.process.pid)

        def first_io_thread():
            return json.loads(self.run_zlink("stats", pid, "--json")[1])["contexts"][0]["io_thread_list"][0]

        self.eventually(lambda: first_io_thread().get("busy", 0) > 0)  # it may not have run yet
        process.process.send_signal(signal.SIGSTOP)
        self.addCleanup(process.process.send_signal, signal.SIGCONT)
        status, out, errors = self.run_zlink("stats", pid)
        self.assertEqual((status, errors), (0, b""))
        for words in (b"socket PUSH", b"ipc://", b"not connected", b"queued.out 3", b"I/O thread"):
            self.assertIn(words, out)
        self.assertGreater(first_io_thread()["busy"], 0)
        status, out, _ = self.run_zlink("stats", pid, "--json")
        context = json.loads(out)["contexts"][0]
        socket = context["socket_list"][0]
        self.assertEqual((socket["type"], socket["sent.messages"], socket["peer_list"][0]["queued.out"]), ("PUSH", 3, 3))

    def test_a_file_tells_of_a_process_after_its_death(self):
        process = self.watched(env={**os.environ, "ZLINK_RUNTIME_DIR": str(self.folder)})
        process.process.kill()
        process.finish()
        file = next(self.folder.glob("zlink-counters.*"))
        status, out, _ = self.run_zlink("stats", str(file), "--json")
        self.assertEqual(status, 0)
        context = json.loads(out)["contexts"][0]
        self.assertEqual((context["pid"], context["sent.messages"]), (process.process.pid, 3))
        rows = json.loads(self.run_zlink("top", str(file), "--once", "--json", "--interval", "0.1")[1])
        self.assertEqual([(row["pid"], row["queued"]) for row in rows], [(process.process.pid, 3)])
        self.assertNotEqual(rows[0]["program"], "?")

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "only root can be another user")
    def test_a_user_who_may_see_nothing_hears_why(self):
        process = self.watched()
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", support.COMMAND]
        if subprocess.run([*nobody, "--version"], capture_output=True, check=False).returncode != 0:
            self.skipTest("another user cannot read the command")
        for words in (["ls"], ["top", "--once", "--interval", "0.1"], ["metrics"]):
            done = subprocess.run([*nobody, *words], capture_output=True, check=False)
            self.assertEqual((done.returncode, b"of this user" in done.stderr), (0, True), done)
        done = subprocess.run([*nobody, "stats", str(process.process.pid)], capture_output=True, check=False)
        self.assertEqual((done.returncode, b"another user" in done.stderr), (1, True), done)

    def test_zlink_counters_0_hides_them(self):
        process = self.start("cat", "--type", "PULL", "--bind", self.endpoint(), env={**os.environ, "ZLINK_COUNTERS": "0"})
        self.eventually(lambda: b"NSpid" in pathlib.Path(f"/proc/{process.process.pid}/status").read_bytes())
        status, _, errors = self.run_zlink("stats", str(process.process.pid))
        self.assertEqual(status, 1)
        self.assertIn(b"shows no counters", errors)

    def test_what_cannot_be_read_gets_one_line(self):
        other = self.folder / "file"
        other.write_bytes(b"x" * 5000)
        for process, words in (("999999999", b"there is no process"), (str(self.folder / "none"), b"No such file"),
                               (str(other), b"no counters"), ("/dev/zero", b"no counters")):
            status, out, errors = self.run_zlink("stats", process)
            self.assertEqual((status, out, errors.count(b"\n")), (1, b"", 1), process)
            self.assertIn(words, errors)

    def test_top_once_gives_rates_and_peers(self):
        process = self.watched()
        status, out, errors = self.run_zlink("top", "--once", "--json", "--interval", "0.1")
        self.assertEqual((status, errors), (0, b""))
        row = next(row for row in json.loads(out) if row["pid"] == process.process.pid)
        self.assertEqual((row["type"], row["queued"], row["sent"]), ("PUSH", 3, 3))
        status, out, _ = self.run_zlink("top", "--once", "--interval", "0.1", "--filter", "type=PUSH", "--sort", "queued")
        self.assertEqual(status, 0)
        self.assertIn(b"PUSH", out)
        status, out, _ = self.run_zlink("top", "--once", "--interval", "0.1", "--filter", "type=NONE")
        self.assertNotIn(b"PUSH", out)

    def test_top_tells_why_messages_were_dropped(self):
        publisher = self.watched(socket_type=1)
        status, out, _ = self.run_zlink("top", str(publisher.process.pid), "--once", "--json", "--interval", "0.1")
        self.assertEqual(status, 0)
        row = json.loads(out)[0]
        self.assertEqual((row["type"], row["dropped"], row["dropped_by_reason"]), ("PUB", 3, {"no_subscriber": 3}))
        self.assertEqual((row["replayed"], row["heartbeats_missed"]), (0, 0))

    def test_top_draws_in_a_terminal_and_ends_with_q(self):
        if not shutil.which("tmux"):
            self.skipTest("tmux is not installed")
        process = self.watched()
        name = f"zlink-top-{os.getpid()}"
        tmux = ["tmux", "-L", name, "-f", "/dev/null"]
        self.addCleanup(subprocess.run, [*tmux, "kill-server"], stderr=subprocess.DEVNULL, check=False)
        command = f"{support.COMMAND} top --interval 0.1; echo ended=$?; sleep 60"
        subprocess.run([*tmux, "new-session", "-d", "-x", "120", "-y", "30", "-s", "top", command], check=True)

        def screen():
            return subprocess.run([*tmux, "capture-pane", "-p", "-t", "top"], capture_output=True, text=True, check=False).stdout

        self.eventually(lambda: "PUSH" in screen() and str(process.process.pid) in screen())
        subprocess.run([*tmux, "resize-window", "-t", "top", "-x", "80", "-y", "20"], check=True)
        self.eventually(lambda: "PUSH" in screen())

        def press(*keys):
            subprocess.run([*tmux, "send-keys", "-t", "top", *keys], check=True)
        for key, order in (("i", "pid"), ("n", "peers"), ("d", "dropped"), ("w", "queued"), ("b", "bytes"), ("m", "rate")):
            press(key)
            self.eventually(lambda order=order: f"by {order}" in screen())
        press("/", "x", "BSpace", "N", "O", "N", "E")
        self.eventually(lambda: "filter: NONE_" in screen() and "PUSH" not in screen())
        press("Enter")
        self.eventually(lambda: 'only "NONE"' in screen())
        press("/", "Escape")
        self.eventually(lambda: "only" not in screen() and "PUSH" in screen())
        press("q")
        self.eventually(lambda: "ended=0" in screen())

    def test_top_goes_on_when_a_process_ends(self):
        process, other = self.watched(), self.watched()
        top = self.start("top", str(process.process.pid), str(other.process.pid), "--json", "--interval", "0.1")

        def pids():
            text = b""
            while not text.endswith(b"\n]\n"):
                text += top.read_line()
            return {row["pid"] for row in json.loads(text)}

        self.assertEqual(pids(), {process.process.pid, other.process.pid})
        process.process.kill()
        process.finish()
        self.eventually(lambda: pids() == {other.process.pid})
        status, _, errors = top.stop()
        self.assertEqual((status, errors), (0, b""))

    def test_metrics_are_prometheus_text(self):
        process = self.watched()
        status, out, errors = self.run_zlink("metrics", str(process.process.pid))
        self.assertEqual((status, errors), (0, b""))
        self.assertIn(b"# TYPE zlink_sent_messages_total counter", out)
        for reason in (b"mark_reached", b"byte_mark_reached"):
            self.assertIn(b'reason="' + reason + b'"', out)
        self.assertIn(b'type="PUSH"', out)
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=out, capture_output=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, b""))

    def test_metrics_are_served(self):
        process = self.watched()
        server = self.start("metrics", str(process.process.pid), "--listen", "tcp://127.0.0.1:*")
        where = server.wait_for_error(b"\n").split()[-1].decode().replace("tcp://", "http://")
        with urllib.request.urlopen(f"{where}/metrics", timeout=support.DEADLINE) as answer:
            self.assertEqual(answer.headers["Content-Type"], "text/plain; version=0.0.4; charset=utf-8")
            self.assertIn(b"zlink_queued_messages{", answer.read())
        with self.assertRaises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{where}/other", timeout=support.DEADLINE)
        status, _, _ = server.stop()
        self.assertEqual(status, 0)


class MetricsOfTheLibrary(support.CommandTest):
    """ZLINK_METRICS: the process itself serves its counters."""

    # Takes a step for each line of its input, and answers with a line.
    PROGRAM = """
import ctypes, os, sys
zmq = ctypes.CDLL(os.environ["ZLINK_COMPAT"])
zmq.zmq_ctx_new.restype = zmq.zmq_socket.restype = ctypes.c_void_p
def opened():
    context = ctypes.c_void_p(zmq.zmq_ctx_new())
    return context, ctypes.c_void_p(zmq.zmq_socket(context, 8))
def ended(context, socket):
    zmq.zmq_close(socket)
    zmq.zmq_ctx_term(context)
held = []
for line in sys.stdin:
    if line == "open\\n":
        held.append(opened())
    elif line == "end\\n":
        ended(*held.pop())
    elif line == "fork\\n" and os.fork() == 0:
        held = [opened()]
        os.write(1, b"child\\n")
        os.read(int(sys.argv[1]), 1)
        ended(*held.pop())
        os._exit(0)
    os.write(1, b"done\\n")
"""

    def setUp(self):
        super().setUp()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.place = f"127.0.0.1:{free.getsockname()[1]}"

    def serving(self, **variables):
        reading, writing = os.pipe()
        process = support.Running([self.PROGRAM, str(reading)], command=[sys.executable, "-c"], stdin=subprocess.PIPE,
                                  pass_fds=[reading], env={**os.environ, "ZLINK_METRICS": f"tcp://{self.place}", **variables})
        os.close(reading)
        self.addCleanup(process.kill)
        self.addCleanup(os.close, writing)  # first: it ends the children
        return process

    def step(self, process, word):
        process.send(word + b"\n")
        self.assertEqual(process.read_line(), b"done\n")

    def page(self):
        """The metrics; None if nobody serves them."""
        try:
            with urllib.request.urlopen(f"http://{self.place}/metrics", timeout=support.DEADLINE) as answer:
                return answer.read()
        except urllib.error.URLError:
            return None

    def test_from_the_first_context_to_the_last(self):
        process = self.serving()
        for word, sockets in ((b"other", None), (b"open", 1), (b"open", 2), (b"end", 1), (b"end", None), (b"open", 1)):
            self.step(process, word)
            page = self.page()
            self.assertEqual(page and page.count(b"zlink_sent_messages_total{"), sockets)
        if shutil.which("promtool"):
            checked = subprocess.run(["promtool", "check", "metrics"], input=page, capture_output=True, check=False)
            self.assertEqual((checked.returncode, checked.stderr), (0, b""))

    def test_with_files(self):
        process = self.serving(ZLINK_RUNTIME_DIR=str(self.folder))
        self.step(process, b"open")
        self.assertIn(b'type="PUSH"', self.page())

    def test_a_place_that_is_taken_is_told_once(self):
        with socket.socket() as taken:
            host, port = self.place.split(":")
            taken.bind((host, int(port)))
            process = self.serving()
            for _ in range(2):
                self.step(process, b"open")
            _, _, errors = process.finish()
        self.assertIn(b"no metrics are served", errors)
        self.assertEqual(errors.count(b"\n"), 1)

    def test_a_child_has_its_own_when_its_parent_has_ended(self):
        process = self.serving()
        self.step(process, b"open")
        process.send(b"fork\n")
        self.assertEqual(sorted((process.read_line(), process.read_line())), [b"child\n", b"done\n"])
        self.assertIn(f'pid="{process.process.pid}"'.encode(), self.page())  # the child got an error, and goes on
        self.step(process, b"end")
        self.assertIsNone(self.page())  # the child has not kept the place
        self.step(process, b"fork")
        self.assertEqual(process.read_line(), b"child\n")
        self.assertNotIn(f'pid="{process.process.pid}"'.encode(), self.page())


if __name__ == "__main__":
    support.main()
