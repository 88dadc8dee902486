# SPDX-License-Identifier: MPL-2.0
"""Rules about turns, and about ends that libzmq takes for others."""

import unittest

from machine.case import Case
from machine.rules import (closed_in_another_order, cut_message, half_sent_request, id_of_a_gone_peer, message_to_two_peers,
                           newest_behind_an_id, old_peer_stays, other_connection_stays, reply_behind_malformed, subscriptions_beyond_the_mark, turn_behind_malformed,
                           types_over_ipc)


def one(lines: tuple[str, ...], reference: str, subject: str) -> Case:
    """The last of these lines is the different one."""
    before = ("ok",) * (len(lines) - 1)
    return Case(lines, len(lines) - 1, (*before, reference), (*before, subject))


class Others(unittest.TestCase):
    def test_types_over_ipc(self) -> None:
        lines = ("open s1 c0 PAIR 60", "open s2 c0 PULL 60", "monitor m1 s1 v1 ALL", "bind s1 ipc:1", "connect s2 ipc:1", "heard m1 36")
        less, more = "ACCEPTED(fd ipc://a) DISCONNECTED(fd ipc://a)", "ACCEPTED(fd ipc://a) HANDSHAKE_FAILED_NO_DETAIL(EPIPE ipc://a) DISCONNECTED(fd ipc://a)"
        self.assertTrue(types_over_ipc(one(lines, more, less)))
        self.assertFalse(types_over_ipc(one(lines, less, more)))
        self.assertFalse(types_over_ipc(one((*lines[:4], *lines[5:]), more, less)))
        self.assertFalse(types_over_ipc(one(lines, more, "ACCEPTED(fd ipc://a)")))

    def test_an_old_peer_after_the_interval(self) -> None:
        lines = ("set s1 HANDSHAKE_IVL i4 50", "bind s1 tcp:1", "bare n0 tcp:1", "bare_send n0 %01%00", "bare_recv n0")
        self.assertTrue(old_peer_stays(one(lines, "%FF end", "%FF")))
        self.assertFalse(old_peer_stays(one(lines, "%FF", "%FF end")))
        self.assertFalse(old_peer_stays(one(lines[1:], "%FF end", "%FF")))
        self.assertFalse(old_peer_stays(one((*lines[:3], "bare_send n0 %FF%00", lines[4]), "%FF end", "%FF")))
        heard = (*lines[:4], "heard m1 36")
        self.assertTrue(old_peer_stays(one(heard, "ACCEPTED(fd a) HANDSHAKE_FAILED_NO_DETAIL(EAGAIN a) DISCONNECTED(fd a)", "ACCEPTED(fd a)")))
        self.assertFalse(old_peer_stays(one(heard, "ACCEPTED(fd a) DISCONNECTED(fd a)", "CLOSED(fd a)")))

    def test_the_newest_message_behind_an_id(self) -> None:
        lines = ("open s1 c0 DEALER 8", "open s2 c0 ROUTER 8", "set s1 CONFLATE i4 1", "recv s2 dontwait")
        self.assertTrue(newest_behind_an_id(one(lines, "[<id 0>|1]", "[<id 0>|2]")))
        self.assertFalse(newest_behind_an_id(one(lines, "[<id 0>|1]", "-1 EAGAIN")))
        self.assertFalse(newest_behind_an_id(one((*lines[:2], lines[3]), "[<id 0>|1]", "[<id 0>|2]")))

    def test_the_turn_behind_malformed_requests(self) -> None:
        lines = ("open s1 c0 DEALER 8", "open s2 c0 DEALER 8", "open s3 c0 REP 8", "send s1 0", "send s1 =A,0,9", "send s2 0,5", "recv s3")
        self.assertTrue(turn_behind_malformed(one(lines, "[0.0]", "[1.0]")))
        self.assertFalse(turn_behind_malformed(one(lines, "[0.0]", "-1 EAGAIN")))
        self.assertFalse(turn_behind_malformed(one((*lines[:4], "send s1 0,9", *lines[5:]), "[0.0]", "[1.0]")))

    def test_a_second_connection_to_an_endpoint(self) -> None:
        lines = ("set s1 RECONNECT_IVL i4 -1", "connect s1 tcp:1", "connect s1 tcp:1", "close s2", "send s1 5 dontwait")
        self.assertTrue(other_connection_stays(one(lines, "-1 EAGAIN", "5")))
        self.assertTrue(other_connection_stays(one((*lines[:4], "events s1"), "-", "o")))
        self.assertFalse(other_connection_stays(one(lines, "5", "-1 EAGAIN")))
        self.assertFalse(other_connection_stays(one((*lines[:2], *lines[3:]), "-1 EAGAIN", "5")))
        self.assertFalse(other_connection_stays(one(lines[1:], "-1 EAGAIN", "5")))

    def test_a_message_that_is_found_and_cut(self) -> None:
        lines = ("open s1 c0 SUB 8", "connect s1 inproc:a", "disconnect s1 inproc:a", "recv_vector s1 2 dontwait")
        self.assertTrue(cut_message(one(lines, "-1 EAGAIN count 1", "2 count 2 a b")))
        self.assertFalse(cut_message(one(lines, "-1 EAGAIN count 0", "2 count 2 a b")))
        self.assertFalse(cut_message(one((*lines[:2], lines[3]), "-1 EAGAIN count 1", "2 count 2 a b")))

    def test_the_end_of_a_monitored_socket_with_several_endpoints(self) -> None:
        lines = ("open s1 c0 PUB 8", "monitor m1 s1 v1 ALL", "connect s1 inproc:noise", "heard m1 36")
        self.assertTrue(closed_in_another_order(one(lines, "CLOSED(fd b) CLOSED(fd a)", "CLOSED(fd a) CLOSED(fd b) MONITOR_STOPPED(0 )")))
        self.assertFalse(closed_in_another_order(one((*lines[:2], lines[3]), "CLOSED(fd b) CLOSED(fd a)", "CLOSED(fd a) CLOSED(fd b) MONITOR_STOPPED(0 )")))

    def test_the_request_behind_a_half_sent_one(self) -> None:
        lines = ("open s1 c0 REQ 8", "send s1 5 dontwait more", "close s2", "send s1 6", "send s1 7 dontwait")
        self.assertTrue(half_sent_request(one(lines, "7", "-1 EFSM")))
        self.assertFalse(half_sent_request(one((*lines[:2], *lines[3:]), "7", "-1 EFSM")))

    def test_a_reply_behind_a_malformed_message(self) -> None:
        lines = ("open s1 c0 DEALER 8", "open s2 c0 DEALER 8", "open s3 c0 REP 8", "send s1 38", "close s1", "send s2 0,5", "send s3 7", "recv s2")
        self.assertTrue(reply_behind_malformed(one(lines, "-1 EAGAIN", "[|2.0]")))
        self.assertFalse(reply_behind_malformed(one(lines, "[|2.0]", "-1 EAGAIN")))
        self.assertFalse(reply_behind_malformed(one((*lines[:3], "send s1 0,5", *lines[4:]), "-1 EAGAIN", "[|2.0]")))
        self.assertFalse(reply_behind_malformed(one((*lines[:4], *lines[5:]), "-1 EAGAIN", "[|2.0]")))

    def test_a_message_to_two_peers(self) -> None:
        lines = ("open s1 c0 PUSH 8", "open s2 c0 PULL 8", "connect s1 inproc:a", "connect s1 inproc:b", "connect s1 inproc:c",
                 "send s1 5 more", "close s3", "send s1 6", "recv s2")
        self.assertTrue(message_to_two_peers(one(lines, "-1 EAGAIN", "[0.0:|1.0:]")))
        self.assertFalse(message_to_two_peers(one((*lines[:4], *lines[5:]), "-1 EAGAIN", "[0.0:|1.0:]")))
        self.assertFalse(message_to_two_peers(one((*lines[:6], *lines[7:]), "-1 EAGAIN", "[0.0:|1.0:]")))
        self.assertFalse(message_to_two_peers(one((*lines[:5], "send s1 5", *lines[6:]), "-1 EAGAIN", "[0.0:]")))

    def test_subscriptions_beyond_the_mark(self) -> None:
        lines = ("open s1 c0 XPUB 8", "open s2 c0 SUB 8", "set s2 SUBSCRIBE text A", "set s2 SUBSCRIBE text B", "set s2 SNDHWM i4 1",
                 "connect s2 inproc:a", "recv s1 dontwait")
        self.assertTrue(subscriptions_beyond_the_mark(one(lines, "-1 EAGAIN", "[%01A]")))
        self.assertFalse(subscriptions_beyond_the_mark(one(lines, "[%01A]", "-1 EAGAIN")))
        self.assertFalse(subscriptions_beyond_the_mark(one((*lines[:4], *lines[5:]), "-1 EAGAIN", "[%01A]")))

    def test_an_id_that_is_taken_again(self) -> None:
        lines = ("open s1 c0 ROUTER 8", "open s4 c0 DEALER 8", "set s4 ROUTING_ID text C", "set s5 ROUTING_ID text C", "close s4", "reply s1 5")
        self.assertTrue(id_of_a_gone_peer(one(lines, "-1 EHOSTUNREACH", "1 5")))
        self.assertFalse(id_of_a_gone_peer(one(lines, "1 5", "-1 EHOSTUNREACH")))
        self.assertFalse(id_of_a_gone_peer(one((*lines[:4], lines[5]), "-1 EHOSTUNREACH", "1 5")))
        self.assertTrue(id_of_a_gone_peer(one((*lines[:5], "recv s4"), "-1 EAGAIN", "[5]")))


if __name__ == "__main__":
    unittest.main()
