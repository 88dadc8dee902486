# SPDX-License-Identifier: MPL-2.0
"""Subscriptions: counted, doubled, taken back, passed on, made by hand."""

from __future__ import annotations

from machine.program import TOPICS, Program

PUBLISHER_OPTIONS = ("XPUB_VERBOSE", "XPUB_VERBOSER", "XPUB_NODROP", "INVERT_MATCHING", "ONLY_FIRST_SUBSCRIBE", "XPUB_MANUAL",
                     "XPUB_MANUAL_LAST_VALUE")


def change(p: Program, subscriber: str) -> None:
    topic = p.pick(TOPICS)
    taking = p.chance(0.65)
    if p.types[subscriber] == "SUB":
        p.say("set", subscriber, "SUBSCRIBE" if taking else "UNSUBSCRIBE", "text", topic)
    elif p.chance(0.85):
        p.say("send", subscriber, ("=%01" if taking else "=%00") + topic)
    else:
        p.say("send", subscriber, p.pick(("=hello", "=%02A", "0", "=%01A,=%01B", "=%01A,=more")))


def publish(p: Program, publisher: str) -> None:
    p.send(publisher, "=" + p.pick(("A", "AB", "ABC", "B", "b", "topic1", "%00x", "", "other")) + p.pick(("", ",10", ",0,40")))
    p.settle()


def subscriptions(p: Program) -> None:
    publishers = [p.open(p.pick(("PUB", "XPUB"))) for _ in range(p.pick((1, 1, 2)))]
    subscribers = [p.open(p.pick(("SUB", "XSUB"))) for _ in range(p.random.randint(1, 3))]
    for publisher in publishers:
        if p.chance(0.5):
            p.set_int(publisher, p.pick(PUBLISHER_OPTIONS[:5]), 1)
        if p.types[publisher] == "XPUB" and p.chance(0.25):
            p.say("set", publisher, "XPUB_WELCOME_MSG", "text", p.pick(("welcome", "A", "")))
    for subscriber in subscribers:
        if p.chance(0.15):
            p.set_int(subscriber, p.pick(("INVERT_MATCHING", "ONLY_FIRST_SUBSCRIBE", "XPUB_VERBOSE")), 1)
        if p.chance(0.5):
            change(p, subscriber)
    for publisher in publishers:
        for subscriber in subscribers:
            p.join(publisher, subscriber)
    goes_on(p, publishers, subscribers)
    p.settle()
    p.drain((*subscribers, *publishers))


def goes_on(p: Program, publishers: list[str], subscribers: list[str]) -> None:
    for _ in range(p.random.randint(6, 16)):
        choice = p.random.random()
        if choice < 0.35:
            change(p, p.pick(subscribers))
            p.settle()
        elif choice < 0.65:
            publish(p, p.pick(publishers))
        elif choice < 0.8:
            p.drain([p.pick(subscribers + publishers)])
        elif choice < 0.9:
            p.look(subscribers + publishers)
        elif choice < 0.94 and len(subscribers) > 1:
            gone = p.pick(subscribers)
            subscribers.remove(gone)
            p.close(gone)
            p.settle()
        elif p.draft_options:
            p.say("get", p.pick(subscribers + publishers), "TOPICS_COUNT", 4)


def manual(p: Program) -> None:
    """An XPUB that decides about subscriptions itself."""
    publisher = p.open("XPUB")
    p.set_int(publisher, p.pick(("XPUB_MANUAL", "XPUB_MANUAL", "XPUB_MANUAL_LAST_VALUE")), 1)
    if p.chance(0.3):
        p.set_int(publisher, p.pick(PUBLISHER_OPTIONS), p.pick((0, 1)))
    subscribers = [p.open(p.pick(("SUB", "XSUB"))) for _ in range(p.random.randint(1, 2))]
    for subscriber in subscribers:
        p.join(publisher, subscriber)
    for _ in range(p.random.randint(5, 14)):
        choice = p.random.random()
        if choice < 0.35:
            change(p, p.pick(subscribers))
            p.settle()
        elif choice < 0.65:
            p.say("recv", publisher, "dontwait")
            if p.chance(0.8):
                p.say("set", publisher, p.pick(("SUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE")), "text", p.pick(TOPICS))
        elif choice < 0.9:
            publish(p, publisher)
        else:
            p.drain(subscribers)
    p.settle()
    p.drain((*subscribers, publisher))
