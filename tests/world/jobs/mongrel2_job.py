# SPDX-License-Identifier: MPL-2.0
"""Mongrel2: requests go to a handler over PUSH, answers come back over SUB."""

import json
import os
import subprocess
import threading
import time

import zmq

import job

CONFIG = """
handler = Handler(send_spec='tcp://127.0.0.1:{1}', send_ident='34f9ceee-cd52-4b7f-b197-88bf2f0ec378', recv_spec='tcp://127.0.0.1:{2}', recv_ident='')
main = Server(uuid='f400bf85-4538-4f7a-8908-67e313d515c2', access_log='/logs/access.log', error_log='/logs/error.log', chroot='./',
    pid_file='/run/mongrel2.pid', default_host='localhost', name='main', port={0}, bind_addr='127.0.0.1', hosts=[
    Host(name='localhost', routes={{'/': handler}})])
servers = [main]
"""


def serve(context, ports, stop):
    takes, gives = context.socket(zmq.PULL), context.socket(zmq.PUB)
    takes.connect(f"tcp://127.0.0.1:{ports[1]}")
    gives.connect(f"tcp://127.0.0.1:{ports[2]}")
    while not stop.is_set():
        if not takes.poll(100):
            continue
        sender, connection, path, rest = takes.recv().split(b" ", 3)
        length, _, rest = rest.partition(b":")
        headers, rest = rest[:int(length)], rest[int(length) + 1:]
        if json.loads(headers).get("METHOD") == "JSON":
            continue
        length, _, body = rest.partition(b":")
        said = path + b" " + body[:int(length)]
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(said), said)
        gives.send(b"%s %d:%s, %s" % (sender, len(connection), connection, answer))


def main():
    ports = [job.free_port() for _ in range(3)]
    for name in ("logs", "run", "tmp"):
        os.makedirs(name)
    open("m2.conf", "w").write(CONFIG.format(*ports))
    subprocess.run(["m2sh", "load", "-config", "m2.conf", "-db", "m2.sqlite"], check=True)
    stop = threading.Event()
    with job.started("mongrel2", "m2.sqlite", "f400bf85-4538-4f7a-8908-67e313d515c2", log="mongrel2.log") as server:
        job.until(lambda: job.listens(ports[0]), "mongrel2 listens")
        handler = threading.Thread(target=serve, args=(zmq.Context(), ports, stop))
        handler.start()
        url = f"http://127.0.0.1:{ports[0]}"

        def first():
            try:
                return job.http(url + "/first", timeout_s=2)
            except OSError:
                return None
        job.case("first page", job.until(first, "the first page"))
        job.case("post", job.http(url + "/post", b"body" * 100)[1] == b"/post " + b"body" * 100)
        started = time.monotonic()
        job.case("300 pages", sum(job.http(f"{url}/{number}")[1] == b"/%d " % number for number in range(300)))
        print(f"benchmark: {time.monotonic() - started:.2f} s")
        stop.set()
        handler.join()
        server.terminate()
        job.case("ends", server.wait(30))


try:
    main()
finally:
    print(job.contents("mongrel2.log")[-800:])
