# SPDX-License-Identifier: MPL-2.0
"""uWSGI: an application whose requests are logged over a PUSH socket."""

import zmq

import job

APP = "def application(env, answer):\n    answer('200 OK', [('Content-Length', '2')])\n    return [b'ok']\n"


def main():
    context = zmq.Context()
    logs = context.socket(zmq.PULL)
    logs.rcvtimeo = 20000
    logs.bind("ipc://uwsgi-log.sock")
    port = job.free_port()
    open("app.py", "w").write(APP)
    words = ["uwsgi-core", "--plugins-dir", "/usr/lib/uwsgi/plugins", "--plugins", "python311,http,logzmq", "--http", f"127.0.0.1:{port}", "--wsgi-file",
             "app.py", "--master", "--processes", "2", "--req-logger", "zeromq:ipc://uwsgi-log.sock", "--log-format", "%(method) %(uri) %(status)",
             "--die-on-term"]
    with job.started(*words, log="uwsgi.log") as server:
        job.until(lambda: job.listens(port), "uwsgi listens")
        job.case("first page", job.http(f"http://127.0.0.1:{port}/first"))
        job.case("its line", logs.recv().strip())
        for number in range(100):
            job.http(f"http://127.0.0.1:{port}/page{number}")
        lines = sorted(logs.recv().strip() for _ in range(100))
        job.case("lines of 100 pages", f"{len(lines)} {lines[0]} {lines[-1]}")
        server.terminate()
        job.case("ends", server.wait(30))


main()
