# SPDX-License-Identifier: MPL-2.0
"""Rules accept the difference that they are named after, and no other."""

import unittest

from machine.rules import (Case, fd_after_a_dropped_request, fd_after_the_end, cancelled_at_once, captured_order, conflated_message, conflated_topics, given_up_when_refused, lost_with_the_connection, probe_of_a_late_binder, reply_behind_an_authenticator, pair_is_free_at_once, stopped_later, closed_in_another_order, conflated_before_the_end, connected_to_itself, cut_message, gone_stream,
                           half_sent_request, heard_more, id_of_a_gone_peer,
                           malformed_is_not_readable, metadata_of_an_id, mismatch_over_ipc, monitor_stopped, not_yet_a_peer, readiness, received_before_the_end,
                           refused_peer_is_disconnected, reply_before_the_option, request_in_a_message, request_of_an_ended_endpoint, reserved_bits, second_peer_of_pair, shared_body)

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


class Writable(unittest.TestCase):
    """Rules for a socket that can send with libzmq, and not with zlink."""

    @staticmethod
    def at(lines: tuple[str, ...], line: str, reference: str, subject: str) -> Case:
        before = ("ok",) * len(lines)
        return case((*lines, line), len(lines), (*before, reference), (*before, subject))

    def test_bytes_of_another_protocol(self) -> None:
        stranger = ("open s1 c0 PAIR 8", "bare n0 tcp:1", "bare_send n0 hello")
        self.assertTrue(not_yet_a_peer(self.at(stranger, "events s1", "o", "-")))
        self.assertTrue(not_yet_a_peer(self.at(stranger, "send s1 5 dontwait", "5", "-1 EAGAIN")))
        self.assertFalse(not_yet_a_peer(self.at(stranger, "events s1", "i", "-")))
        self.assertFalse(not_yet_a_peer(self.at(stranger, "events s1", "-", "o")))
        self.assertFalse(not_yet_a_peer(self.at((*stranger[:2], "bare_send n0 %FF"), "events s1", "o", "-")))
        self.assertFalse(not_yet_a_peer(self.at(stranger[:2], "events s1", "o", "-")))

    def test_mechanisms(self) -> None:
        curve = ("open s1 c0 PULL 8", "open s2 c0 PUSH 8", "set s1 CURVE_SERVER i4 1", "bind s1 ipc:3", "connect s2 ipc:3")
        self.assertTrue(mismatch_over_ipc(self.at(curve, "poll 0 s1:io s2:io", "1 s1:- s2:o", "0 s1:- s2:-")))
        self.assertTrue(mismatch_over_ipc(self.at(curve, "send s2 5", "5", "-1 EAGAIN")))
        self.assertFalse(mismatch_over_ipc(self.at(curve, "send s1 5", "5", "-1 EAGAIN")))
        self.assertFalse(mismatch_over_ipc(self.at((*curve, "set s2 CURVE_SERVERKEY text x"), "send s2 5", "5", "-1 EAGAIN")))
        self.assertFalse(mismatch_over_ipc(self.at((*curve[:2], *curve[3:]), "send s2 5", "5", "-1 EAGAIN")))

    def test_a_request_of_an_ended_endpoint(self) -> None:
        ended = ("open s1 c0 REP 8", "open s2 c0 PULL 8", "unbind s1 tcp:1")
        self.assertTrue(request_of_an_ended_endpoint(self.at(ended, "recv s1", "killed by SIGABRT", "-1 EAGAIN")))
        self.assertFalse(request_of_an_ended_endpoint(self.at(ended, "recv s2", "killed by SIGABRT", "-1 EAGAIN")))
        self.assertFalse(request_of_an_ended_endpoint(self.at(ended[:2], "recv s1", "killed by SIGABRT", "-1 EAGAIN")))


class Monitors(unittest.TestCase):
    def test_the_end_of_a_connection_to_nobody(self) -> None:
        lines = ("open s1 c0 PULL 8", "monitor m0 s1 v1 ALL", "connect s1 inproc:noise", "close s1")
        self.assertTrue(monitor_stopped(Writable.at(lines, "heard m0 36", "nothing", "MONITOR_STOPPED(0 )")))
        self.assertTrue(monitor_stopped(Writable.at(lines, "heard m0 36", "CLOSED(fd a)", "CLOSED(fd a) MONITOR_STOPPED(0 )")))
        self.assertFalse(monitor_stopped(Writable.at(lines, "heard m0 36", "CLOSED(fd a)", "MONITOR_STOPPED(0 )")))
        self.assertFalse(monitor_stopped(Writable.at((*lines[:2], lines[3]), "heard m0 36", "nothing", "MONITOR_STOPPED(0 )")))


class GonePeers(unittest.TestCase):
    def test_an_id(self) -> None:
        again = ("open s1 c0 ROUTER 8", "set s2 ROUTING_ID text C", "close s2", "set s3 ROUTING_ID text C")
        self.assertTrue(id_of_a_gone_peer(Writable.at(again, "recvall s1 4", "-1 EAGAIN", "[C|1.0] -1 EAGAIN")))
        self.assertTrue(id_of_a_gone_peer(Writable.at(again, "recvall s1 4", "[C|] [C|1.0] -1 EAGAIN", "[C|] [C|] [C|1.0] -1 EAGAIN")))
        self.assertFalse(id_of_a_gone_peer(Writable.at(again, "recvall s1 4", "[C|] [C|1.0] -1 EAGAIN", "[C|1.0] [C|] [C|2.0] -1 EAGAIN")))
        self.assertTrue(id_of_a_gone_peer(Writable.at(again, "events s1", "o", "io")))
        self.assertFalse(id_of_a_gone_peer(Writable.at(again, "recvall s1 4", "[C|1.0] -1 EAGAIN", "-1 EAGAIN")))
        self.assertFalse(id_of_a_gone_peer(Writable.at(again[:3], "recvall s1 4", "-1 EAGAIN", "[C|1.0] -1 EAGAIN")))

    def test_a_stream(self) -> None:
        gone = ("open s1 c0 STREAM 8", "bare n0 tcp:4", "bare_close n0")
        self.assertTrue(gone_stream(Writable.at(gone, "send s1 @0,300 dontwait", "-1 EAGAIN", "-1 EHOSTUNREACH")))
        self.assertFalse(gone_stream(Writable.at(gone, "send s1 @0,300 dontwait", "-1 EHOSTUNREACH", "-1 EAGAIN")))
        self.assertFalse(gone_stream(Writable.at(gone[:2], "send s1 @0,300 dontwait", "-1 EAGAIN", "-1 EHOSTUNREACH")))

    def test_a_conflating_socket(self) -> None:
        gone = ("open s1 c0 PULL 8", "set s1 CONFLATE i4 1", "close s2")
        self.assertTrue(conflated_before_the_end(Writable.at(gone, "recv s1", "-1 EAGAIN", "[A]")))
        self.assertTrue(conflated_before_the_end(Writable.at(gone, "poll 0 s1:i", "0 s1:-", "1 s1:i")))
        self.assertFalse(conflated_before_the_end(Writable.at(gone, "recv s1", "[A]", "-1 EAGAIN")))
        self.assertFalse(conflated_before_the_end(Writable.at(gone[:1], "recv s1", "-1 EAGAIN", "[A]")))


class Requests(unittest.TestCase):
    def accepts(self, sends: tuple[str, ...], line: str, reference: str, subject: str) -> bool:
        return request_in_a_message(Writable.at(("open s1 c0 XPUB 8", "open s2 c0 XSUB 8", "open s3 c0 SUB 8", *sends), line, reference, subject))

    def test_accepts(self) -> None:
        for sends in (("msend s2 =x more", "csend s2 =%01b dontwait"), ("send s2 =x,=%01b",)):
            self.assertTrue(self.accepts(sends, "recv_vector s1 2 dontwait", "-1 EAGAIN count 1", "1 count 1 x"))
            self.assertTrue(self.accepts(sends, "recv1 s1 100", "1 x more", "1 x"))
            self.assertTrue(self.accepts(sends, "recvall s1 12", "[%01b] [x|-1 EAGAIN]", "[%01b] [x] -1 EAGAIN"))

    def test_rejects(self) -> None:
        inside = ("send s2 =x,=%01b",)
        self.assertFalse(self.accepts(("send s2 =x,=b",), "recv1 s1 100", "1 x more", "1 x"))
        self.assertFalse(self.accepts(("send s2 =x", "send s2 =%01b"), "recv1 s1 100", "1 x more", "1 x"))
        self.assertFalse(self.accepts(inside, "recv1 s3 100", "1 x more", "1 x"))
        self.assertFalse(self.accepts(inside, "recv1 s1 100", "1 x more", "1 y"))
        self.assertFalse(self.accepts(inside, "recvall s1 12", "[x|%01b] -1 EAGAIN", "[x] -1 EAGAIN"))


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


def last(lines: tuple[str, ...], line: str, reference: str, subject: str) -> Case:
    """A difference in the last line of a script."""
    return case((*lines, line), len(lines), ("0",) * len(lines) + (reference,), ("0",) * len(lines) + (subject,))


class Shared(unittest.TestCase):
    def accepts(self, line: str, reference: str, subject: str) -> bool:
        return shared_body(last(("ctx c0",), line, reference, subject))

    def test_accepts(self) -> None:
        self.assertTrue(self.accepts("msg_show g1", "59 <0.0:c.. 59 bytes 17> more 1 shared 1", "59 <0.0:c.. 59 bytes 17> more 1 shared 0"))
        self.assertTrue(self.accepts("msg_get g1 3", "1", "0"))

    def test_rejects(self) -> None:
        self.assertFalse(self.accepts("msg_show g1", "33 a more 0 shared 1", "33 a more 0 shared 0"))
        self.assertFalse(self.accepts("msg_show g1", "59 a more 1 shared 1", "59 a more 0 shared 0"))
        self.assertFalse(self.accepts("msg_get g1 3", "0", "1"))
        self.assertFalse(self.accepts("msg_get g1 1", "1", "0"))


class HalfSent(unittest.TestCase):
    LINES = ("open s1 c0 REQ 8", "open s2 c0 DEALER 8", "send s1 5,1 more", "send s2 4")

    def test_accepts(self) -> None:
        self.assertTrue(half_sent_request(last(self.LINES, "csend s1 3 dontwait", "-1 EAGAIN", "3")))

    def test_rejects(self) -> None:
        self.assertFalse(half_sent_request(last(self.LINES, "csend s1 3 dontwait", "3", "-1 EAGAIN")))
        self.assertFalse(half_sent_request(last(self.LINES, "send s2 3 dontwait", "-1 EAGAIN", "3")))
        self.assertFalse(half_sent_request(last((*self.LINES, "send s1 2"), "send s1 3", "-1 EAGAIN", "3")))

    def test_the_reply_after_a_blocking_send(self) -> None:
        lines = ("open s1 c0 REQ 8", "connect s1 inproc:a", "send s1 1 more", "close s2", "send s1 2")
        self.assertTrue(half_sent_request(last(lines, "recv s1 dontwait", "-1 EFSM", "-1 EAGAIN")))
        self.assertFalse(half_sent_request(last(lines, "recv s1 dontwait", "-1 EAGAIN", "-1 EFSM")))
        self.assertFalse(half_sent_request(last((*lines[:3], lines[4]), "recv s1 dontwait", "-1 EFSM", "-1 EAGAIN")))
        self.assertFalse(half_sent_request(last((*lines[:4], "send s1 2 dontwait"), "recv s1 dontwait", "-1 EFSM", "-1 EAGAIN")))


class GivenUp(unittest.TestCase):
    LINES = ("open s1 c0 PUSH 8", "open s2 c0 PULL 8", "set s2 RECONNECT_IVL i4 -1", "bind s1 tcp:1", "connect s2 tcp:1", "close s1")

    def test_accepts(self) -> None:
        self.assertTrue(received_before_the_end(last(self.LINES, "recvall s2 4", "-1 EAGAIN", "[1] [2] -1 EAGAIN")))
        self.assertTrue(received_before_the_end(last(self.LINES, "recvall s2 4", "[1] -1 EAGAIN", "[1] [2] -1 EAGAIN")))
        self.assertTrue(received_before_the_end(last(self.LINES, "events s2", "-", "i")))

    def test_rejects(self) -> None:
        self.assertFalse(received_before_the_end(last(self.LINES, "recvall s2 4", "[1] -1 EAGAIN", "-1 EAGAIN")))
        self.assertFalse(received_before_the_end(last(self.LINES, "recvall s2 4", "[2] -1 EAGAIN", "[1] [2] -1 EAGAIN")))
        self.assertFalse(received_before_the_end(last(self.LINES[:-1], "recvall s2 4", "-1 EAGAIN", "[1] -1 EAGAIN")))
        self.assertFalse(received_before_the_end(last((*self.LINES[:2], *self.LINES[3:]), "recvall s2 4", "-1 EAGAIN", "[1] -1 EAGAIN")))


class SecondPair(unittest.TestCase):
    LINES = ("open s1 c0 PAIR 8", "open s2 c0 PAIR 8", "open s3 c0 PAIR 8", "bind s2 tcp:1", "bind s3 tcp:2", "connect s1 tcp:1")

    def test_accepts(self) -> None:
        self.assertTrue(second_peer_of_pair(last((*self.LINES, "connect s1 tcp:2"), "events s3", "o", "-")))
        self.assertTrue(second_peer_of_pair(last(("monitor m1 s1 v1 ALL", *self.LINES, "connect s1 tcp:3"), "heard m1 36", "A()", "B()")))

    def test_rejects(self) -> None:
        self.assertFalse(second_peer_of_pair(last(self.LINES, "events s3", "o", "-")))
        inside = tuple(line.replace("tcp:", "inproc:") for line in (*self.LINES, "connect s1 tcp:2"))
        self.assertFalse(second_peer_of_pair(last(inside, "events s3", "o", "-")))


class Closed(unittest.TestCase):
    def accepts(self, reference: str, subject: str) -> bool:
        return closed_in_another_order(last(("ctx c0",), "heard m1 36", reference, subject))

    def test_accepts(self) -> None:
        both = ("CLOSED(fd tcp:1) CLOSED(fd tcp:2) MONITOR_STOPPED(0 )", "CLOSED(fd tcp:2) CLOSED(fd tcp:1) MONITOR_STOPPED(0 )")
        self.assertTrue(self.accepts(*both))

    def test_rejects(self) -> None:
        self.assertFalse(self.accepts("CLOSED(fd tcp:1) CLOSED(fd tcp:2)", "CLOSED(fd tcp:1)"))
        self.assertFalse(self.accepts("ACCEPTED(fd tcp:1) CONNECTED(fd tcp:2)", "CONNECTED(fd tcp:2) ACCEPTED(fd tcp:1)"))


class Metadata(unittest.TestCase):
    def test_only_after_a_receive_from_a_router(self) -> None:
        for kind, accepted in (("ROUTER", True), ("DEALER", False)):
            lines = (f"open s1 c0 {kind} 8", "msg_recv g0 s1 dontwait")
            self.assertEqual(accepted, metadata_of_an_id(last(lines, "msg_gets g0 User-Id", "NULL EINVAL", '"user"')))


class Option(unittest.TestCase):
    LINES = ("open s1 c0 REQ 8", "send s1 5", "set s1 REQ_CORRELATE i4 0")

    def test_accepts(self) -> None:
        self.assertTrue(reply_before_the_option(last(self.LINES, "recv s1 dontwait", "[1]", "-1 EAGAIN")))
        self.assertTrue(reply_before_the_option(last(self.LINES, "recv s1 dontwait", "-1 EAGAIN", "[1]")))

    def test_rejects(self) -> None:
        self.assertFalse(reply_before_the_option(last(self.LINES, "recv s1 dontwait", "[1]", "[2]")))
        self.assertFalse(reply_before_the_option(last((self.LINES[0], self.LINES[2], self.LINES[1]), "recv s1 dontwait", "-1 EAGAIN", "[1]")))


class Mismatch(unittest.TestCase):
    def accepts(self, transport: str) -> bool:
        lines = ("monitor m1 s1 v1 ALL", f"connect s1 {transport}:3")
        told = f"HANDSHAKE_FAILED_NO_DETAIL(EPIPE {transport}://3)", f"HANDSHAKE_FAILED_PROTOCOL(285212674 {transport}://3)"
        return mismatch_over_ipc(last(lines, "heard m1 36", *told))

    def test_over_ipc_only(self) -> None:
        self.assertTrue(self.accepts("ipc"))
        self.assertFalse(self.accepts("tcp"))


class Cut(unittest.TestCase):
    LINES = ("open s1 c0 PAIR 8", "recv1 s1 8", "disconnect s1 inproc:a")

    def accepts(self, line: str, reference: str, subject: str, received: str = "3 abc more") -> bool:
        return cut_message(case((*self.LINES, line), 3, ("ok", received, "0", reference), ("ok", received, "0", subject)))

    def test_accepts(self) -> None:
        self.assertTrue(self.accepts("recv s1", "[1|-1 EAGAIN", "[1|2]"))
        self.assertTrue(self.accepts("recv s1", "-1 EAGAIN", "[2]"))
        self.assertTrue(self.accepts("events s1", "-", "i"))

    def test_rejects(self) -> None:
        self.assertFalse(self.accepts("recv s1", "[1|-1 EAGAIN", "[3|2]"))
        self.assertFalse(self.accepts("recv s1", "-1 EAGAIN", "[2]", "3 abc"))
        self.assertFalse(self.accepts("events s1", "i", "-"))

    def test_a_message_that_a_look_has_found(self) -> None:
        lines = ("open s1 c0 ROUTER 8", "recv s1 dontwait", "settle 3", "disconnect s1 inproc:a")
        self.assertTrue(cut_message(one((*lines, "recv s1 dontwait"), "killed by SIGABRT", "[<id 0>|1]")))
        self.assertFalse(cut_message(one((*lines, "recv s1 dontwait"), "killed by SIGABRT", "-1 EAGAIN")))
        self.assertFalse(cut_message(one((lines[0], *lines[2:], lines[1], "recv s1 dontwait"), "killed by SIGABRT", "[<id 0>|1]")))
        self.assertFalse(cut_message(one(("open s1 c0 PULL 8", *lines[1:], "recv s1 dontwait"), "killed by SIGABRT", "[1]")))


class More(unittest.TestCase):
    def test_events_that_only_the_subject_has(self) -> None:
        self.assertEqual(heard_more(last(("ctx c0",), "heard m1 36", "A(1) B(2)", "A(1) C(0) B(2) D(3)")), {"C", "D"})
        self.assertEqual(heard_more(last(("ctx c0",), "heard m1 36", "nothing", "C(0)")), {"C"})
        self.assertIsNone(heard_more(last(("ctx c0",), "heard m1 36", "A(1) B(2)", "B(2) A(1)")))
        self.assertIsNone(heard_more(last(("ctx c0",), "recv s1", "A(1)", "A(1) B(2)")))

    def test_refused_peer(self) -> None:
        for status, accepted in (("300", True), ("200", False)):
            self.assertEqual(accepted, refused_peer_is_disconnected(last((f"zap z0 c0 {status}",), "heard m1 36", "A(1)", "A(1) DISCONNECTED(fd )")))
        self.assertFalse(refused_peer_is_disconnected(last(("zap z0 c0 300",), "heard m1 36", "A(1)", "A(1) ACCEPTED(fd )")))

    def test_reserved_bits(self) -> None:
        lines = ("bare_send n0 %FF%7F%03%00NULL%00", "bare_send n0 %FF")
        self.assertTrue(reserved_bits(last(lines, "heard m1 36", "A(1)", "A(1) HANDSHAKE_FAILED_PROTOCOL(1 ) DISCONNECTED(fd )")))
        self.assertTrue(reserved_bits(last(lines, "bare_recv n0", "abc", "abc end")))
        self.assertFalse(reserved_bits(last(lines, "bare_recv n0", "abc", "abd end")))
        self.assertFalse(reserved_bits(last(lines[:1], "heard m1 36", "A(1)", "A(1) DISCONNECTED(fd )")))

    def test_connected_to_itself(self) -> None:
        lines = ("monitor m1 s1 v1 ALL", "bind s1 tcp:1", "connect s1 tcp:1")
        self.assertTrue(connected_to_itself(last(lines, "heard m1 36", "A(1) B(2)", "B(2) A(1)")))
        self.assertFalse(connected_to_itself(last(lines[:2], "heard m1 36", "A(1) B(2)", "B(2) A(1)")))
        self.assertFalse(connected_to_itself(last(lines, "heard m1 36", "A(1) B(2)", "B(2) A(2)")))


def one(lines: tuple[str, ...], reference: str, subject: str) -> Case:
    """The last of these lines is the different one."""
    before = ("ok",) * (len(lines) - 1)
    return case(lines, len(lines) - 1, (*before, reference), (*before, subject))


class Pairs(unittest.TestCase):
    BEFORE = ("open s1 c0 PAIR 8", "connect s1 inproc:a", "disconnect s1 inproc:a", "connect s1 inproc:b")

    def test_accepts(self) -> None:
        self.assertTrue(pair_is_free_at_once(one((*self.BEFORE, "send s1 5 dontwait"), "-1 EAGAIN", "5")))
        self.assertTrue(pair_is_free_at_once(one((*self.BEFORE, "events s1"), "-", "o")))
        self.assertTrue(pair_is_free_at_once(one((*self.BEFORE, "recvall s1 3"), "[A] -1 EAGAIN", "[A] [B] -1 EAGAIN")))

    def test_rejects(self) -> None:
        self.assertFalse(pair_is_free_at_once(one((*self.BEFORE[:3], "send s1 5 dontwait"), "-1 EAGAIN", "5")))
        self.assertFalse(pair_is_free_at_once(one(("open s1 c0 DEALER 8", *self.BEFORE[1:], "send s1 5 dontwait"), "-1 EAGAIN", "5")))
        self.assertFalse(pair_is_free_at_once(one((*self.BEFORE, "send s1 5 dontwait"), "5", "-1 EAGAIN")))
        self.assertFalse(pair_is_free_at_once(one((*self.BEFORE, "events s1"), "o", "-")))
        self.assertFalse(pair_is_free_at_once(one((*self.BEFORE, "recvall s1 3"), "[A] [B] -1 EAGAIN", "[A] -1 EAGAIN")))


class Stopped(unittest.TestCase):
    def test_only_what_was_heard_before(self) -> None:
        lines = ("heard m1 3", "bind s2 inproc:a", "heard m1 3")
        after = ("nothing", "0", "MONITOR_STOPPED(0 )")
        self.assertTrue(stopped_later(case(lines, 2, after, ("MONITOR_STOPPED(0 )", "0", "nothing"))))
        self.assertFalse(stopped_later(case(lines, 2, after, ("nothing", "0", "nothing"))))


class Conflated(unittest.TestCase):
    def test_accepts(self) -> None:
        lines = ("set s2 CONFLATE i4 1", "bind s1 inproc:a", "connect s2 inproc:a", "send s1 4", "close s1", "recv s2 dontwait")
        self.assertTrue(conflated_message(one(lines, "-1 EAGAIN", "[0.0:c]")))
        self.assertTrue(conflated_message(one((*lines[:-1], "events s2"), "o", "io")))
        early = ("set s2 CONFLATE i4 1", "connect s2 inproc:a", "bind s1 inproc:a", "send s1 4", "recv s2 dontwait")
        self.assertTrue(conflated_message(one(early, "-1 EAGAIN", "[0.0:c]")))

    def test_rejects(self) -> None:
        lines = ("set s2 CONFLATE i4 1", "bind s1 inproc:a", "connect s2 inproc:a", "send s1 4", "recv s2 dontwait")
        self.assertFalse(conflated_message(one(lines, "-1 EAGAIN", "[0.0:c]")))
        self.assertFalse(conflated_message(one((*lines[1:4], "close s1", "recv s2 dontwait"), "-1 EAGAIN", "[0.0:c]")))
        self.assertFalse(conflated_message(one((*lines[:4], "close s1", "recv s2 dontwait"), "[0.0:c]", "-1 EAGAIN")))


class Cancelled(unittest.TestCase):
    def test_only_cancellations_after_an_end(self) -> None:
        lines = ("open s1 c0 XPUB 8", "disconnect s2 inproc:a", "recvall s1 3")
        self.assertTrue(cancelled_at_once(one(lines, "[%01A] -1 EAGAIN", "[%01A] [%00A] -1 EAGAIN")))
        self.assertTrue(cancelled_at_once(one((*lines[:2], "recv1 s1 2 dontwait"), "-1 EAGAIN", "2 %00A")))
        self.assertFalse(cancelled_at_once(one(lines, "-1 EAGAIN", "[%01A] -1 EAGAIN")))
        self.assertFalse(cancelled_at_once(one((lines[0], lines[2]), "-1 EAGAIN", "[%00A] -1 EAGAIN")))


class OverNetworks(unittest.TestCase):
    def test_a_stream_that_an_empty_message_ended(self) -> None:
        lines = ("open s1 c0 STREAM 60", "open s2 c0 STREAM 60", "send s2 @1,0 dontwait", "send s1 @0,1 dontwait")
        self.assertTrue(gone_stream(one(lines, "-1 EAGAIN", "-1 EHOSTUNREACH")))
        self.assertTrue(gone_stream(one((*lines[:2], "reply s2 0", lines[3]), "-1 EAGAIN", "-1 EHOSTUNREACH")))
        self.assertFalse(gone_stream(one((*lines[:2], "send s2 @1,5 dontwait", lines[3]), "-1 EAGAIN", "-1 EHOSTUNREACH")))

    def test_refused_with_300(self) -> None:
        lines = ("zap z0 c0 300", "set s2 RECONNECT_IVL i4 -1", "connect s2 ipc:3", "send s2 5")
        self.assertTrue(given_up_when_refused(one(lines, "5", "-1 EAGAIN")))
        self.assertTrue(given_up_when_refused(one((*lines[:3], "events s2"), "o", "-")))
        self.assertFalse(given_up_when_refused(one(("zap z0 c0 200", *lines[1:]), "5", "-1 EAGAIN")))
        self.assertFalse(given_up_when_refused(one((lines[0], *lines[2:]), "5", "-1 EAGAIN")))
        self.assertFalse(given_up_when_refused(one(lines, "-1 EAGAIN", "5")))

    def test_topics_of_a_conflating_sub(self) -> None:
        lines = ("open s1 c0 XPUB 60", "open s2 c0 SUB 60", "set s2 SUBSCRIBE text A", "set s2 SUBSCRIBE text B", "set s2 CONFLATE i4 1",
                 "connect s2 tcp:3")
        self.assertTrue(conflated_topics(one((*lines, "recv s1 dontwait"), "[%01B]", "[%01A]")))
        self.assertTrue(conflated_topics(one((*lines, "recv s2 dontwait"), "-1 EAGAIN", "[A]")))
        self.assertFalse(conflated_topics(one((*lines, "recv s2 dontwait"), "[A]", "-1 EAGAIN")))
        self.assertFalse(conflated_topics(one((*lines[:2], *lines[3:], "recv s1 dontwait"), "[%01B]", "[%01A]")))
        self.assertTrue(conflated_topics(one((*lines[:5], "connect s2 inproc:a", "recv s1 dontwait"), "[%01B]", "[%01A]")))
        self.assertFalse(conflated_topics(one((*lines[:4], "connect s2 inproc:a", "recv s1 dontwait"), "[%01B]", "[%01A]")))

    def test_a_message_behind_a_disconnect(self) -> None:
        lines = ("set s2 IMMEDIATE i4 1", "connect s2 tcp:3", "unbind s2 tcp:3", "recv s2 dontwait")
        self.assertTrue(lost_with_the_connection(one(lines, "-1 EAGAIN", "[0.0:cjqxelsz]")))
        self.assertFalse(lost_with_the_connection(one(lines, "[0]", "-1 EAGAIN")))
        self.assertFalse(lost_with_the_connection(one(lines[1:], "-1 EAGAIN", "[0.0:cjqxelsz]")))
        self.assertFalse(lost_with_the_connection(one((*lines[:2], lines[3]), "-1 EAGAIN", "[0.0:cjqxelsz]")))

    def test_replies_to_a_REQ_with_an_authenticator(self) -> None:
        lines = ("zap z0 c0 200", "open s1 c0 REQ 60", "set s1 PLAIN_SERVER i4 1", "monitor m0 s1 v1 ALL", "bind s1 tcp:3")
        self.assertTrue(reply_behind_an_authenticator(one((*lines, "recvall s1 3"), "-1 EAGAIN", "[1] -1 EFSM")))
        self.assertTrue(reply_behind_an_authenticator(one((*lines, "events s1"), "-", "i")))
        self.assertTrue(reply_behind_an_authenticator(one((*lines, "heard m0 36"), "ACCEPTED(fd a) DISCONNECTED(fd a)", "ACCEPTED(fd a)")))
        self.assertFalse(reply_behind_an_authenticator(one((*lines, "recvall s1 3"), "[1] -1 EFSM", "-1 EAGAIN")))
        self.assertFalse(reply_behind_an_authenticator(one((*lines[1:], "recvall s1 3"), "-1 EAGAIN", "[1] -1 EFSM")))
        self.assertFalse(reply_behind_an_authenticator(one((*lines[:2], *lines[3:], "recvall s1 3"), "-1 EAGAIN", "[1] -1 EFSM")))

    def test_a_probe_for_a_socket_that_was_early(self) -> None:
        lines = ("open s1 c0 ROUTER 60", "set s1 PROBE_ROUTER i4 1", "connect s1 inproc:a", "bind s1 inproc:a")
        self.assertTrue(probe_of_a_late_binder(one((*lines, "recvall s1 2"), "[<id 0>|] -1 EAGAIN", "[<id 0>|] [<id 1>|]")))
        self.assertFalse(probe_of_a_late_binder(one((*lines, "recvall s1 2"), "[<id 0>|] [<id 1>|]", "-1 EAGAIN")))
        self.assertFalse(probe_of_a_late_binder(one((*lines[:2], lines[3], lines[2], "recvall s1 2"), "-1 EAGAIN", "[<id 0>|] -1 EAGAIN")))

    def test_a_lost_connection_of_a_REP(self) -> None:
        lines = ("open s2 c0 REP 60", "set s2 RECONNECT_IVL i4 -1", "connect s2 tcp:3", "close s1", "recv s2 dontwait")
        self.assertTrue(request_of_an_ended_endpoint(one(lines, "killed by SIGABRT", "[1]")))
        self.assertFalse(request_of_an_ended_endpoint(one((lines[0], *lines[2:]), "killed by SIGABRT", "[1]")))

    def test_a_PAIR_behind_one_that_has_gone(self) -> None:
        lines = ("open s1 c0 PAIR 8", "connect s3 inproc:a", "connect s1 inproc:a", "close s3", "bind s2 inproc:a", "disconnect s1 inproc:a")
        self.assertTrue(pair_is_free_at_once(one(lines, "-1 ENOENT", "0")))
        self.assertFalse(pair_is_free_at_once(one(lines, "0", "-1 ENOENT")))
        self.assertFalse(pair_is_free_at_once(one((lines[0], lines[2], lines[1], *lines[3:]), "-1 ENOENT", "0")))
        self.assertFalse(pair_is_free_at_once(one((*lines[:3], *lines[4:]), "-1 ENOENT", "0")))

    def test_a_message_of_a_XSUB_with_others_between(self) -> None:
        lines = ("open s1 c0 XPUB 8", "open s2 c0 XSUB 8", "open s3 c0 XSUB 8", "send s2 =xAB more", "send s3 =%00ABC", "send s2 =%01", "recvall s1 2")
        self.assertTrue(request_in_a_message(one(lines, "[xAB|-1 EAGAIN", "[xAB] -1 EAGAIN")))
        self.assertFalse(request_in_a_message(one((*lines[:5], "send s3 =%01", lines[6]), "[xAB|-1 EAGAIN", "[xAB] -1 EAGAIN")))


class ReadableDescriptors(unittest.TestCase):
    def test_only_after_the_last_end(self) -> None:
        lines = ("connect s1 inproc:a", "disconnect s1 inproc:a", "fd_readable s1")
        self.assertTrue(fd_after_the_end(one(lines, "rings", "silent")))
        self.assertFalse(fd_after_the_end(one((*lines[:2], lines[0], "fd_readable s1"), "rings", "silent")))
        self.assertFalse(fd_after_the_end(one((lines[0], "fd_readable s1"), "rings", "silent")))

    def test_when_a_request_was_dropped(self) -> None:
        lines = (*REQUEST, "poll 0 s2:i", "recv s2 dontwait", "sleep 3", "fd_readable s1")

        def accepts(received: str, calls: tuple[str, ...] = lines) -> bool:
            results = ("ok", "ok", "1 7", "0 s2:-", received, "ok")
            return fd_after_a_dropped_request(case(calls, 6, (*results, "rings"), (*results, "silent")))

        self.assertTrue(accepts("-1 EAGAIN"))
        self.assertFalse(accepts("[A]"))
        self.assertFalse(accepts("-1 EAGAIN", (*lines[:5], "send s2 3", lines[6])))
        self.assertFalse(accepts("-1 EAGAIN", (*lines[:6], "fd_readable s2")))


if __name__ == "__main__":
    unittest.main()
