// SPDX-License-Identifier: MPL-2.0
#include "base/error.hpp"
#include "rig.hpp"
#include "short_memory.hpp"

namespace zlink::test {
namespace {

class rep_pattern : public ::testing::Test {
  protected:
    rig rep{socket_type::rep};
};

TEST_F(rep_pattern, answers_behind_the_envelope_of_the_request) {
    far_side &a = rep.connect();
    far_side &b = rep.connect();
    a.write("hop1|hop2||q1|q2");
    b.write("|q");
    EXPECT_EQ(rep.receive(), "q1|q2");
    EXPECT_EQ(rep.send("a1|a2"), 0);
    EXPECT_EQ(rep.receive(), "q");
    EXPECT_EQ(rep.send("a"), 0);
    EXPECT_EQ(a.read_all(), "hop1|hop2||a1|a2");
    EXPECT_EQ(b.read_all(), "|a");
}

TEST_F(rep_pattern, the_envelope_ends_with_the_first_empty_frame) {
    far_side &a = rep.connect();
    a.write("||");
    EXPECT_EQ(rep.receive(), "|");
    EXPECT_EQ(rep.send("a"), 0);
    EXPECT_EQ(a.read_all(), "|a");
}

TEST_F(rep_pattern, keeps_the_order_of_request_and_reply) {
    far_side &a = rep.connect();
    EXPECT_FALSE(rep.can_send());
    EXPECT_EQ(rep.send("early"), errc::wrong_state);
    a.write("|q1|q2");
    EXPECT_EQ(rep.receive_frame(), "q1");
    EXPECT_FALSE(rep.can_send());
    EXPECT_EQ(rep.send("early"), errc::wrong_state) << "in the middle of the request";
    EXPECT_EQ(rep.receive_frame(), "q2");
    EXPECT_TRUE(rep.can_send());
    a.write("|next");
    EXPECT_EQ(rep.receive(), "-");
    EXPECT_EQ(rep.last_error, errc::wrong_state) << "the reply is due";
    EXPECT_EQ(rep.send_frame("a1", true), 0);
    EXPECT_EQ(rep.receive(), "-");
    EXPECT_EQ(rep.last_error, errc::wrong_state) << "in the middle of the reply";
    EXPECT_EQ(rep.send_frame("a2", false), 0);
    EXPECT_EQ(rep.receive(), "next");
}

TEST_F(rep_pattern, skips_what_is_no_request) {
    far_side &a = rep.connect();
    for (const char *bad : {"", "x", "x|y", "x|y|"})
        a.write(bad);
    EXPECT_EQ(rep.receive(), "-");
    EXPECT_EQ(rep.last_error, EAGAIN);
    a.write("x|y");
    a.write("||");
    EXPECT_EQ(rep.receive(), "|");
}

TEST_F(rep_pattern, a_reply_to_somebody_who_is_gone_is_dropped) {
    far_side &a = rep.connect();
    a.write("|q|q");
    a.close();
    EXPECT_EQ(rep.receive(), "q|q");
    EXPECT_EQ(rep.send("lost|lost"), 0);
    far_side &b = rep.connect();
    b.write("|q");
    EXPECT_EQ(rep.receive(), "q");
    EXPECT_EQ(rep.send_frame("a", true), 0);
    b.close();
    rep.process();
    EXPECT_EQ(rep.send_frame("b", false), 0);
    EXPECT_EQ(rep.receive(), "-");
    EXPECT_EQ(rep.last_error, EAGAIN);
}

TEST_F(rep_pattern, a_reply_without_room_is_dropped) {
    far_side &a = rep.connect({}, 1);
    for (const char *answer : {"1", "2|2", "3"}) {
        a.write("|q");
        EXPECT_EQ(rep.receive(), "q");
        EXPECT_EQ(rep.send(answer), 0);
    }
    EXPECT_EQ(a.read_all(), "|1");
}

TEST_F(rep_pattern, waits_on_when_the_asker_is_detached_in_the_middle) {
    far_side &a = rep.connect();
    far_side &b = rep.connect();
    a.write("|1|2");
    EXPECT_EQ(rep.receive_frame(), "1");
    rep.detach(rep.of(a));
    EXPECT_EQ(rep.send("early"), errc::wrong_state);
    b.write("|whole");
    EXPECT_EQ(rep.receive(), "whole");
    EXPECT_EQ(rep.send("a"), 0);
    EXPECT_EQ(b.read_all(), "|a");
}

TEST_F(rep_pattern, large_envelopes_come_back_whole) {
    far_side &a = rep.connect();
    const std::string hop(20000, 'h');
    a.write(hop + "||q");
    EXPECT_EQ(rep.receive(), "q");
    EXPECT_EQ(rep.send("a"), 0);
    EXPECT_EQ(a.read_all(), hop + "||a");
}

// As with libzmq, which finds such a message in a look and drops it in the receive.
TEST_F(rep_pattern, a_look_that_drops_a_message_leaves_the_turns) {
    far_side &a = rep.connect();
    far_side &b = rep.connect();
    EXPECT_FALSE(rep.can_receive());
    a.write("malformed");
    rep.process();
    EXPECT_FALSE(rep.can_receive());
    b.write("|b");
    a.write("|a");
    rep.process();
    EXPECT_TRUE(rep.can_receive());
    EXPECT_EQ(rep.receive(), "a");
    EXPECT_EQ(rep.send("1"), 0);
    EXPECT_EQ(rep.receive(), "b");
    EXPECT_EQ(rep.send("2"), 0);
}

TEST_F(rep_pattern, a_look_that_drops_a_message_of_several_frames_passes_the_turn_later) {
    far_side &a = rep.connect();
    far_side &b = rep.connect();
    EXPECT_FALSE(rep.can_receive());
    a.write("mal|formed");
    rep.process();
    EXPECT_FALSE(rep.can_receive());
    b.write("|b");
    a.write("|a");
    rep.process();
    EXPECT_EQ(rep.receive(), "b");
    EXPECT_EQ(rep.send("1"), 0);
    EXPECT_EQ(rep.receive(), "a");
}

// A program that only polls keeps a few of them.
TEST_F(rep_pattern, peers_that_go_after_such_a_look_are_done_with) {
    far_side &a = rep.connect();
    a.write("malformed");
    rep.process();
    EXPECT_FALSE(rep.can_receive());
    std::vector<far_side *> others;
    for (int i = 0; i < 40; ++i) {
        others.push_back(&rep.connect());
        others.back()->close();
        rep.process();
        EXPECT_FALSE(rep.can_receive());
    }
    int left = 0;
    for (far_side *each : others)
        left += rep.of(*each).finished == 0 ? 1 : 0;
    EXPECT_LE(left, 16);
}

// A frame of the envelope that cannot be kept takes its message along, and nothing else.
TEST(rep_memory, a_request_whose_envelope_finds_no_memory_is_lost) {
    const std::string hop(100, 'h');
    for (const int allocations : {0, 1}) // one for the bytes, one for their number
        for (const bool ends_there : {true, false}) {
            rig rep{socket_type::rep};
            far_side &peer = rep.connect();
            peer.write_frames(ends_there ? frames{hop} : frames{hop, hop, "", "lost"});
            peer.write("id||question");
            incoming_frame frame;
            int code = 0;
            try {
                const short_memory few(allocations);
                code = rep.take_frame(frame);
            } catch (const std::bad_alloc &) {
                code = ENOMEM;
            }
            ASSERT_NE(code, 0) << "there was memory";
            EXPECT_EQ(rep.receive(), "question");
            EXPECT_EQ(rep.send("answer"), 0);
            EXPECT_EQ(peer.read(), "id||answer");
        }
}

} // namespace
} // namespace zlink::test
