# SPDX-License-Identifier: MPL-2.0
"""Perl's Message::Passing: lines of one process go over PUB/SUB and PUSH/PULL to another, which writes them down."""

import json
import subprocess

import job


def main():
    for gives, takes in (("PUSH", "PULL"), ("PUB", "SUB")):
        port = job.free_port()
        words = ["message-pass", "--input", "ZeroMQ", "--input_options", json.dumps({"socket_bind": f"tcp://127.0.0.1:{port}", "socket_type": takes}),
                 "--output", "STDOUT"]
        with job.started(*words, log=f"{takes}.log"):
            job.until(lambda: job.listens(port), "the taker listens")
            send = ["message-pass", "--input", "STDIN", "--output", "ZeroMQ", "--output_options",
                    json.dumps({"connect": f"tcp://127.0.0.1:{port}", "socket_type": gives, "linger": "1"})]
            lines = [json.dumps({"number": number}) for number in range(200)]
            with subprocess.Popen(send, stdin=subprocess.PIPE, text=True) as sender:
                sender.stdin.write("\n".join(lines) + "\n")
                sender.stdin.flush()
                try:
                    job.until(lambda: job.contents(f"{takes}.log").count("number") >= 200, "200 lines", 15)
                    job.case(f"{gives} to {takes}", "200 lines")
                except TimeoutError:
                    job.case(f"{gives} to {takes}", f"failed: {job.contents(f'{takes}.log')[-200:]!r}")
                sender.stdin.close()
                sender.kill()


main()
