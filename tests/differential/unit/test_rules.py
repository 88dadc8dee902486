# SPDX-License-Identifier: MPL-2.0
"""Rules accept the difference that they are named after, and no other."""

import unittest

from machine.rules import Case, captured_order, malformed_is_not_readable, readiness

REQUEST = ("open s1 c0 ROUTER 8", "open s2 c0 REP 8", "send s1 =A,7")


def case(lines: tuple[str, ...], index: int, references: tuple[str, ...], subjects: tuple[str, ...]) -> Case:
    return Case(lines, index, references, subjects)


class Readiness(unittest.TestCase):
    def test_calls_that_report_events(self) -> None:
        self.assertEqual(readiness("events s1", "io"), {"s1": {"i", "o"}})
        self.assertEqual(readiness("events s1", "-"), {"s1": set()})
        self.assertEqual(readiness("get s1 EVENTS 4", "0 size 4 3"), {"s1": {"i", "o"}})
        self.assertEqual(readiness("poll 0 s1:io s2:i", "1 s1:o s2:-"), {"s1": {"o"}, "s2": set()})
        self.assertEqual(readiness("poller_wait_all p0 1 4", "-1 EAGAIN"), {})

    def test_other_calls(self) -> None:
        for line, result in (("recv s1", "[A]"), ("events s1", "-1 ENOTSOCK"), ("poll 0 s1:i", "-1 ENOTSOCK"), ("get s1 TYPE 4", "0 size 4 3")):
            self.assertIsNone(readiness(line, result))


class Malformed(unittest.TestCase):
    def accepts(self, line: str, reference: str, subject: str, then: str = "", received: str = "") -> bool:
        lines = (*REQUEST, line, *([then] if then else []))
        return malformed_is_not_readable(case(lines, 3, ("ok", "ok", "1 7", reference, received), ("ok", "ok", "1 7", subject, received)))

    def test_accepts(self) -> None:
        self.assertTrue(self.accepts("events s2", "i", "-"))
        self.assertTrue(self.accepts("poll 0 s1:o s2:io", "2 s1:o s2:i", "1 s1:o s2:-"))
        self.assertTrue(self.accepts("get s2 EVENTS 4", "0 size 4 1", "0 size 4 0"))
        self.assertTrue(self.accepts("poller_wait_all p0 1 4", "1 s2:i", "-1 EAGAIN", "recv s2 dontwait", "-1 EAGAIN"))

    def test_rejects_another_type(self) -> None:
        self.assertFalse(self.accepts("events s1", "i", "-"))

    def test_rejects_other_events(self) -> None:
        self.assertFalse(self.accepts("events s2", "-", "i"))
        self.assertFalse(self.accepts("events s2", "o", "-"))
        self.assertFalse(self.accepts("poll 0 s1:o s2:i", "2 s1:o s2:i", "0 s1:- s2:-"))

    def test_rejects_where_a_message_is_received(self) -> None:
        self.assertFalse(self.accepts("events s2", "i", "-", "recv s2 dontwait", "[7]"))
        self.assertFalse(self.accepts("events s2", "i", "-", "recv1 s2 10", "3 abc"))


class Captured(unittest.TestCase):
    LINES = ("open s8 c0 PAIR 8", "open s6 c0 PULL 8", "proxy x0 c0 s1 s2 s7", "proxy_tell x0 PAUSE")

    def accepts(self, lines: tuple[str, ...], line: str, reference: str, subject: str) -> bool:
        return captured_order(case((*lines, line), len(lines), ("ok",) * len(lines) + (reference,), ("ok",) * len(lines) + (subject,)))

    def test_accepts(self) -> None:
        self.assertTrue(self.accepts(self.LINES, "recv s8 dontwait", "[PAUSE]", "-1 EAGAIN"))
        self.assertTrue(self.accepts(self.LINES, "recvall s8 4", "[7] [PAUSE] -1 EAGAIN", "[7] -1 EAGAIN"))
        self.assertTrue(self.accepts(self.LINES, "events s8", "io", "o"))

    def test_rejects(self) -> None:
        self.assertFalse(self.accepts(self.LINES, "recv s6 dontwait", "[PAUSE]", "-1 EAGAIN"))
        self.assertFalse(self.accepts(self.LINES, "recv s8 dontwait", "[7]", "-1 EAGAIN"))
        self.assertFalse(self.accepts(self.LINES[:3], "recv s8 dontwait", "[PAUSE]", "-1 EAGAIN"))
        self.assertFalse(self.accepts((*self.LINES[:2], "proxy x0 c0 s1 s2", self.LINES[3]), "recv s8 dontwait", "[PAUSE]", "-1 EAGAIN"))


if __name__ == "__main__":
    unittest.main()
