# SPDX-License-Identifier: MPL-2.0
"""zerorpc: a server in a process of its own, calls, exceptions, streams, timeouts, concurrency, a server that is gone."""

import sys
import time

import gevent
import zerorpc

import job


class Service:
    def echo(self, value):
        return value

    def fail(self):
        raise ValueError("as asked")

    def sleep(self, seconds):
        gevent.sleep(seconds)
        return "slept"

    @zerorpc.stream
    def count(self, end):
        return iter(range(end))


def serve(endpoint):
    server = zerorpc.Server(Service(), heartbeat=1)
    server.bind(endpoint)
    server.run()


def calls(endpoint):
    client = zerorpc.Client(endpoint, timeout=10, heartbeat=1)
    job.case("echo", client.echo("x"))
    job.case("large", len(client.echo(b"y" * 3_000_000)))
    try:
        client.fail()
    except zerorpc.RemoteError as error:
        job.case("remote error", f"{error.name} {error.msg}")
    job.case("stream", sum(client.count(2000)))
    try:
        client.sleep(30, timeout=1)
    except zerorpc.TimeoutExpired:
        job.case("timeout", "expired")
    job.case("long call outlives heartbeats", client.sleep(3, timeout=20))
    job.case("methods", " ".join(sorted(name for name in client._zerorpc_list() if not name.startswith("_"))))
    many = [gevent.spawn(client.echo, number) for number in range(300)]
    gevent.joinall(many, timeout=30)
    job.case("concurrent", sum(one.value for one in many))
    started = time.monotonic()
    for number in range(3000):
        client.echo(number)
    print(f"benchmark: {time.monotonic() - started:.2f} s")
    return client


def main():
    if len(sys.argv) > 1:
        return serve(sys.argv[1])
    for endpoint in (f"tcp://127.0.0.1:{job.free_port()}", "ipc://zerorpc.sock"):
        print(f"over {endpoint[:3]}")
        with job.started(sys.executable, __file__, endpoint, log="server.log"):
            client = calls(endpoint)
            if endpoint.startswith("ipc"):
                job.case("pushes", pushes())
        try:
            client.echo(1)
            job.case("server gone", "answered")
        except (zerorpc.LostRemote, zerorpc.TimeoutExpired) as error:
            job.case("server gone", type(error).__name__)


def pushes():
    got = []

    class Puller:
        def note(self, value):
            got.append(value)

    puller, pusher = zerorpc.Puller(Puller()), zerorpc.Pusher()
    puller.bind("ipc://push.sock")
    pusher.connect("ipc://push.sock")
    gevent.spawn(puller.run)
    for number in range(500):
        pusher.note(number)
    with gevent.Timeout(20):
        while len(got) < 500:
            gevent.sleep(0.01)
    return got == list(range(500))


main()
