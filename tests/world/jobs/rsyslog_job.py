# SPDX-License-Identifier: MPL-2.0
"""rsyslog: one daemon sends its lines by omczmq, another takes them by imczmq and writes a file."""

import os
import socket

import job

TAKES = """
module(load="imczmq" servercertpath="" clientcertpath="" authtype="" authenticator="off")
template(name="plain" type="string" string="%msg%\\n")
ruleset(name="taken") {{ action(type="omfile" file="{0}/taken.log" template="plain") }}
input(type="imczmq" endpoints="@tcp://127.0.0.1:{1}" socktype="PULL" ruleset="taken")
"""
SENDS = """
module(load="imudp")
module(load="omczmq")
template(name="plain" type="string" string="%msg%")
ruleset(name="sent") {{ action(type="omczmq" endpoints=">tcp://127.0.0.1:{1}" socktype="PUSH" template="plain") }}
input(type="imudp" address="127.0.0.1" port="{2}" ruleset="sent")
"""


def main():
    here, port, udp = os.getcwd(), job.free_port(), job.free_port()
    for name, text in (("takes", TAKES), ("sends", SENDS)):
        open(f"{name}.conf", "w").write(text.format(here, port, udp))
    words = {name: ["rsyslogd", "-n", "-f", f"{here}/{name}.conf", "-i", f"{here}/{name}.pid"] for name in ("takes", "sends")}
    with job.started(*words["takes"], log="takes.out") as taker, job.started(*words["sends"], log="sends.out") as sender:
        job.until(lambda: job.listens(port), "imczmq listens")
        source = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        source.connect(("127.0.0.1", udp))

        def arrives(text):
            source.send(f"<13>Jan  1 00:00:00 host tag: {text}".encode())
            return text in job.contents("taken.log")
        job.case("first line", bool(job.until(lambda: arrives("first"), "the first line")))
        for number in range(500):
            source.send(f"<13>Jan  1 00:00:00 host tag: line {number} {'x' * number}".encode())
            if number % 50 == 49:
                job.until(lambda: f"line {number} " in job.contents("taken.log"), "a line")
        lines = [line.split()[1] for line in job.contents("taken.log").splitlines() if line.strip().startswith("line ")]
        job.case("500 lines in order", lines == [str(number) for number in range(500)])
        sender.terminate()
        job.case("sender ends", sender.wait(30))
        taker.terminate()
        job.case("taker ends", taker.wait(30))


try:
    main()
finally:
    print(job.contents("takes.out")[-500:], job.contents("sends.out")[-500:])
