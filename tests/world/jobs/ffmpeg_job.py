# SPDX-License-Identifier: MPL-2.0
"""ffmpeg: a filter that takes commands over a REP socket, and a stream that goes from one ffmpeg to another over PUB and SUB."""

import re
import subprocess

import zmq

import job


def commands(context, port):
    words = ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "color=size=64x64:rate=25", "-vf",
             f"zmq=bind_address=tcp\\\\\\://127.0.0.1\\\\\\:{port},drawbox=x=1:y=1:w=10:h=10,hue=s=1", "-t", "8", "-f", "null", "-"]
    with job.started(*words, log="filter.log") as process:
        asks = context.socket(zmq.REQ)
        asks.rcvtimeo, asks.linger = 15000, 0
        asks.connect(f"tcp://127.0.0.1:{port}")
        for name, command in {"known": "Parsed_hue_2 s 0", "expression": "Parsed_hue_2 h 30", "no such filter": "Parsed_nothing s 0",
                              "no such command": "Parsed_hue_2 colour 0"}.items():
            asks.send_string(command)
            job.case(f"command, {name}", asks.recv_string().replace("\n", " "))
        for _ in range(50):
            asks.send_string("Parsed_hue_2 s 1")
            asks.recv()
        job.case("fifty commands", "answered")
        job.case("filter's ffmpeg ends", process.wait(30))
    print(job.contents("filter.log"))


def stream(port):
    send = ["ffmpeg", "-nostdin", "-v", "error", "-re", "-f", "lavfi", "-i", "testsrc=size=160x120:rate=25", "-t", "12", "-c:v", "mpeg2video", "-g", "5",
            "-f", "mpegts", f"zmq:tcp://127.0.0.1:{port}"]
    take = ["ffmpeg", "-nostdin", "-v", "info", "-i", f"zmq:tcp://127.0.0.1:{port}", "-frames:v", "60", "-f", "null", "-"]
    with job.started(*send, log="send.log") as sender:
        done = subprocess.run(take, capture_output=True, text=True, timeout=60)
        job.case("receiver ends", done.returncode)
        frames = re.findall(r"frame=\s*(\d+)", done.stderr)
        job.case("frames received", frames[-1] if frames else "none")
        job.case("sender ends", sender.wait(30))


def main():
    context = zmq.Context()
    commands(context, job.free_port())
    stream(job.free_port())


main()
