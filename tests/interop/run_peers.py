#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Lets zlink and independent implementations of ZMTP exchange the message set, every pattern in both directions.

    run_peers.py --build-dir BUILD [--work DIR] [--peer java ...] [--pair req.rep ...]

The peers: libzmq (the system's), java (JeroMQ), go (go-zeromq), rust (the crate zeromq), omq (Rust, under interop_end) and
jszmq (Node, over ws). Each is a program that speaks like interop_end, made here from its registry. Every pair of PAIRS is played
with the peer as first and as second, binding and connecting, over tcp and ipc with NULL, over tcp with PLAIN and CURVE (who binds
is the server), over ws with NULL, as far as the peer has them; and so are the draft types of DRAFT_PAIRS with the peers that have them.

An exchange that does not work with zlink is tried with libzmq in zlink's place: if it works there it is a failure. What works
with neither is tried again with a set of plain messages (one frame each, none empty), "plain only" when that goes well; the rest
is "peer cannot". For the draft types and ws, which the system's libzmq has not, the peer itself stands in zlink's place. Exit code 1
after failures, and when a peer could not be made (a registry is out of reach, a compiler is too old): it has then not been
tested.
"""

import argparse
import collections
import concurrent.futures
import itertools
import os
import pathlib
import re
import shutil
import subprocess
import sys

import ends
from run_interop import PAIRS, Side, exchange
from run_security import CLIENT_OPTIONS, SERVER_OPTIONS
from wire import message_sizes

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "tools"
TCP, IPC, PLAIN, CURVE = ("tcp", "null"), ("ipc", "null"), ("tcp", "plain"), ("tcp", "curve")
WS = ("ws", "null")
LEAST_GO, LEAST_RUST = (1, 21), (1, 89)  # of go.mod, of the crate zeromq
TRIES = 3  # a peer's own races


# The message sets as arguments.
WHOLE = "set=" + ";".join(",".join(map(str, sizes)) for sizes in message_sizes())
PLAIN_MESSAGES = "set=5;1;255;256;65536;3"
# Of one frame each, as the draft types want them.
DRAFT_MESSAGES = "set=" + ";".join(str(sizes[0]) for sizes in message_sizes())

DRAFT_PAIRS = {
    "client.server": ("CLIENT", "ask", "SERVER", "answer"),
    "peer.peer": ("PEER", "ask", "PEER", "answer"),
    "channel.channel": ("CHANNEL", "ask", "CHANNEL", "answer"),
    "scatter.gather": ("SCATTER", "send", "GATHER", "receive"),
    "radio.dish": ("RADIO", "call", "DISH", "hear"),
}
ALL_PAIRS = {**PAIRS, **DRAFT_PAIRS}


# ---- making the peers


class Missing(Exception):
    pass


def run(command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", **options)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, command[:3]))} ... failed:\n" + "\n".join(done.stdout.splitlines()[-15:]))
    return done.stdout


def need(group, *commands):
    if not all(map(shutil.which, commands)):
        run([TOOLS / "install_packages.sh", group])


def is_there(command, version_argument, least):
    """Whether the compiler is in PATH, and new enough for the peer."""
    if not shutil.which(command):
        return False
    version = re.search(r"(\d+)\.(\d+)", run([command, version_argument]))
    return version is not None and tuple(map(int, version.groups())) >= least


def make_java(work):
    need("java", "javac", "mvn")
    run(["mvn", "--quiet", "--batch-mode", "-f", HERE / "peers/java/pom.xml", "dependency:copy-dependencies",
         f"-DoutputDirectory={work}/jars"])
    run(["javac", "-cp", f"{work}/jars/*", "-d", work / "classes", HERE / "peers/java/Peer.java"])
    return ["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", f"{work}/jars/*:{work}/classes", "Peer"]


def make_go(work):
    go = "go"
    if not is_there(go, "version", LEAST_GO):
        run([TOOLS / "install_packages.sh", "go"])
        run([TOOLS / "make_venv.sh", work / "venv", HERE / "peers/go/requirements.txt"])
        go = work / "venv/bin/go"
    run([go, "build", "-o", work / "peer", "."], cwd=HERE / "peers/go")
    return [str(work / "peer")]


def make_rust(work):
    if not is_there("cargo", "--version", LEAST_RUST):
        run([TOOLS / "install_packages.sh", "rust"])
    shutil.copytree(HERE / "peers/rust", work / "project", dirs_exist_ok=True)  # Cargo writes beside the sources
    run(["cargo", "build", "--release", "--manifest-path", work / "project/Cargo.toml", "--target-dir", work / "target"])
    return [str(work / "target/release/peer")]


def make_omq(work):
    run([TOOLS / "make_peers.sh", work])
    library = work / "libzmq.so.5"
    library.unlink(missing_ok=True)
    library.symlink_to(work / "omq/target/release/libomq_zmq.so")
    return library.parent


def make_jszmq(work):
    need("js", "node", "npm")
    for name in ("package.json", "peer.js"):
        shutil.copy(HERE / "peers/js" / name, work)
    run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=work)
    return ["node", str(work / "peer.js")]


# How each peer is made, and where it has the pairs, and the draft pairs. (What JeroMQ calls ipc is tcp in disguise.)
PEERS = {
    "libzmq": (None, (TCP, IPC, PLAIN, CURVE), ()),
    "java": (make_java, (TCP, PLAIN, CURVE), (TCP, PLAIN, CURVE)),
    "go": (make_go, (TCP, IPC, PLAIN), ()),
    "rust": (make_rust, (TCP, IPC), ()),
    "omq": (make_omq, (TCP, IPC, PLAIN, CURVE), (TCP, IPC, PLAIN, CURVE)),
    "jszmq": (make_jszmq, (WS,), ()),
}


# What a peer does wrong, which its own other side forgives: peer, pair, whether the peer is the first one.
UNASKED = "a PUB of jszmq sends a message that nobody asked for behind one that was asked for; an XSUB does not filter"
FAULTS = {("jszmq", "pub.xsub", True): UNASKED, ("jszmq", "xpub.xsub", True): UNASKED}


# ---- the exchanges


class Party:
    """Makes the sides of one implementation."""

    def __init__(self, name, program, library_dir=None, library="zlink"):
        self.name, self.program, self.library_dir, self.library = name, program, library_dir, library

    def side(self, kind, script, arguments):
        return Side(self.program, self.library_dir, kind, script, tuple(arguments), self.library)


def security_arguments(mechanism, is_server):
    if mechanism == "null":
        return []
    return [*SERVER_OPTIONS[mechanism], "zap=200"] if is_server else CLIENT_OPTIONS[mechanism]


def play(peer, other, case, messages):
    """None, or what went wrong."""
    pair, peer_first, transport, mechanism, first_binds = case
    first_type, first_script, second_type, second_script = ALL_PAIRS[pair]
    parties = (peer, other) if peer_first else (other, peer)
    first = parties[0].side(first_type, first_script, [*security_arguments(mechanism, first_binds), messages])
    second = parties[1].side(second_type, second_script, [*security_arguments(mechanism, not first_binds), messages])
    try:
        exchange(first, second, transport, first_binds)
    except ends.Failure as failure:
        return str(failure).strip().replace(messages, "")
    return None


def judge(peer, subject, control, case, messages=None):
    """The case's outcome (ok, plain only, failed, peer cannot), and what to tell of it."""
    if (peer.name, *case[:2]) in FAULTS:
        return "peer cannot", FAULTS[(peer.name, *case[:2])]
    is_draft = case[0] in DRAFT_PAIRS
    control = peer if is_draft or case[2] == "ws" else control  # the system's libzmq has neither: does it work among peers?
    messages = messages or (DRAFT_MESSAGES if is_draft else WHOLE)
    for _ in range(TRIES):
        problem = play(peer, subject, case, messages)
        if problem is None:
            return "ok", ""
        beside = play(peer, control, case, messages)
        if beside is not None:
            break
    else:
        return "failed", problem
    if messages != PLAIN_MESSAGES:
        outcome, text = judge(peer, subject, control, case, PLAIN_MESSAGES)
        return ("plain only", beside) if outcome == "ok" else (outcome, text)
    return "peer cannot", beside


def told(case):
    pair, peer_first, transport, mechanism, first_binds = case
    first, second = ALL_PAIRS[pair][0], ALL_PAIRS[pair][2]
    theirs, ours = (first, second) if peer_first else (second, first)
    binds = "peer binds" if first_binds == peer_first else "zlink binds"
    return f"{transport} {mechanism}: peer's {theirs}, zlink's {ours}, {binds}"


def test_peer(peer, subject, control, options):
    """Outcome -> number of exchanges; tells the table of the peer and everything that is not ok."""
    _, settings, draft_settings = PEERS[peer.name]
    cases = [(pair, peer_first, transport, mechanism, first_binds)
             for pair, peer_first, (transport, mechanism), first_binds
             in itertools.product(options.pair, (True, False), settings, (True, False))
             if pair in PAIRS or ((transport, mechanism) in draft_settings
                                  and not (pair == "peer.peer" and first_binds))]  # a PEER can ask whom it has connected to
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(lambda case: judge(peer, subject, control, case), cases))
    table = collections.defaultdict(collections.Counter)
    for case, (outcome, _) in zip(cases, outcomes):
        table[case[0], case[2], case[3]][outcome] += 1
    print(f"\n{peer.name:16}" + "".join(f"{transport + ' ' + mechanism:>14}" for transport, mechanism in settings))
    for pair in dict.fromkeys(case[0] for case in cases):
        cells = (table[pair, transport, mechanism] for transport, mechanism in settings)
        print(f"{pair:16}" + "".join(f"{cell['ok'] + cell['plain only']:>7} of {cell.total() - cell['peer cannot']:<4}" for cell in cells))
    for wanted in ("plain only", "peer cannot", "failed"):
        for case, (outcome, text) in zip(cases, outcomes):
            if outcome == wanted:
                print(f"{'FAILED' if wanted == 'failed' else wanted}  {told(case)}: {text.splitlines()[0][:300]}")
    sys.stdout.flush()
    return collections.Counter(outcome for outcome, _ in outcomes)


def make_party(name, options):
    work = options.work / name
    work.mkdir(parents=True, exist_ok=True)
    if name == "libzmq":
        return Party(name, options.program)
    print(f"== making the peer {name}", flush=True)
    made = PEERS[name][0](work)
    if name == "omq":
        return Party(name, options.program, str(made), "omq")
    return Party(name, made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=pathlib.Path, required=True, help="a build of zlink with its tests")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/interop"))
    parser.add_argument("--peer", action="append", choices=PEERS)
    parser.add_argument("--pair", action="append", choices=ALL_PAIRS)
    parser.add_argument("--timeout", type=int, default=15, help="seconds after which a silent end is a hang")
    parser.add_argument("--jobs", type=int, default=3 * os.cpu_count(), help="exchanges at a time; most of their time is waiting")
    options = parser.parse_args()
    options.work, build = options.work.resolve(), options.build_dir.resolve()
    options.program, options.pair = str(build / "tests/interop/interop_end"), options.pair or list(ALL_PAIRS)
    ends.TIMEOUT_S = options.timeout
    subject, control = Party("zlink", options.program, str(build / "compat")), Party("libzmq", options.program)
    totals, missing = {}, {}
    for name in options.peer or PEERS:
        try:
            peer = make_party(name, options)
        except Missing as problem:
            missing[name] = str(problem)
            print(f"NOT RUN  {name}: {problem}", flush=True)
            continue
        totals[name] = test_peer(peer, subject, control, options)
    print()
    for name, counts in totals.items():
        print(f"{name:8} {counts['ok']:4} ok, {counts['plain only']:3} with plain messages only, {counts['peer cannot']:3} the peer cannot "
              f"(nor with libzmq, drafts and ws: nor with itself), {counts['failed']:3} failed")
    for name, problem in missing.items():
        print(f"{name:8} NOT RUN: {problem.splitlines()[0]} (no network, a registry out of reach, or too old a compiler: see above)")
    return 1 if missing or any(counts["failed"] for counts in totals.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
