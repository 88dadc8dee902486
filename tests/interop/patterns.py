# SPDX-License-Identifier: MPL-2.0
"""Each pattern from the side of a scripted peer. A talk sends and receives messages, and topics as messages, as ZMTP 3.0 and ZWS
2.0 have them; the end is one of ends.py."""

from wire import TOPIC, expect, message_set

# Bodies at the borders of the lengths of RFC 6455, behind the byte of flags.
SET = "5;0;10,0,3;124,125,126;65534,65535;200000;3"
OTHER_TOPIC = b"other topic"


def ask(talk, _, delimiter=()):
    for frames in message_set(SET):
        talk.send([*delimiter, *frames])
        expect(talk.receive(), [*delimiter, *frames], "echo")


def ask_delimited(talk, end):
    ask(talk, end, [b""])


def echo(talk, _):
    for frames in message_set(SET):
        asked = talk.receive()
        expect(asked[-len(frames):], frames, "request")
        talk.send(asked)


def send(talk, _):
    for frames in message_set(SET):
        talk.send(frames)


def receive(talk, _):
    for frames in message_set(SET):
        expect(talk.receive(), frames, "message")


def hear(talk, end, is_pub=True):
    talk.send([b"\1" + TOPIC])
    if is_pub:
        expect(talk.receive(), [b"T-call"], "call")
        end.tell("go")
    for frames in message_set(SET):
        heard = [b"T-call"]
        while heard == [b"T-call"]:
            heard = talk.receive()
        expect(heard, [b"T-body", *frames], "message")
    talk.send([b"\0" + TOPIC])


def hear_xpub(talk, end):
    hear(talk, end, False)


def publish(talk, end):
    expect(talk.receive(), [b"\1" + TOPIC], "subscription")
    talk.send([b"T-call"])
    end.expect("synced")
    for frames in message_set(SET):
        talk.send([OTHER_TOPIC])
        talk.send([b"T-body", *frames])
    expect(talk.receive(), [b"\0" + TOPIC], "end of the subscription")


def publish_xsub(talk, end):
    expect(talk.receive(), [b"\1" + TOPIC], "subscription")
    talk.send([b"T-call"])
    end.expect("synced")
    for frames in message_set(SET):
        talk.send([b"T-body", *frames])
    expect(talk.receive(), [b"\0" + TOPIC], "end of the subscription")


# The type and the script of the end, the type of the peer, and what it does.
CASES = [
    ("REP", "answer", "REQ", ask_delimited),
    ("REQ", "ask", "REP", echo),
    ("ROUTER", "answer", "DEALER", ask),
    ("ROUTER", "ask_routed", "DEALER", echo),
    ("DEALER", "answer", "ROUTER", ask),
    ("DEALER", "ask_delimited", "ROUTER", echo),
    ("PAIR", "answer", "PAIR", ask),
    ("PAIR", "ask", "PAIR", echo),
    ("PUSH", "send", "PULL", receive),
    ("PULL", "receive", "PUSH", send),
    ("PUB", "publish", "SUB", hear),
    ("XPUB", "publish", "SUB", hear_xpub),
    ("SUB", "subscribe", "PUB", publish),
    ("XSUB", "subscribe", "PUB", publish_xsub),
]
