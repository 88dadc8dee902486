# SPDX-License-Identifier: MPL-2.0
"""The themes that scripts are about. Each is a function that writes lines into a Program."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from machine.program import Program
from machine.themes import (contexts, descriptors, drafts, endings, endpoints, exchange, marks, messages, monitors, options, polls,
                            proxies, requests, routers, security, streams, subscriptions, timers, wrong)


@dataclasses.dataclass(frozen=True)
class Theme:
    """`inside`: it says something over inproc too; `drafts`: it needs the draft functions."""

    name: str
    write: Callable[[Program], None]
    weight: float = 1
    inside: bool = True
    drafts: bool = False
    may_be_noisy: bool = True


THEMES = (
    Theme("exchange", exchange.exchange, 3),
    Theme("crowd", exchange.crowd, 2),
    Theme("options", options.sweep, 1, may_be_noisy=False),
    Theme("option-matters", options.matters, 1),
    Theme("endpoints", endpoints.forms, 1, may_be_noisy=False),
    Theme("rebinding", endpoints.rebinding, 1),
    Theme("marks", marks.marks, 2),
    Theme("conflate", marks.conflate, 0.5),
    Theme("subscriptions", subscriptions.subscriptions, 2),
    Theme("manual", subscriptions.manual, 1),
    Theme("routers", routers.routers, 2),
    Theme("requests", requests.requests, 2),
    Theme("endings", endings.endings, 2),
    Theme("linger", endings.linger, 0.5),
    Theme("two-contexts", endings.two_contexts, 0.5),
    Theme("monitors", monitors.monitors, 1.5),
    Theme("polls", polls.polls, 1.5),
    Theme("pollers", polls.pollers, 1.5, drafts=True),
    Theme("descriptors", descriptors.descriptors, 1, may_be_noisy=False),
    Theme("timers", timers.timers, 0.5, may_be_noisy=False),
    Theme("contexts", contexts.contexts, 1, may_be_noisy=False),
    Theme("messages", messages.messages, 1.5),
    Theme("security", security.security, 1.5),
    Theme("streams", streams.streams, 1, inside=False),
    Theme("wrong", wrong.wrong, 1, may_be_noisy=False),
    Theme("proxies", proxies.proxies, 0.7, may_be_noisy=False),
    Theme("draft-types", drafts.draft_types, 2, drafts=True),
)
