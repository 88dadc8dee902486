// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

class pair_pattern : public ::testing::Test {
  protected:
    rig pair{socket_type::pair};
};

TEST_F(pair_pattern, passes_messages_both_ways) {
    far_side &peer = pair.connect();
    EXPECT_EQ(pair.send("one"), 0);
    EXPECT_EQ(pair.send("a||c"), 0);
    EXPECT_EQ(peer.read_all(), "one a||c");
    peer.write("x|y");
    peer.write("z");
    EXPECT_EQ(pair.receive_all(), "x|y z");
    EXPECT_EQ(pair.last_error, EAGAIN);
}

TEST_F(pair_pattern, passes_bodies_of_every_size) {
    far_side &peer = pair.connect();
    for (const std::size_t size : {0U, 1U, 255U, 256U, 8192U, 8193U, 300000U}) {
        const std::string body(size, 'b');
        EXPECT_EQ(pair.send(body), 0);
        EXPECT_EQ(peer.read(), body);
        peer.write(body + "|" + body);
        EXPECT_EQ(pair.receive(), body + "|" + body);
    }
}

TEST_F(pair_pattern, has_nobody_to_send_to_without_a_peer) {
    EXPECT_FALSE(pair.can_send());
    EXPECT_EQ(pair.send("lost"), EAGAIN);
    EXPECT_EQ(pair.receive(), "-");
    EXPECT_EQ(pair.last_error, EAGAIN);
}

TEST_F(pair_pattern, refuses_a_second_peer_and_keeps_the_first) {
    far_side &first = pair.connect();
    rig::peer &second = pair.make_peer();
    second.far.write("not seen");
    EXPECT_FALSE(pair.attach(second));
    EXPECT_EQ(pair.send("m"), 0);
    EXPECT_EQ(first.read(), "m");
    EXPECT_EQ(pair.receive(), "-");
}

TEST_F(pair_pattern, takes_another_peer_when_the_first_is_gone) {
    far_side &first = pair.connect();
    first.close();
    pair.process();
    EXPECT_TRUE(pair.of(first).near_closed);
    far_side &second = pair.connect();
    EXPECT_EQ(pair.send("m"), 0);
    EXPECT_EQ(second.read(), "m");
}

TEST_F(pair_pattern, reads_what_a_gone_peer_left_and_finishes_it_once) {
    far_side &peer = pair.connect();
    peer.write("a|b");
    peer.write("c");
    peer.close();
    pair.process();
    EXPECT_FALSE(pair.can_send());
    EXPECT_EQ(pair.send("late"), EAGAIN);
    EXPECT_EQ(pair.of(peer).finished, 0);
    EXPECT_FALSE(pair.attach(pair.make_peer())) << "the place is taken until all is read";
    EXPECT_EQ(pair.receive_all(), "a|b c");
    EXPECT_EQ(pair.of(peer).finished, 1);
    EXPECT_EQ(pair.receive(), "-");
}

TEST_F(pair_pattern, stops_at_the_high_water_mark_and_goes_on_when_woken) {
    far_side &peer = pair.connect({}, 2);
    EXPECT_EQ(pair.send("1"), 0);
    EXPECT_EQ(pair.send("2|2"), 0);
    EXPECT_FALSE(pair.can_send());
    EXPECT_EQ(pair.send("3"), EAGAIN);
    const int wakes = pair.box->wakes;
    EXPECT_EQ(peer.read(), "1");
    EXPECT_GT(pair.box->wakes, wakes) << "the writer waits for room";
    EXPECT_TRUE(pair.can_send());
    EXPECT_EQ(pair.send("3"), 0);
    EXPECT_EQ(peer.read_all(), "2|2 3");
}

TEST_F(pair_pattern, a_started_message_is_never_stopped_by_the_mark) {
    far_side &peer = pair.connect({}, 1);
    EXPECT_EQ(pair.send_frame("a", true), 0);
    EXPECT_EQ(pair.send_frame("b", true), 0);
    EXPECT_TRUE(pair.can_send());
    EXPECT_EQ(peer.read(), "-") << "nothing is seen before the last frame";
    EXPECT_EQ(pair.send_frame("c", false), 0);
    EXPECT_EQ(peer.read(), "a|b|c");
}

TEST_F(pair_pattern, is_woken_only_when_it_sleeps) {
    far_side &peer = pair.connect();
    peer.write("1");
    peer.write("2");
    EXPECT_EQ(pair.box->wakes, 0) << "it has not looked yet";
    EXPECT_EQ(pair.receive_all(), "1 2");
    peer.write("3");
    peer.write("4");
    EXPECT_EQ(pair.box->wakes, 1) << "one wakeup for both";
    EXPECT_EQ(pair.receive_all(), "3 4");
}

TEST_F(pair_pattern, wakes_a_sleeping_peer) {
    far_side &peer = pair.connect();
    EXPECT_TRUE(peer.end->prepare_wait_data());
    EXPECT_EQ(pair.send_frame("a", true), 0);
    EXPECT_EQ(peer.take_events(), 0U);
    EXPECT_EQ(pair.send_frame("b", false), 0);
    EXPECT_EQ(peer.take_events(), pipe_event::readable);
    EXPECT_EQ(peer.read(), "a|b");
}

TEST_F(pair_pattern, gives_a_message_up_whose_peer_went) {
    far_side &first = pair.connect();
    EXPECT_EQ(pair.send_frame("a", true), 0);
    first.close();
    pair.process();
    EXPECT_FALSE(pair.can_send());
    EXPECT_EQ(pair.send_frame("b", true), EAGAIN);
    far_side &second = pair.connect();
    EXPECT_EQ(second.read(), "-");
    EXPECT_EQ(pair.send("whole"), 0);
    EXPECT_EQ(second.read(), "whole");
}

TEST_F(pair_pattern, takes_back_a_half_sent_message_when_it_is_detached) {
    far_side &peer = pair.connect();
    EXPECT_EQ(pair.send("whole"), 0);
    EXPECT_EQ(pair.send_frame("half", true), 0);
    pair.detach(pair.of(peer));
    EXPECT_EQ(peer.read_all(), "whole");
    EXPECT_EQ(pair.send_frame("end", false), EAGAIN);
    EXPECT_EQ(pair.send("m"), EAGAIN);
}

TEST_F(pair_pattern, repeated_hints_are_harmless) {
    far_side &peer = pair.connect();
    pair.on_pipe_event(*peer.near, pipe_event::readable | pipe_event::writable);
    EXPECT_EQ(pair.receive(), "-");
    pair.on_pipe_event(*peer.near, pipe_event::readable | pipe_event::writable);
    EXPECT_EQ(pair.receive(), "-");
    peer.write("m");
    EXPECT_EQ(pair.receive(), "m");
}

} // namespace
} // namespace zlink::test
