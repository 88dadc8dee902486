# SPDX-License-Identifier: MPL-2.0
"""Perl's Message::Passing: lines of one process go over PUB/SUB and PUSH/PULL to another, which writes them down."""

import json
import subprocess

import job

LINES = 200


def main():
    for gives, takes in (("PUSH", "PULL"), ("PUB", "SUB")):
        port = job.free_port()
        words = ["message-pass", "--input", "ZeroMQ", "--input_options", json.dumps({"socket_bind": f"tcp://127.0.0.1:{port}", "socket_type": takes}),
                 "--output", "STDOUT"]
        send = ["message-pass", "--input", "STDIN", "--output", "ZeroMQ", "--output_options",
                json.dumps({"connect": f"tcp://127.0.0.1:{port}", "socket_type": gives})]
        with job.started(*words, log=f"{takes}.log"):
            job.until(lambda: job.listens(port), "the taker listens")
            with subprocess.Popen(send, stdin=subprocess.PIPE, text=True) as sender:
                def say(**words):
                    sender.stdin.write(json.dumps(words) + "\n")
                    sender.stdin.flush()

                def said(word):
                    """Its reader of lines keeps some until the next line comes."""
                    say(more=0)
                    return job.contents(f"{takes}.log").count(word)
                job.until(lambda: said("more"), "a line arrives")
                for number in range(LINES):
                    say(number=number)
                job.until(lambda: said("number") >= LINES, f"{LINES} lines")
                found = [json.loads(line)["number"] for line in job.contents(f"{takes}.log").splitlines() if "number" in line]
                job.case(f"{gives} to {takes}", f"{len(found)} lines, in order" if found == sorted(set(found)) else f"failed: {found}")
                sender.stdin.close()
                job.case(f"{gives} ends", sender.wait(20))


main()
