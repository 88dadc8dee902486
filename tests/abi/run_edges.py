#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Runs descriptor_edges on the reference libzmq and on the library under test, and compares the descriptors.

    run_edges.py --subject DIR PROGRAM TRANSPORT      DIR holds the libzmq.so.5 under test

Where the reference's descriptor is readable in all its runs, and a message waits that the program was not told of by
ZMQ_EVENTS or zmq_poll since its last send or receive, the subject's must be. A descriptor
that is readable more often is accepted: the program asks ZMQ_EVENTS and waits again. The reference's is also readable
when the peer has read a message of several frames, which changes nothing for the program.
"""

import argparse
import os
import sys

from run_abi import libraries_of, run

REFERENCE_RUNS = 3
SUBJECT_RUNS = 3
PATIENCE_MS = 5


def steps_of(text):
    """(where, call and result, is the descriptor readable, does a message wait) of each step."""
    steps = []
    section = ""
    unread = 0
    told = False
    for line in text.splitlines():
        if line.startswith("-- "):
            section = line[3:]
            unread = 0
            told = False
            continue
        call, readable = line.rsplit(", descriptor ", 1)
        unread += {"arrival 1": 1, "recv 1": -1}.get(call, 0)
        told = call in ("events 1", "poll 1") or (told and call not in ("recv 1", "send 1"))
        steps.append((f"{section}: step {len(steps)}", call, readable == "1", unread > 0 and not told))
    return steps


def command_of(options, patience_ms):
    sequences = "100" if options.transport == "inproc" else "4"
    return [options.program, options.transport, sequences, str(patience_ms)]


def missing(reference, subject):
    """Steps at which every run of the reference had a readable descriptor and the subject has none."""
    found = []
    for place, (where, call, readable, unread) in enumerate(subject):
        owed = unread and all(steps[place][2] and steps[place][1] == call for steps in reference)
        if owed and not readable:
            found.append(f"{where}: {call}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", metavar="DIR", required=True)
    parser.add_argument("program")
    parser.add_argument("transport")
    options = parser.parse_args()
    reference = []
    for _ in range(REFERENCE_RUNS):
        text, status, _, rest = run(command_of(options, PATIENCE_MS), None)
        if status != 0:
            print(text[-2000:] + "\n".join(rest) + f"\nthe reference ended with {status}")
            return 1
        reference.append(steps_of(text))
    # Over tcp a message may arrive late on a loaded machine: each further run waits longer for it.
    left = None
    for turn in range(SUBJECT_RUNS):
        text, status, library, rest = run(command_of(options, PATIENCE_MS * 2**turn), options.subject)
        if library not in libraries_of(options.subject) or status != 0:
            print(text[-2000:] + "\n".join(rest) + f"\n{library or 'nobody'} ended with {status}")
            return 1
        now = set(missing(reference, steps_of(text)))
        left = now if left is None else left & now
        if not left:
            owed = sum(1 for steps in zip(*reference) if all(step[2] and step[3] for step in steps))
            print(f"{len(reference[0])} steps, {owed} with a readable descriptor")
            return 0
    print("\n".join(sorted(left)))
    print(f"{len(left)} edges are missing")
    return 1


if __name__ == "__main__":
    sys.exit(main())
