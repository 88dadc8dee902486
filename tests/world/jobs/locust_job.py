# SPDX-License-Identifier: MPL-2.0
"""locust: a master, two workers and a web server to load. How many requests they make depends on the machine; that they report does not."""

import csv
import http.server
import pathlib
import sys
import threading

import job

LOCUST = pathlib.Path(sys.executable).parent / "locust"
FILE = """
from locust import HttpUser, constant_pacing, task, events
class Person(HttpUser):
    wait_time = constant_pacing(0.1)
    @task
    def page(self): self.client.get("/page")
    @task
    def lost(self): self.client.get("/lost")
"""


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/page" else 404)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def main():
    pathlib.Path("locustfile.py").write_text(FILE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    port = job.free_port()
    master = [LOCUST, "-f", "locustfile.py", "--headless", "--master", "--master-bind-host", "127.0.0.1", "--master-bind-port", port,
              "--expect-workers", 2, "-u", 20, "-r", 20, "-t", "6s", "--csv", "out", "-H", f"http://127.0.0.1:{server.server_port}"]
    worker = [LOCUST, "-f", "locustfile.py", "--worker", "--master-host", "127.0.0.1", "--master-port", port]
    with job.started(*master, log="master.log") as first, job.started(*worker, log="w1.log") as second, job.started(*worker, log="w2.log") as third:
        job.case("master's exit status", first.wait(90))
        job.case("workers' exit statuses", f"{second.wait(30)} {third.wait(30)}")
    said = job.contents("master.log")
    job.case("both workers were ready", said.count("Worker") >= 2 and "2 worker" in said.replace("workers", "worker") or "2 clients ready" in said or said.count("reported as ready"))
    job.case("users", "20 users" in said or "\"Person\": 20" in said)
    rows = {row["Name"]: row for row in csv.DictReader(open("out_stats.csv"))}
    requests, failures = int(rows["/page"]["Request Count"]), int(rows["/lost"]["Failure Count"])
    job.case("requests are reported", requests > 100)
    job.case("no page failed", rows["/page"]["Failure Count"])
    job.case("all lost pages failed", failures == int(rows["/lost"]["Request Count"]))
    print(f"requests: {rows['Aggregated']['Request Count']}")


main()
