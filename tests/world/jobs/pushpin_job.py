# SPDX-License-Identifier: MPL-2.0
"""pushpin with condure: requests go through to an origin; streams and long polls that its PULL and HTTP publishers feed."""

import glob
import http.client
import http.server
import json
import os
import threading
import time

import zmq

import job

CONFIG = """[global]
include={{libdir}}/internal.conf
rundir={0}/run
ipc_prefix=pushpin-
[runner]
services=condure,pushpin-proxy,pushpin-handler
http_port={1}
logdir={0}/log
log_level=2
client_buffer_size=8192
client_maxconn=500
condure_bin=condure
zurl_bin=zurl
[proxy]
routesfile=routes
zurl_out_specs=ipc://{0}/run/zurl-in
zurl_out_stream_specs=ipc://{0}/run/zurl-in-stream
zurl_in_specs=ipc://{0}/run/zurl-out
[handler]
push_in_spec=tcp://127.0.0.1:{2}
push_in_sub_specs=tcp://127.0.0.1:{3}
push_in_http_addr=127.0.0.1
push_in_http_port={4}
push_in_http_max_headers_size=10000
push_in_http_max_body_size=1000000
command_spec=tcp://127.0.0.1:{5}
message_rate=2500
message_hwm=25000
"""

# Debian runs zurl, which makes the requests to the origin, as a service of its own. By itself it refuses the loopback network.
ZURL = """[General]
in_spec=ipc://{0}/run/zurl-in
in_stream_spec=ipc://{0}/run/zurl-in-stream
out_spec=ipc://{0}/run/zurl-out
in_req_spec=ipc://{0}/run/zurl-req
defpolicy=allow
"""


class Origin(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = f"origin has {self.path}\n".encode()
        self.send_response(200)
        hold = {"/stream": "stream", "/poll": "response"}.get(self.path)
        if hold:
            self.send_header("Grip-Hold", hold)
            self.send_header("Grip-Channel", "news")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def tnet(value):
    if isinstance(value, dict):
        body = b"".join(tnet(key) + tnet(inner) for key, inner in value.items())
        return b"%d:%s}" % (len(body), body)
    return b"%d:%s," % (len(value), value)


def main():
    here, ports = os.getcwd(), [job.free_port() for _ in range(5)]
    origin = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Origin)
    threading.Thread(target=origin.serve_forever, daemon=True).start()
    os.makedirs("run")
    os.makedirs("log")
    open("pushpin.conf", "w").write(CONFIG.format(here, *ports))
    open("zurl.conf", "w").write(ZURL.format(here))
    open("routes", "w").write(f"* 127.0.0.1:{origin.server_port}\n")
    url = f"http://127.0.0.1:{ports[0]}"
    push = zmq.Context().socket(zmq.PUSH)
    push.linger = 0
    push.connect(f"tcp://127.0.0.1:{ports[1]}")
    with job.started("zurl", f"--config={here}/zurl.conf", log="zurl.log"), \
            job.started("pushpin", "--config", f"{here}/pushpin.conf", log="pushpin.log") as server:
        job.until(lambda: job.listens(ports[0]) and job.http(url + "/ready", timeout_s=5)[0] == 200, "pushpin answers")
        job.case("a page", job.http(url + "/page"))
        job.case("large request", job.http(url + "/post", b"x" * 200000)[1] == b"x" * 200000)
        started = time.monotonic()
        job.case("300 pages", sum(job.http(f"{url}/{number}")[1] == b"origin has /%d\n" % number for number in range(300)))
        print(f"benchmark: {time.monotonic() - started:.2f} s")
        client = http.client.HTTPConnection("127.0.0.1", ports[0], timeout=20)
        client.request("GET", "/stream")
        answer = client.getresponse()
        job.case("stream begins", answer.readline())

        def publish(text):
            item = {b"channel": b"news", b"formats": {b"http-stream": {b"content": text}, b"http-response": {b"body": text}}}
            push.send(b"T" + tnet(item))
        heard = threading.Event()

        def until_heard():
            """The stream has its channel a while after its first line."""
            while not heard.wait(0.05):
                publish(b"too early\n")
        early = threading.Thread(target=until_heard)
        early.start()
        answer.readline()
        heard.set()
        early.join()
        for number in range(50):
            publish(b"over zmq %d\n" % number)
        lines = [line for line in iter(answer.readline, b"over zmq 49\n") if line != b"too early\n"]
        job.case("50 published over zmq", lines == [b"over zmq %d\n" % number for number in range(49)])
        items = {"items": [{"channel": "news", "formats": {"http-stream": {"content": "over http\n"}}}]}
        job.case("publish over http", job.http(f"http://127.0.0.1:{ports[3]}/publish/", json.dumps(items).encode())[0])
        job.case("it arrives", answer.readline())
        client.close()
        polled = []
        poll = threading.Thread(target=lambda: polled.append(job.http(url + "/poll", timeout_s=25)[1]))
        poll.start()

        def again():
            publish(b"polled")
            poll.join(0.2)
            return polled
        job.case("long poll", job.until(again, "the long poll's answer"))
        server.terminate()
        job.case("ends", server.wait(30))


try:
    main()
finally:
    print(job.contents("pushpin.log")[-500:], job.contents("zurl.log")[-500:], *(job.contents(file)[-500:] for file in glob.glob("log/*")))
