# SPDX-License-Identifier: MPL-2.0
"""Timers. Intervals and sleeps are far enough apart that a busy machine does not change the order."""

from __future__ import annotations

from machine.program import Program

INTERVALS = (1, 5, 60, 60, 5000, 500000)


def timers(p: Program) -> None:
    p.say("timers", "t0")
    for _ in range(p.random.randint(6, 20)):
        known = p.random.randint(0, 5)
        choice = p.random.random()
        if choice < 0.3:
            p.say("timer_add", "t0", p.pick(INTERVALS), *(["nothing"] if p.chance(0.05) else []))
        elif choice < 0.4:
            p.say("timer_cancel", "t0", known)
        elif choice < 0.5:
            p.say("timer_interval", "t0", known, p.pick(INTERVALS))
        elif choice < 0.57:
            p.say("timer_reset", "t0", known)
        elif choice < 0.7:
            p.say("timer_timeout", "t0")
        elif choice < 0.85:
            p.say("timer_execute", "t0")
        else:
            p.say("sleep", p.pick((25, 90)))
    p.say("timers_destroy", "t0")
