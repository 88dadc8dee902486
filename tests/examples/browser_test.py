#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Opens the page of examples/browser in headless Chromium, and checks what it shows while its publisher ends and comes back.

    browser_test.py PUBLISHER WORK

The page is bundled in the directory WORK. Exit code 77: Chromium, its driver, selenium or npm is missing.
"""

import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples/browser"))
import start

PATIENCE_S = 20
SHOWN = 80  # values of the chart


def left_out(why):
    print(f"{why} (tools/install_packages.sh browser js): left out")
    sys.exit(77)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for(what, condition):
    until = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > until:
            sys.exit(f"FAILED: {what}")
        time.sleep(0.05)
    print(f"ok      {what}")


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"FAILED: {what}: {found!r} in place of {wanted!r}")


class Page:
    """What the page shows."""

    def __init__(self, driver):
        self.driver = driver

    def text(self, name):
        return self.driver.execute_script("return document.getElementById(arguments[0]).textContent", name)

    def count(self):
        return int(self.text("count"))

    def number(self):
        return int(self.driver.execute_script("return document.getElementById('value').dataset.number || '-1'"))

    def heights(self):
        points = self.driver.execute_script("return document.getElementById('line').getAttribute('points')")
        return [float(point.split(",")[1]) for point in points.split()]


class Publisher:
    def __init__(self, program, endpoint):
        self.command = [program, endpoint]
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)

    def stop(self):
        self.process.kill()
        self.process.wait()


def check(page, publisher, endpoint):
    wait_for("the page shows values", lambda: page.count() >= 5 and page.text("state") == "live")
    expect("topic", page.text("topic"), "room.temperature")
    expect("endpoint", page.text("endpoint"), endpoint)
    if not 15 <= float(page.text("value")) <= 25:
        sys.exit(f"FAILED: value {page.text('value')}")
    before = page.count()
    wait_for("the chart grows", lambda: page.count() > before + 5 and len(page.heights()) > before)
    expect("the chart is inside of its frame", all(0 <= height <= 30 for height in page.heights()), True)
    expect("the chart moves", len(set(page.heights())) > 5, True)
    for _ in range(2):
        publisher.stop()
        wait_for("the page says that it waits", lambda: page.text("state") == "waiting")
        before = page.count()
        publisher.start()
        wait_for("the page is live again", lambda: page.text("state") == "live" and page.count() > before)
        # The new publisher counts from 0. The page has seen what it has sent since the connection.
        expect("the publisher is the new one", page.number() < page.count(), True)
    wait_for("the chart keeps the latest values", lambda: page.count() > SHOWN and len(page.heights()) == SHOWN)


def open_chromium(webdriver, chromium, driver_program, profile):
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--user-data-dir={profile}"):
        options.add_argument(argument)
    from selenium.webdriver.chrome.service import Service

    return webdriver.Chrome(service=Service(driver_program), options=options)


def main():
    program, work = sys.argv[1], pathlib.Path(sys.argv[2])
    try:
        from selenium import webdriver
    except ImportError:
        left_out("the Python package selenium is missing")
    found = {name: shutil.which(name) for name in ("chromium", "chromedriver", "npm", "node")}
    for name, path in found.items():
        if not path:
            left_out(f"{name} is missing")
    work.mkdir(parents=True, exist_ok=True)
    try:
        start.make_page(work)
    except subprocess.CalledProcessError as error:
        left_out(f"{error}; is the registry of npm out of reach?")
    endpoint = f"ws://127.0.0.1:{free_port()}/values"
    with start.serve(work, 0) as server, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        publisher = Publisher(program, endpoint)
        driver = open_chromium(webdriver, found["chromium"], found["chromedriver"], profile)
        try:
            driver.get(f"http://127.0.0.1:{server.server_port}/?endpoint={endpoint}")
            check(Page(driver), publisher, endpoint)
        finally:
            driver.quit()
            publisher.stop()
            server.shutdown()


if __name__ == "__main__":
    main()
