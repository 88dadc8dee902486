#!/usr/bin/env python3
# SPDX-License-Identifier: MPL-2.0
"""Lets an end on zlink and an end on the reference libzmq meet under a security mechanism, as two processes.

    run_security.py --subject DIR --program interop_end MECHANISM CASE TRANSPORT
    run_security.py --self --program interop_end MECHANISM CASE TRANSPORT      both ends on libzmq

Every assignment of library and of bind/connect to server and client is played. Cases: exchange (the message set both
ways), subscribe (topics and messages of XPUB and SUB), denied (the authenticator says 400), keys (the client has
another server's key).
"""

import functools
import itertools
import sys

from ends import End, Failure, arguments, meeting, run_all

# ZMQ_... numbers of options
LINGER, PLAIN_SERVER, PLAIN_USERNAME, PLAIN_PASSWORD = 17, 44, 45, 46
CURVE_SERVER, CURVE_PUBLICKEY, CURVE_SECRETKEY, CURVE_SERVERKEY, ZAP_DOMAIN = 47, 48, 49, 50, 55

SERVER_PUBLIC, SERVER_SECRET = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7", "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
CLIENT_PUBLIC, CLIENT_SECRET = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"

SERVER_OPTIONS = {
    "null": [f"{ZAP_DOMAIN}:domain"],
    "plain": [f"{PLAIN_SERVER}=1", f"{ZAP_DOMAIN}:domain"],
    "curve": [f"{CURVE_SERVER}=1", f"{CURVE_SECRETKEY}:{SERVER_SECRET}", f"{ZAP_DOMAIN}:domain"],
}
CLIENT_OPTIONS = {
    "null": [],
    "plain": [f"{PLAIN_USERNAME}:admin", f"{PLAIN_PASSWORD}:secret"],
    "curve": [
        f"{CURVE_SERVERKEY}:{SERVER_PUBLIC}", f"{CURVE_PUBLICKEY}:{CLIENT_PUBLIC}", f"{CURVE_SECRETKEY}:{CLIENT_SECRET}",
    ],
}
# Case: server's type and script, client's, authenticator's status, what each says of the handshake
CASES = {
    "exchange": ("DEALER", "answer", "DEALER", "ask", "200", None),
    "subscribe": ("XPUB", "publish", "SUB", "subscribe", "200", None),
    "denied": ("DEALER", "handshake", "DEALER", "handshake", "400", ("AUTH 190", "AUTH 190")),
    "keys": ("DEALER", "handshake", "DEALER", "handshake", "200", ("PROTOCOL 11000001", "NO_DETAIL 20")),
}


def options_of(mechanism, case, status):
    """The arguments of the server and of the client."""
    client = list(CLIENT_OPTIONS[mechanism])
    if case == "keys":
        client[0] = f"{CURVE_SERVERKEY}:{CLIENT_PUBLIC}"
    return SERVER_OPTIONS[mechanism] + [f"zap={status}"], client


def meet(program, mechanism, case, transport, server_library, client_library, server_binds):
    server_type, server_script, client_type, client_script, status, said = CASES[case]
    server_options, client_options = options_of(mechanism, case, status)
    sides = [
        (server_library, server_type, server_script, server_options),
        (client_library, client_type, client_script, client_options),
    ]
    if not server_binds:
        sides.reverse()
    with meeting(transport) as (address, ends):
        for library, kind, script, options in sides:
            how = "connect" if ends else "bind"
            ends.append(End(program, library, kind, how, address, script, *options))
            if how == "bind":
                address = ends[0].expect("bound")
        server, client = ends if server_binds else reversed(ends)
        for end, expected in zip((server, client), said or ()):
            found = end.expect("handshake")
            if found != expected:
                raise Failure(f"{end.name}: said {found!r} instead of {expected!r}")
        for end in (client, server):
            end.expect("done")
        for end in reversed(ends):
            end.finish()


def main():
    options = arguments(__doc__, mechanism=SERVER_OPTIONS, case=CASES, transport=("tcp", "ipc"))
    libraries = [(None, None)] if options.self_check else [
        (options.subject, None), (None, options.subject), (options.subject, options.subject)]
    cases = []
    for (server, client), server_binds in itertools.product(libraries, (True, False)):
        label = (f"{options.mechanism} {options.case} over {options.transport}: server {'zlink' if server else 'libzmq'} "
                 f"{'binds' if server_binds else 'connects'}, client {'zlink' if client else 'libzmq'}")
        cases.append((label, functools.partial(
            meet, options.program, options.mechanism, options.case, options.transport, server, client, server_binds)))
    return run_all(cases)


if __name__ == "__main__":
    sys.exit(main())
