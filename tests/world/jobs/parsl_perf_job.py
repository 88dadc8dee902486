# SPDX-License-Identifier: MPL-2.0
"""parsl-perf, parsl's own benchmark: tasks handed over ZeroMQ to a pool of workers on this machine."""

import re
import statistics
import subprocess

import job

CONFIG = """
from parsl.config import Config
from parsl.executors import HighThroughputExecutor
from parsl.providers import LocalProvider


def fresh_config():
    return Config(executors=[HighThroughputExecutor(label="pool", address="127.0.0.1", loopback_address="127.0.0.1", max_workers_per_node=2,
                                                    provider=LocalProvider(init_blocks=1, max_blocks=1))], strategy="none")
"""
SIZES = (100, 2000, 2000, 2000)


def main():
    open("pool.py", "w").write(CONFIG)
    done = subprocess.run(["parsl-perf", "--config", "pool.py", "--iterate", ",".join(map(str, SIZES))], capture_output=True, text=True, timeout=120)
    rates = [float(rate) for rate in re.findall(r"^Tasks per second: ([\d.]+)", done.stdout, re.M)]
    for number, size in enumerate(SIZES):
        job.case(f"iteration {number + 1} of {size} tasks", "done" if number < len(rates) else "failed")
    job.case("its end", done.returncode)
    print(f"benchmark: {statistics.median(rates[1:]):.0f} tasks/s")


main()
