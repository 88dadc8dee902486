# SPDX-License-Identifier: MPL-2.0
"""PLAIN and CURVE, with and without an authenticator; right, wrong and mixed."""

from __future__ import annotations

from machine.program import SETTLE_MS, Program

SERVER_PUBLIC = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
SERVER_SECRET = "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"
CLIENT_PUBLIC = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
CLIENT_SECRET = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
MECHANISMS = ("NULL", "PLAIN", "CURVE")


def escaped(key: str) -> str:
    return key.replace("%", "%25")


def serve(p: Program, socket: str, mechanism: str) -> None:
    if mechanism == "PLAIN":
        p.set_int(socket, "PLAIN_SERVER", 1)
    elif mechanism == "CURVE":
        p.set_int(socket, "CURVE_SERVER", 1)
        p.say("set", socket, "CURVE_SECRETKEY", "text", escaped(SERVER_SECRET))
    if p.chance(0.3):
        p.say("set", socket, "ZAP_DOMAIN", "text", p.pick(("global", "test", "")))


def call(p: Program, socket: str, mechanism: str) -> None:
    if mechanism == "PLAIN":
        p.say("set", socket, "PLAIN_USERNAME", "text", p.pick(("admin", "other", "u" * 255)))
        if p.chance(0.9):
            p.say("set", socket, "PLAIN_PASSWORD", "text", p.pick(("secret", "wrong")))
    elif mechanism == "CURVE":
        p.say("set", socket, "CURVE_SERVERKEY", "text", escaped(SERVER_PUBLIC if p.chance(0.85) else CLIENT_PUBLIC))
        p.say("set", socket, "CURVE_PUBLICKEY", "text", escaped(CLIENT_PUBLIC))
        p.say("set", socket, "CURVE_SECRETKEY", "text", escaped(CLIENT_SECRET if p.chance(0.95) else SERVER_SECRET))


def security(p: Program) -> None:
    p.context()
    if p.chance(0.5):
        p.say("zap", "z0", "c0", p.pick(("200", "200", "200", "300", "400", "500", "version", "id", "999")))
    first, second = p.pick((("PUSH", "PULL"), ("PAIR", "PAIR"), ("DEALER", "ROUTER"), ("REQ", "REP"), ("PUB", "SUB")))
    server, client = (p.open(first), p.open(second)) if p.chance(0.5) else (p.open(second), p.open(first))
    mechanism = p.pick(MECHANISMS)
    serve(p, server, mechanism)
    call(p, client, mechanism if p.chance(0.8) else p.pick(MECHANISMS))
    for socket in (server, client):
        p.say("get", socket, "MECHANISM", 4)
        if p.types[socket] == "SUB":
            p.say("set", socket, "SUBSCRIBE", "text")
        p.set_int(socket, "RECONNECT_IVL", p.pick((-1, 10000)))
    p.say("monitor", "m0", server, "v1", "ALL")
    p.say("monitor", "m1", client, "v1", "ALL")
    endpoint = p.endpoint()
    p.bind(server, endpoint)
    p.connect(client, endpoint)
    p.settle()
    p.settle()
    p.traffic((server, client), p.random.randint(4, 10))
    p.say("msg", "g0")
    p.say("msg_recv", "g0", p.pick((server, client)), "dontwait")
    p.say("msg_gets", "g0", "User-Id")
    for monitor in ("m0", "m1"):
        p.say("heard", monitor, SETTLE_MS[p.profile])
    p.say("report", "z0")
    p.settle()
    p.drain((server, client))
    for name in ("m0", "m1"):
        p.say("close", name)
