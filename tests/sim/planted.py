#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Plants defects in copies of the library's sources, one at a time, and asks whether the simulation finds them.

  planted.py [--build-dir build/release] [--seeds 10000] [--only NAME]

A defect is a row of DEFECTS: the source, a text in it, and what takes its place. The changed source is compiled alone and linked in
front of the library, in a folder of its own. src stays as it is. Prints a row for each, with the first seed that finds it.
"""
import argparse
import json
import pathlib
import re
import shlex
import subprocess
import sys
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
DEFECTS = [
    ("sleep without a second look", "core/waiter.cpp", "    if (!box.ready.empty())\n        return runtime::park_result::woken;\n", ""),
    ("parked thread not woken", "runtime/parker.cpp",
     "        syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);\n        break;", "        break;"),
    ("mutex wakes nobody", "base/small_mutex.cpp", "    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);\n", ""),
    ("mailbox of a socket wakes nobody", "runtime/socket_mailbox.cpp", "        sleeper->unpark();\n", "        (void)sleeper;\n"),
    ("I/O thread says late that it sleeps", "runtime/io_thread.cpp",
     "    own_box_->asleep(true);\n    if (box_->ready.empty()) {\n        ++times_idle_;\n",
     "    if (box_->ready.empty()) {\n        ++times_idle_;\n        system_calls::is_writable(own_box_->wakeup_fd());\n"
     "        own_box_->asleep(true);\n"),
    ("waiting writer never woken", "queue/queue_link.cpp", "return writer_waiting_.load(std::memory_order_seq_cst) &&", "return false &&"),
    ("no second connect", "connections/connector.cpp", "    waiting_ = true;\n    try {\n        timer_.expires_after",
     "    if (delay_ms > 0)\n        return;\n    try {\n        timer_.expires_after"),
    ("rest of a short write forgotten", "connections/frame_writer.cpp", "            return put.status;\n        sent += put.bytes;\n    }\n    bytes.clear",
     "            return put.status;\n        sent = bytes.size();\n    }\n    bytes.clear"),
    ("full stream not waited for", "connections/connection_traffic.cpp", "        wait_writable();\n        if (away)", "        if (away)"),
    ("cut message goes on behind a reconnect", "queue/write_cursor.cpp", "    if (!in_batch_)\n        return;\n    in_batch_ = false;\n",
     "    if (in_batch_)\n        return;\n"),
    ("SUB takes every topic", "patterns/xsub.cpp", "!= options_.pattern.invert_matching ? verdict::deliver", "|| true ? verdict::deliver"),
    ("REQ takes any answer", "patterns/req.cpp", "                   : verdict::reject;\n    if (frame.size", "                   : verdict::pass_over;\n    if (frame.size"),
    ("no accept after a shortage", "connections/listener.cpp", "            return pause(&listener::accept_some);", "            return;"),
    ("descriptor stays open", "transport/stream.cpp", "        socket_.close(ignored);\n", "        (void)socket_.release(ignored);\n"),
    ("stream closed before its bytes are taken", "connections/parting.cpp", "    return left == 0 ||", "    return true ||"),
    ("end of a pipe not told", "pipe/pipe.cpp", "    notify_peer(pipe_event::peer_closed);\n}", "}"),
    ("PONG left out", "connections/connection_traffic.cpp", "        arm_timer();\n        write_turn();\n", "        arm_timer();\n"),
    ("encrypted PING waits behind a full queue", "connections/encrypted_reader.cpp", "    full_ = is_full(reader);\n",
     "    if (is_full(reader))\n        return step::paused;\n"),
    ("connects too often", "connections/connector.cpp", "        timer_.expires_after(std::chrono::milliseconds(delay_ms));",
     "        timer_.expires_after(std::chrono::milliseconds(delay_ms / 8));"),
    ("linger time too short", "connections/pipe_worker.cpp", "    linger_->expires_after(std::chrono::milliseconds(linger_ms));",
     "    linger_->expires_after(std::chrono::milliseconds(linger_ms / 64));"),
    ("second row of a poll takes the events", "core/poll.cpp", "            if (all.find_doubled())\n                continue;\n", ""),
    ("deadline of a sleep ignored", "runtime/parker.cpp", "deadline == never ? longest_wait_ms", "deadline != 1 ? longest_wait_ms"),
]


def commands(build):
    """The command that compiles each source, and the one that links the simulation."""
    # The checker of memory orders compiles some of the sources again, in its own way.
    entries = json.loads((build / "compile_commands.json").read_text())
    compiles = {entry["file"]: entry for entry in entries if " -o src/" in entry["command"]}
    listed = subprocess.run(["ninja", "-C", build, "-t", "commands", "simulate"], check=True, capture_output=True, text=True).stdout
    link = [line for line in listed.splitlines() if " -o tests/sim/simulate " in line]
    return compiles, link[-1]


def build_with(name, source, old, new, build, place):
    """Returns the program, or None if the text is not in the source once."""
    path = TOP / "src" / source
    text = path.read_text()
    if text.count(old) != 1:
        return None
    changed = place / path.name
    changed.write_text(text.replace(old, new))
    compiles, link = commands(build)
    entry = compiles[str(path)]
    made = place / "changed.o"
    words = [str(changed) if word == str(path) else word for word in shlex.split(entry["command"])]
    words[words.index("-o") + 1] = str(made)
    subprocess.run([*words, "-Wno-error", "-w"], cwd=entry["directory"], check=True)
    program = place / "simulate"
    link = re.sub(r"^.*? && (.*) && .*?$", r"\1", link)
    link = link.replace("-o tests/sim/simulate ", f"-o {program} {made} ")
    subprocess.run(shlex.split(link), cwd=build, check=True)
    return program


def has_finding(build, seed):
    """Does the program without a defect find something with this seed?"""
    return subprocess.run([build / "tests/sim/simulate", "--seeds", "1", "--first", seed], capture_output=True, check=False).returncode != 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build-dir", type=pathlib.Path, default=TOP / "build/release")
    parser.add_argument("--seeds", type=int, default=10000)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    build = options.build_dir.resolve()
    missed = 0
    rows = [row for row in DEFECTS if options.only in row[0]]
    for name, source, old, new in rows:
        place = build / "planted"
        place.mkdir(exist_ok=True)
        program = build_with(name, source, old, new, build, place)
        if program is None:
            sys.exit(f"{source} has not the text of '{name}' once: the row has to follow the source")
        began = time.monotonic()
        told = subprocess.run([program, "--seeds", str(options.seeds), "--first", "1", "--stop", "1"], capture_output=True, text=True,
                              errors="replace", check=False).stdout
        found = re.search(r"FOUND seed (\d+) \(.*\): (.*)", told)
        if found and has_finding(build, found[1]):
            sys.exit(f"seed {found[1]} has a finding without the defect, too")
        missed += found is None
        verdict = f"seed {found[1]}: {found[2]}" if found else f"NOT FOUND in {options.seeds} seeds"
        print(f"{name:45} {time.monotonic() - began:5.1f} s  {verdict}", flush=True)
    print(f"{len(rows) - missed} of {len(rows)} planted defects found")
    return missed != 0


if __name__ == "__main__":
    sys.exit(main())
