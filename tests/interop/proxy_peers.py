#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Two ends of the library under test exchange the message set through a proxy: nginx or HAProxy.

    proxy_peers.py --subject DIR --program interop_end PROXY CASE [PAIR...]

Cases: tls_front (an end of tls, the proxy ends TLS, an end of tcp), tls_back (tcp in front; the proxy speaks TLS to the listener,
verifies it and shows its own certificate), ws (WebSocket in front and behind), wss_front and wss_back (the same with TLS on one
side), restart (ws; the proxy ends and comes back). Each pair of run_interop.py is played with either side
binding, or those that are named. Exit code 77: the proxy is not installed.
"""

import argparse
import contextlib
import errno
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

from capi import RCVTIMEO, RECONNECT_IVL, SUB, SUBSCRIBE, XPUB, Library
from ends import End, Failure, free_port, run_all
from run_interop import PAIRS
from tls_peers import REQUIRE_CLIENT, Files
from wire import expect

PATIENCE_S = 20
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
# The schemes of the end that connects to the proxy and of the end behind it.
CASES = {
    "tls_front": ("tls", "tcp"),
    "tls_back": ("tcp", "tls"),
    "ws": ("ws", "ws"),
    "wss_front": ("wss", "ws"),
    "wss_back": ("ws", "wss"),
    "restart": ("ws", "ws"),
}
# How the request of a client reaches the listener: as it came.
NGINX_UPGRADE = """
      proxy_http_version 1.1;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection "upgrade";
      proxy_set_header Host $http_host;
      proxy_buffering off;"""


def is_secure(scheme):
    return scheme in ("tls", "wss")


def nginx_command(files, front, back, ports):
    kind = "stream" if front in ("tcp", "tls") else "http"
    secure_back = is_secure(back)
    target = "" if kind == "stream" else "https://" if secure_back else "http://"
    lines = [f"listen 127.0.0.1:{ports[0]}{' ssl' if is_secure(front) else ''};"]
    if is_secure(front):
        lines += [f"ssl_certificate {files.path('server.pem')};", f"ssl_certificate_key {files.path('server.key')};",
                  "ssl_protocols TLSv1.3;"]
    way = [f"proxy_pass {target}127.0.0.1:{ports[1]};"]
    if secure_back:
        way += ["proxy_ssl on;"] if kind == "stream" else []
        way += ["proxy_ssl_protocols TLSv1.3;", "proxy_ssl_verify on;", "proxy_ssl_name localhost;",
                f"proxy_ssl_trusted_certificate {files.path('ca.pem')};", f"proxy_ssl_certificate {files.path('client.pem')};",
                f"proxy_ssl_certificate_key {files.path('client.key')};"]
    inside = "\n      ".join(way)
    if kind == "http":
        inside = f"location / {{\n      {inside}{NGINX_UPGRADE}\n    }}"
    temporary = "".join(f"  {name}_temp_path {files.path(name)};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    module = "/usr/lib/nginx/modules/ngx_stream_module.so"
    with open(files.path("nginx.conf"), "w", encoding="utf-8") as config:
        config.write((f"load_module {module};\n" if kind == "stream" and os.path.exists(module) else "")
                     + f"daemon off;\nmaster_process off;\nerror_log stderr;\npid {files.path('nginx.pid')};\nevents {{ }}\n{kind} {{\n"
                     + (f"  access_log off;\n{temporary}" if kind == "http" else "")
                     + "  server {\n    " + "\n    ".join(lines) + f"\n    {inside}\n  }}\n}}\n")
    return ["nginx", "-p", files.directory, "-c", files.path("nginx.conf")]


def haproxy_command(files, front, back, ports):
    with open(files.path("both.pem"), "w", encoding="utf-8") as both:
        both.writelines(open(files.path(name), encoding="utf-8").read() for name in ("server.pem", "server.key"))
    with open(files.path("both_client.pem"), "w", encoding="utf-8") as both:
        both.writelines(open(files.path(name), encoding="utf-8").read() for name in ("client.pem", "client.key"))
    secure = f" ssl crt {files.path('both.pem')} ssl-min-ver TLSv1.3" if is_secure(front) else ""
    behind = (f" ssl verify required ca-file {files.path('ca.pem')} verifyhost localhost crt {files.path('both_client.pem')}"
              if is_secure(back) else "")
    with open(files.path("haproxy.cfg"), "w", encoding="utf-8") as config:
        config.write(f"""defaults
  mode {'tcp' if front in ('tcp', 'tls') else 'http'}
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  timeout tunnel 60s
frontend front
  bind 127.0.0.1:{ports[0]}{secure}
  default_backend back
backend back
  server one 127.0.0.1:{ports[1]}{behind}
""")
    return ["haproxy", "-db", "-q", "-f", files.path("haproxy.cfg")]


COMMANDS = {"nginx": nginx_command, "haproxy": haproxy_command}


class Proxy:
    """A running proxy, which listens at ports[0] and connects to ports[1]."""

    def __init__(self, name, files, case):
        self.files, (self.front, self.back) = files, CASES[case]
        self.ports = free_port(), free_port()
        self.command = COMMANDS[name](files, self.front, self.back, self.ports)
        self.command[0] = shutil.which(name, path=PATH)
        self.start()

    def start(self):
        with open(self.files.path("proxy.log"), "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log)
        until = time.monotonic() + PATIENCE_S
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.ports[0])).close()
            except ConnectionRefusedError:
                if self.process.poll() is not None or time.monotonic() > until:
                    raise Failure(f"the proxy does not listen: {self.told()}") from None
                time.sleep(0.02)

    def stop(self):
        self.process.kill()
        self.process.wait()

    def told(self):
        with open(self.files.path("proxy.log"), encoding="utf-8", errors="replace") as log:
            return log.read()[-1000:]

    def listener(self, kind, script):
        path = "/chat" if self.back in ("ws", "wss") else ""
        options = [*self.files.of("server"), *self.files.trust(), f"{REQUIRE_CLIENT}=1"] if is_secure(self.back) else []
        return kind, "bind", f"{self.back}://127.0.0.1:{self.ports[1]}{path}", script, *options

    def connecter(self, kind, script):
        path = "/chat" if self.front in ("ws", "wss") else ""
        options = self.files.trust() if is_secure(self.front) else []
        return kind, "connect", f"{self.front}://localhost:{self.ports[0]}{path}", script, f"{RECONNECT_IVL}=20", *options


@contextlib.contextmanager
def running(options):
    with tempfile.TemporaryDirectory(prefix="zlink-proxy-") as directory:
        proxy = Proxy(options.proxy, Files(directory), options.case)
        try:
            yield proxy
        finally:
            proxy.stop()


def exchange(options, proxy, pair, first_binds):
    first_type, first_script, second_type, second_script = PAIRS[pair]
    first = (proxy.listener if first_binds else proxy.connecter)(first_type, first_script)
    second = (proxy.connecter if first_binds else proxy.listener)(second_type, second_script)
    started = []
    try:
        for words in (first, second) if first_binds else (second, first):
            started.append(End(options.program, options.subject, *words))
            if len(started) == 1:
                started[0].expect("bound")
        if first_type == "PUB":
            publisher, subscriber = started if first_binds else reversed(started)
            subscriber.expect("synced")
            publisher.tell("go")
        for end in started:
            end.expect("done")
        for end in reversed(started):
            end.finish()
    except Failure as failure:
        raise Failure(f"{failure} {proxy.told()}") from None
    finally:
        for end in started:
            end.kill()


def next_news(publisher, subscriber):
    until = time.monotonic() + PATIENCE_S
    while True:
        subscriber.handle_events()
        try:
            return publisher.receive()
        except OSError as error:
            if error.args[0] != errno.EAGAIN or time.monotonic() > until:
                raise Failure(f"no news of the subscriber: {error}") from None


def restart(options, proxy):
    """The proxy ends and comes back. The publisher hears of both, and the subscriber tells its topics anew."""
    library = Library(options.subject)
    publisher, subscriber = library.socket(XPUB), library.socket(SUB)
    _, _, behind, _, *_ = proxy.listener("XPUB", "")
    _, _, before, _, *_ = proxy.connecter("SUB", "")
    publisher.bind(behind)
    subscriber.set(SUBSCRIBE, b"T")
    subscriber.set(RECONNECT_IVL, 20)
    publisher.set(RCVTIMEO, 20)
    proxy.stop()
    subscriber.connect(before)  # refused at first
    for number in range(3):
        proxy.start()
        expect(next_news(publisher, subscriber), b"\1T", "subscription")
        publisher.send(b"T", b"%d" % number)
        expect([subscriber.receive(), subscriber.receive()], [b"T", b"%d" % number], "message")
        proxy.stop()
        expect(next_news(publisher, subscriber), b"\0T", "end of the subscription")
    for one in (publisher, subscriber):
        one.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", metavar="DIR", required=True, help="directory of the libzmq.so.5 under test")
    parser.add_argument("--program", required=True)
    parser.add_argument("proxy", choices=COMMANDS)
    parser.add_argument("case", choices=CASES)
    parser.add_argument("pair", nargs="*", default=list(PAIRS))
    options = parser.parse_args()
    if not shutil.which(options.proxy, path=PATH):
        print(f"{options.proxy} is not installed (tools/install_packages.sh proxies): left out")
        return 77
    with running(options) as proxy:
        if options.case == "restart":
            return run_all([(f"{options.proxy} restart", lambda: restart(options, proxy))])
        return run_all([(f"{options.proxy} {options.case} {pair} {'first' if first_binds else 'second'} binds",
                         lambda pair=pair, first_binds=first_binds: exchange(options, proxy, pair, first_binds))
                        for pair in options.pair for first_binds in (True, False)])


if __name__ == "__main__":
    sys.exit(main())
