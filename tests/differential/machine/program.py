# SPDX-License-Identifier: MPL-2.0
"""A script in the making: names of objects, endpoints, and the lines that most themes need."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

SIZES = (0, 1, 5, 8, 16, 29, 30, 33, 34, 40, 63, 64, 65, 128, 254, 255, 256, 300, 1000, 4096, 8191, 8192, 8193, 20000, 65536, 102400)
# Milliseconds that the library gets for what its threads have to do, and that a call waits.
SETTLE_MS = {"inproc": 3, "tcp": 36, "ipc": 36, "mixed": 36}
TIMEOUT_MS = {"inproc": 8, "tcp": 60, "ipc": 60, "mixed": 60}

CAN_SEND = {"PAIR", "PUB", "REQ", "REP", "DEALER", "ROUTER", "PUSH", "XPUB", "XSUB", "CLIENT", "SERVER", "SCATTER", "CHANNEL",
            "PEER"}
CAN_RECEIVE = {"PAIR", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "XPUB", "XSUB", "STREAM", "CLIENT", "SERVER", "GATHER",
               "DISH", "CHANNEL", "PEER"}
STABLE_TYPES = ("PAIR", "PUB", "SUB", "REQ", "REP", "DEALER", "ROUTER", "PULL", "PUSH", "XPUB", "XSUB", "STREAM")
DRAFT_TYPES = ("SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "DGRAM", "PEER", "CHANNEL")
THREAD_SAFE = {"SERVER", "CLIENT", "RADIO", "DISH", "GATHER", "SCATTER", "PEER", "CHANNEL"}
TOPICS = ("A", "B", "AB", "ABC", "b", "topic", "%00", "")


@dataclasses.dataclass(frozen=True)
class Drafts:
    """A library may have the draft functions and types without the options that only a build with drafts has."""

    functions: bool = False
    options: bool = False


NO_DRAFTS = Drafts()


class Program:
    """`random` decides; `profile` says which transports there are; `drafts`: what of the drafts the reference has."""

    def __init__(self, source: random.Random, profile: str, drafts: Drafts) -> None:
        self.random = source
        self.profile = profile
        self.drafts = drafts.functions
        self.draft_options = drafts.options
        self.lines: list[str] = []
        self.types: dict[str, str] = {}  # of the sockets that are open
        self.contexts: list[str] = []
        self.serial = 0
        # True: the library may finish its work after each send. Without that, libzmq takes notice of other peers late, and the
        # order between several peers is each library's own affair.
        self.calm = profile != "inproc"

    def say(self, *words: object) -> None:
        self.lines.append(" ".join(str(word) for word in words))

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def pick(self, choices: Sequence[T]) -> T:
        return self.random.choice(choices)

    def name(self, letter: str) -> str:
        self.serial += 1
        return f"{letter}{self.serial}"

    @property
    def wait_ms(self) -> int:
        return TIMEOUT_MS[self.profile]

    @property
    def stays_inside(self) -> bool:
        return self.profile == "inproc"

    def context(self) -> str:
        name = f"c{len(self.contexts)}"
        self.contexts.append(name)
        self.say("ctx", name)
        return name

    def open(self, kind: str, context: str = "") -> str:
        """A socket without linger and with short waits."""
        if not self.contexts:
            self.context()
        name = self.name("s")
        self.say("open", name, context or self.contexts[0], kind, self.wait_ms)
        self.types[name] = kind
        return name

    def close(self, socket: str) -> None:
        self.say("close", socket)
        self.types.pop(socket, None)

    def settle(self) -> None:
        self.say("settle", SETTLE_MS[self.profile])

    def endpoint(self) -> str:
        """A new endpoint of the profile."""
        self.serial += 1
        kind = self.profile if self.profile != "mixed" else self.pick(("inproc", "tcp", "ipc"))
        return f"{kind}:{'e' if kind == 'inproc' else ''}{self.serial}"

    def set_int(self, socket: str, option: str, value: int) -> None:
        self.say("set", socket, option, "i4", value)

    def bind(self, socket: str, endpoint: str) -> None:
        self.say("bind", socket, endpoint)

    def connect(self, socket: str, endpoint: str) -> None:
        self.say("connect", socket, endpoint)

    def join(self, one: str, other: str, endpoint: str = "") -> str:
        """Connects two sockets, in any direction and order; returns the endpoint."""
        endpoint = endpoint or self.endpoint()
        if self.chance(0.5):
            one, other = other, one
        if self.chance(0.15):
            if not self.stays_inside:
                self.set_int(other, "RECONNECT_IVL", 10)
            self.connect(other, endpoint)
            self.bind(one, endpoint)
            if not self.stays_inside:
                self.settle()
        else:
            self.bind(one, endpoint)
            self.connect(other, endpoint)
        self.settle()
        return endpoint

    def size(self) -> int:
        return self.pick(SIZES) if self.chance(0.6) else self.random.randint(0, 70)

    def frames(self, kind: str = "") -> str:
        """The frames of a message for a socket of this type."""
        if kind in ("PUB", "XPUB"):
            first = "=" + self.pick(TOPICS) if self.chance(0.8) else str(self.size())
            count = 0 if self.chance(0.6) else self.random.randint(1, 2)
            return ",".join([first, *[str(self.size()) for _ in range(count)]])
        if kind == "XSUB":
            return "=" + self.pick(("%01", "%00", "%01", "x")) + self.pick(TOPICS)
        if kind in THREAD_SAFE:
            return str(self.size())
        count = 1 if self.chance(0.6) else self.random.randint(2, 4)
        return ",".join(str(self.size()) for _ in range(count))

    def flags(self) -> str:
        return "dontwait" if self.chance(0.6) else ""

    def send(self, socket: str, frames: str = "") -> None:
        kind = self.types.get(socket, "")
        verb = self.pick(("send", "send", "send", "msend", "csend", "osend"))
        words = [verb, socket, frames or self.frames(kind), self.flags()]
        if self.chance(0.03):
            words.append("more")
        self.say(*[word for word in words if word])

    def receive(self, socket: str) -> None:
        choice = self.random.random()
        if choice < 0.45:
            self.say("recv", socket, "dontwait")
        elif choice < 0.6:
            self.say("recv", socket)
        elif choice < 0.75:
            self.say("recvall", socket, self.random.randint(2, 6))
        elif choice < 0.9:
            self.say("recv1", socket, self.pick((0, 1, 8, 33, 64, 1000, 200000)), "dontwait")
        elif choice < 0.95:
            self.say("recv_vector", socket, self.random.randint(1, 4), "dontwait")
        else:
            self.say("orecv", socket, "dontwait")

    def look(self, sockets: Sequence[str]) -> None:
        """Asks what could be done with the sockets."""
        if self.chance(0.5):
            self.say("events", self.pick(sockets))
        else:
            chosen = self.random.sample(list(sockets), self.random.randint(1, len(sockets)))
            self.say("poll", 0, *[f"{socket}:{self.pick(('i', 'o', 'io'))}" for socket in chosen])

    def traffic(self, sockets: Sequence[str], count: int) -> None:
        """Sends and receives by chance, as far as the types allow."""
        for _ in range(count):
            socket = self.pick(sockets)
            kind = self.types.get(socket, "")
            choice = self.random.random()
            if choice < 0.4 and kind in CAN_SEND:
                self.send_by_type(socket, kind)
                if self.calm or kind == "XSUB":  # a publisher has to hear of subscriptions
                    self.settle()
            elif choice < 0.8 and kind in CAN_RECEIVE:
                self.receive(socket)
            elif choice < 0.9:
                self.look(sockets)
            elif choice < 0.95:
                self.settle()
            elif kind in CAN_SEND:
                self.say("reply", socket, self.size())
                if self.calm:
                    self.settle()

    def send_by_type(self, socket: str, kind: str) -> None:
        if kind == "ROUTER":
            to = self.pick(("@0", "@1", "=A", "=B", "=nobody"))
            self.send(socket, f"{to},{self.frames()}")
        elif kind in ("SERVER", "PEER"):
            self.say("psend", socket, self.random.randint(0, 1), self.size(), "dontwait")
        else:
            self.send(socket)

    def drain(self, sockets: Sequence[str]) -> None:
        for socket in sockets:
            if self.types.get(socket) in CAN_RECEIVE:
                self.say("recvall", socket, 12)

    def finish(self) -> None:
        """Closes everything and ends the contexts, most of the time."""
        if self.chance(0.5):
            sockets = list(self.types)
            self.random.shuffle(sockets)
            for socket in sockets:
                self.close(socket)
            for context in self.contexts:
                self.say("term", context)
