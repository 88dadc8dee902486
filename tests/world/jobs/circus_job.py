# SPDX-License-Identifier: MPL-2.0
"""circus: a daemon with two watchers, told what to do by circusctl, and its events over its PUB socket."""

import pathlib
import subprocess
import sys
import time

import job

BIN = pathlib.Path(sys.executable).parent
CONFIG = """[circus]
endpoint = tcp://127.0.0.1:{0}
pubsub_endpoint = tcp://127.0.0.1:{1}
check_delay = 1
[watcher:one]
cmd = sleep 1000
numprocesses = 2
copy_env = True
[watcher:two]
cmd = sleep 1000
numprocesses = 1
autostart = False
copy_env = True
"""


def main():
    ports = job.free_port(), job.free_port()
    pathlib.Path("circus.ini").write_text(CONFIG.format(*ports))

    def ask(*words):
        done = subprocess.run([BIN / "circusctl", "--endpoint", f"tcp://127.0.0.1:{ports[0]}", "--timeout", "10", *words], text=True,
                              capture_output=True, timeout=60)
        return done.stdout.strip().replace("\n", " | ") or f"nothing, status {done.returncode}"

    with job.started(BIN / "circusd", "circus.ini", log="circusd.log") as daemon:
        job.until(lambda: job.listens(ports[0]), "circusd listens")
        job.until(lambda: ask("numprocesses", "one") == "2", "two processes")
        for name, words in {
            "status": ("status",), "list": ("numprocesses", "one"), "incr": ("incr", "one"), "decr": ("decr", "one"), "status one": ("status", "one"),
            "start two": ("start", "two"), "stop one": ("stop", "one"), "status after": ("status",), "restart": ("restart", "one"),
            "numwatchers": ("numwatchers",), "get": ("get", "one", "numprocesses", "stop_signal"), "set": ("set", "one", "numprocesses", "4"),
            "options": ("dstats",), "no such watcher": ("status", "three"), "add": ("add", "--start", "four", "sleep 1000"), "rm": ("rm", "four"),
        }.items():
            said = ask(*words)
            job.case(name, said if name != "options" else said.split(":")[0])
        started = time.monotonic()
        for _ in range(10):
            ask("numwatchers")
        print(f"benchmark: {time.monotonic() - started:.2f} s")
        job.case("quit", ask("quit"))
        job.case("daemon ends", daemon.wait(30))


main()
