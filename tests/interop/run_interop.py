#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Lets an end on zlink and an end on the reference libzmq exchange the message set, as two processes.

    run_interop.py --subject DIR --program interop_end PAIR TRANSPORT
    run_interop.py --self --program interop_end PAIR TRANSPORT      both ends on libzmq

PAIR is named like "req.rep"; every assignment of library and of bind/connect to the two ends is played.
"""

import argparse
import itertools
import os
import sys
import tempfile

from ends import End, Failure

PAIRS = {
    "pair.pair": ("PAIR", "ask", "PAIR", "answer"),
    "req.rep": ("REQ", "ask", "REP", "answer"),
    "req.router": ("REQ", "ask", "ROUTER", "answer"),
    "dealer.rep": ("DEALER", "ask_delimited", "REP", "answer"),
    "dealer.router": ("DEALER", "ask", "ROUTER", "answer"),
    "dealer.dealer": ("DEALER", "ask", "DEALER", "answer"),
    "router.router": ("ROUTER", "ask_routed", "ROUTER", "answer"),
    "push.pull": ("PUSH", "send", "PULL", "receive"),
    "pub.sub": ("PUB", "publish", "SUB", "subscribe"),
    "pub.xsub": ("PUB", "publish", "XSUB", "subscribe"),
    "xpub.sub": ("XPUB", "publish", "SUB", "subscribe"),
    "xpub.xsub": ("XPUB", "publish", "XSUB", "subscribe"),
}


def exchange(program, first, second, transport, first_library, second_library, first_binds):
    """Plays one exchange; first and second are (type, script)."""
    directory = tempfile.mkdtemp(prefix="zlink-interop-")
    address = "tcp://127.0.0.1:*" if transport == "tcp" else f"ipc://{directory}/socket"
    sides = [(first, first_library), (second, second_library)]
    if not first_binds:
        sides.reverse()
    ends = []
    try:
        (kind, script), library = sides[0]
        ends.append(End(program, library, kind, "bind", address, script))
        address = ends[0].expect("bound")
        (kind, script), library = sides[1]
        ends.append(End(program, library, kind, "connect", address, script))
        if first[0] == "PUB":
            publisher, subscriber = ends if first_binds else reversed(ends)
            subscriber.expect("synced")
            publisher.tell("go")
        for end in ends:
            end.expect("done")
        for end in reversed(ends):  # the connected one first: libzmq lingers for a peer that has gone
            end.finish()
    finally:
        for end in ends:
            end.kill()
        if os.path.exists(f"{directory}/socket"):
            os.unlink(f"{directory}/socket")
        os.rmdir(directory)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--subject", metavar="DIR", help="directory of the libzmq.so.5 under test")
    parser.add_argument("--self", dest="self_check", action="store_true", help="both ends on the reference")
    parser.add_argument("--program", required=True)
    parser.add_argument("pair", choices=PAIRS)
    parser.add_argument("transport", choices=("tcp", "ipc"))
    options = parser.parse_args()
    if bool(options.subject) == options.self_check:
        parser.error("either --subject or --self")
    first_type, first_script, second_type, second_script = PAIRS[options.pair]
    libraries = [(None, None)] if options.self_check else [(options.subject, None), (None, options.subject)]
    failures = 0
    for (one, other), first_binds in itertools.product(libraries, (True, False)):
        label = (
            f"{first_type} {'zlink' if one else 'libzmq'} {'binds' if first_binds else 'connects'}, "
            f"{second_type} {'zlink' if other else 'libzmq'}, {options.transport}"
        )
        try:
            exchange(
                options.program,
                (first_type, first_script),
                (second_type, second_script),
                options.transport,
                one,
                other,
                first_binds,
            )
            print(f"ok      {label}")
        except Failure as failure:
            failures += 1
            print(f"FAILED  {label}: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
