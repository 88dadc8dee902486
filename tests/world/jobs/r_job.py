# SPDX-License-Identifier: MPL-2.0
"""R's pbdZMQ: the tests that its package brings, and a reply loop between two R processes."""

import glob
import pathlib
import subprocess

import job

SERVER = """
suppressMessages(library(pbdZMQ)); context <- init.context(); socket <- init.socket(context, "ZMQ_REP"); bind.socket(socket, "{0}")
for (i in 1:200) { value <- receive.socket(socket); send.socket(socket, value * 2) }
"""
CLIENT = """
suppressMessages(library(pbdZMQ)); context <- init.context(); socket <- init.socket(context, "ZMQ_REQ"); connect.socket(socket, "{0}")
total <- 0; for (i in 1:199) { send.socket(socket, i); total <- total + receive.socket(socket) }
send.socket(socket, rep(1.5, 300000)); cat("case requests: ", total, "\\ncase large: ", sum(receive.socket(socket)), "\\n", sep = "")
"""


def main():
    for file in sorted(glob.glob("/usr/share/doc/r-cran-pbdzmq/tests/*.R")):
        try:
            done = subprocess.run(["Rscript", file], capture_output=True, text=True, timeout=60)
            job.case(f"its test {pathlib.Path(file).name}", "passed" if done.returncode == 0 else "failed")
            print(done.stdout[-300:], done.stderr[-300:])
        except subprocess.TimeoutExpired:
            job.case(f"its test {pathlib.Path(file).name}", "timeout")
    endpoint = f"tcp://127.0.0.1:{job.free_port()}"
    for name, text in (("server", SERVER), ("client", CLIENT)):
        open(f"{name}.R", "w").write(text.replace("{0}", endpoint))
    with job.started("Rscript", "server.R", log="server.log") as server:
        done = subprocess.run(["Rscript", "client.R"], capture_output=True, text=True, timeout=60)
        print(done.stdout, done.stderr[-300:])
        job.case("server ends", server.wait(20))


main()
