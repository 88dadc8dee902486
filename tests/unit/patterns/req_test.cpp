// SPDX-License-Identifier: MPL-2.0
#include "base/error.hpp"
#include "rig.hpp"

namespace zlink::test {
namespace {

class req_pattern : public ::testing::Test {
  protected:
    rig req{socket_type::req};
};

TEST_F(req_pattern, asks_behind_an_empty_frame_and_hears_what_is_behind_one) {
    far_side &peer = req.connect();
    EXPECT_EQ(req.send("q1|q2"), 0);
    EXPECT_EQ(peer.read_all(), "|q1|q2");
    EXPECT_EQ(req.receive(), "-");
    EXPECT_EQ(req.last_error, EAGAIN);
    peer.write("|a1||a3");
    EXPECT_EQ(req.receive(), "a1||a3");
    EXPECT_EQ(req.send("next"), 0);
    EXPECT_EQ(peer.read_all(), "|next");
}

TEST_F(req_pattern, keeps_the_order_of_request_and_reply) {
    far_side &peer = req.connect();
    EXPECT_EQ(req.receive(), "-");
    EXPECT_EQ(req.last_error, errc::wrong_state);
    EXPECT_TRUE(req.can_send());
    EXPECT_EQ(req.send_frame("q", true), 0);
    EXPECT_TRUE(req.can_send());
    EXPECT_EQ(req.receive(), "-");
    EXPECT_EQ(req.last_error, errc::wrong_state) << "in the middle of the request";
    EXPECT_EQ(req.send_frame("q", false), 0);
    EXPECT_FALSE(req.can_send());
    EXPECT_EQ(req.send("again"), errc::wrong_state);
    peer.write("|a|b");
    EXPECT_EQ(req.receive_frame(), "a");
    EXPECT_EQ(req.send("again"), errc::wrong_state) << "in the middle of the reply";
    EXPECT_FALSE(req.can_send());
    EXPECT_EQ(req.receive_frame(), "b");
    EXPECT_TRUE(req.can_send());
}

TEST_F(req_pattern, waits_for_somebody_to_ask) {
    EXPECT_FALSE(req.can_send());
    EXPECT_EQ(req.send("q"), EAGAIN);
    far_side &peer = req.connect();
    EXPECT_EQ(req.send("q"), 0);
    EXPECT_EQ(peer.read_all(), "|q");
}

TEST_F(req_pattern, asks_all_peers_in_turn) {
    far_side &a = req.connect();
    far_side &b = req.connect();
    for (far_side *peer : {&a, &b, &a}) {
        EXPECT_EQ(req.send("q"), 0);
        EXPECT_EQ(peer->read_all(), "|q");
        peer->write("|a");
        EXPECT_EQ(req.receive(), "a");
    }
}

TEST_F(req_pattern, drops_replies_without_an_envelope) {
    far_side &peer = req.connect();
    EXPECT_EQ(req.send("q"), 0);
    for (const char *bad : {"x", "x|y", "", "x||y"})
        peer.write(bad);
    EXPECT_EQ(req.receive(), "-");
    EXPECT_EQ(req.last_error, EAGAIN);
    peer.write("|");
    EXPECT_EQ(req.receive(), "");
}

TEST_F(req_pattern, hears_only_the_peer_that_was_asked) {
    far_side &a = req.connect();
    far_side &b = req.connect();
    EXPECT_EQ(req.send("q"), 0);
    b.write("|not asked");
    EXPECT_EQ(req.receive(), "-");
    a.write("|asked");
    a.write("|twice");
    EXPECT_EQ(req.receive(), "asked");
    EXPECT_EQ(req.send("to b"), 0);
    EXPECT_EQ(b.read_all(), "|to b");
    b.write("|b");
    EXPECT_EQ(req.receive(), "b") << "the second reply of a was dropped";
}

TEST_F(req_pattern, drops_what_was_there_before_the_request) {
    far_side &peer = req.connect();
    peer.write("|early");
    peer.write("|early|too");
    EXPECT_EQ(req.send("q"), 0);
    EXPECT_EQ(req.receive(), "-");
    peer.write("|a");
    EXPECT_EQ(req.receive(), "a");
}

TEST_F(req_pattern, another_peer_may_answer_for_one_that_is_gone) {
    far_side &a = req.connect();
    EXPECT_EQ(req.send("q"), 0);
    a.close();
    req.process();
    EXPECT_FALSE(req.can_send()) << "the reply is still awaited";
    far_side &b = req.connect();
    EXPECT_EQ(req.receive(), "-");
    b.write("|instead");
    EXPECT_EQ(req.receive(), "instead");
}

TEST_F(req_pattern, a_reply_is_read_though_its_sender_is_gone) {
    far_side &peer = req.connect();
    EXPECT_EQ(req.send("q"), 0);
    peer.write("|a|b");
    peer.close();
    EXPECT_EQ(req.receive_frame(), "a");
    EXPECT_EQ(req.receive_frame(), "b");
    EXPECT_FALSE(req.can_send());
    EXPECT_EQ(req.send("q"), EAGAIN);
}

TEST_F(req_pattern, a_request_whose_peer_went_vanishes) {
    far_side &a = req.connect();
    far_side &b = req.connect();
    EXPECT_EQ(req.send_frame("1", true), 0);
    a.close();
    req.process();
    EXPECT_EQ(req.send_frame("2", false), 0);
    EXPECT_EQ(b.read_all(), "");
    EXPECT_EQ(req.send("again"), errc::wrong_state);
}

TEST_F(req_pattern, takes_no_answer_in_place_of_one_that_was_detached_in_the_middle) {
    far_side &a = req.connect();
    EXPECT_EQ(req.send("q"), 0);
    a.write("|1|2");
    EXPECT_EQ(req.receive_frame(), "1");
    req.detach(req.of(a));
    EXPECT_EQ(req.receive(), "-");
    EXPECT_EQ(req.last_error, EAGAIN);
    far_side &b = req.connect();
    b.write("|whole");
    EXPECT_EQ(req.receive(), "-");
}

TEST_F(req_pattern, correlated_requests_have_ids_and_take_no_other_replies) {
    req.options.pattern.request_correlate = true;
    far_side &peer = req.connect();
    EXPECT_EQ(req.send("q"), 0);
    const frames first = peer.read_frames();
    ASSERT_EQ(first.size(), 3U);
    EXPECT_EQ(first[0].size(), 4U);
    EXPECT_EQ(first[1] + first[2], "q");
    peer.write("|no id");
    peer.write("1234|no delimiter");
    peer.write("1234||wrong id");
    peer.write_frames({first[0]});
    peer.write_frames({first[0], ""});
    peer.write_frames({first[0], "x", "y"});
    EXPECT_EQ(req.receive(), "-");
    peer.write_frames({first[0], "", "a"});
    EXPECT_EQ(req.receive(), "a");
    EXPECT_EQ(req.send("q"), 0);
    EXPECT_NE(peer.read_frames()[0], first[0]);
}

TEST_F(req_pattern, relaxed_gives_up_the_reply_for_a_new_request) {
    req.options.pattern.request_relaxed = true;
    req.options.pattern.request_correlate = true;
    far_side &peer = req.connect();
    EXPECT_EQ(req.receive(), "-");
    EXPECT_EQ(req.last_error, errc::wrong_state) << "nothing was asked";
    EXPECT_EQ(req.send("1"), 0);
    const std::string id = peer.read_frames()[0];
    EXPECT_TRUE(req.can_send());
    peer.write_frames({id, "", "a1"});
    EXPECT_EQ(req.send("2"), 0);
    peer.write_frames({id, "", "a1 late"});
    EXPECT_EQ(req.receive(), "-");
    const std::string second = peer.read_frames()[0];
    peer.write_frames({second, "", "a2", "rest"});
    EXPECT_EQ(req.receive_frame(), "a2");
    EXPECT_EQ(req.send("3"), 0) << "in the middle of a reply";
    peer.write_frames({peer.read_frames()[0], "", "a3"});
    EXPECT_EQ(req.receive(), "a3");
}

TEST_F(req_pattern, says_hello_when_told_to_probe) {
    req.options.pattern.probe_router = true;
    EXPECT_EQ(req.connect().read_all(), "");
}

} // namespace
} // namespace zlink::test
