#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Lets an end on zlink and an end on the reference libzmq exchange the message set, as two processes.

    run_interop.py --subject DIR --program interop_end PAIR TRANSPORT
    run_interop.py --self --program interop_end PAIR TRANSPORT      both ends on libzmq

PAIR is named like "req.rep"; every assignment of library and of bind/connect to the two ends is played.
"""

import dataclasses
import functools
import itertools
import sys

from ends import End, arguments, meeting, run_all

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


@dataclasses.dataclass(frozen=True)
class Side:
    """Who plays one end: a program, perhaps with the library of a directory, and what it does."""

    program: object
    library_dir: object
    type: str
    script: str
    arguments: tuple = ()
    library: str = "zlink"

    def start(self, how, address):
        return End(self.program, self.library_dir, self.type, how, address, self.script, *self.arguments, library=self.library)


def exchange(first, second, transport, first_binds):
    """Plays one exchange between two sides."""
    binder, connecter = (first, second) if first_binds else (second, first)
    with meeting(transport) as (address, ends):
        ends.append(binder.start("bind", address))
        address = ends[0].expect("bound")
        ends.append(connecter.start("connect", address))
        if first.type in ("PUB", "RADIO"):
            publisher, subscriber = ends if first_binds else reversed(ends)
            subscriber.expect("synced")
            publisher.tell("go")
        for end in ends:
            end.expect("done")
        for end in reversed(ends):  # the connected one first: libzmq lingers for a peer that has gone
            end.finish()


def main():
    options = arguments(__doc__, pair=PAIRS, transport=("tcp", "ipc"))
    first_type, first_script, second_type, second_script = PAIRS[options.pair]
    libraries = [(None, None)] if options.self_check else [(options.subject, None), (None, options.subject)]
    cases = []
    for (one, other), first_binds in itertools.product(libraries, (True, False)):
        label = (
            f"{first_type} {'zlink' if one else 'libzmq'} {'binds' if first_binds else 'connects'}, "
            f"{second_type} {'zlink' if other else 'libzmq'}, {options.transport}"
        )
        first = Side(options.program, one, first_type, first_script)
        second = Side(options.program, other, second_type, second_script)
        cases.append((label, functools.partial(exchange, first, second, options.transport, first_binds)))
    return run_all(cases)


if __name__ == "__main__":
    sys.exit(main())
