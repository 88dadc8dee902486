#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Starts the publisher and a web server with the page that shows its values. Ends with Ctrl-C.

    start.py [--publisher PROGRAM] [--endpoint ENDPOINT] [--page-port PORT] [--work DIRECTORY]

The page is bundled by npm, which fetches jszmq the first time. Without --publisher, publisher.c is compiled with the installed
library (pkg-config libzlink).
"""

import argparse
import functools
import http.server
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ("package.json", "page.js", "index.html")


def make_page(work):
    """Bundles the page in the directory."""
    for name in SOURCES:
        shutil.copy(HERE / name, work)
    if not (work / "node_modules/.package-lock.json").exists():
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent"], cwd=work, check=True)
    subprocess.run(["npm", "run", "--silent", "build"], cwd=work, check=True)


def make_publisher(work):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "libzlink"], check=True, capture_output=True, text=True).stdout.split()
    program = work / "publisher"
    subprocess.run(["cc", "-o", str(program), str(HERE / "publisher.c"), *flags, "-lm"], check=True)
    return program


class Pages(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """A request is no news."""


def serve(work, port):
    return http.server.ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Pages, directory=str(work)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--publisher", help="a program that publishes at the endpoint of its first argument")
    parser.add_argument("--endpoint", default="ws://127.0.0.1:5556/values")
    parser.add_argument("--page-port", type=int, default=8080)
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "zlink-browser-example")
    options = parser.parse_args()
    if not shutil.which("npm"):
        sys.exit("npm is missing: it fetches jszmq")
    options.work.mkdir(parents=True, exist_ok=True)
    make_page(options.work)
    publisher = subprocess.Popen([options.publisher or str(make_publisher(options.work)), options.endpoint])
    try:
        with serve(options.work, options.page_port) as server:
            print(f"open http://localhost:{server.server_port}/?endpoint={options.endpoint}", flush=True)
            server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        publisher.terminate()
        publisher.wait()


if __name__ == "__main__":
    main()
