// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

#include <string_view>

namespace zlink::test {
namespace {

class dealer_pattern : public ::testing::Test {
  protected:
    rig dealer{socket_type::dealer};
};

TEST_F(dealer_pattern, sends_whole_messages_to_all_peers_in_turn) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    far_side &c = dealer.connect();
    for (const char *text : {"1", "2|2", "3", "4|4|4", "5", "6"})
        EXPECT_EQ(dealer.send(text), 0);
    EXPECT_EQ(a.read_all(), "1 4|4|4");
    EXPECT_EQ(b.read_all(), "2|2 5");
    EXPECT_EQ(c.read_all(), "3 6");
}

TEST_F(dealer_pattern, receives_whole_messages_from_all_peers_in_turn) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    far_side &c = dealer.connect();
    a.write("a1|x");
    a.write("a2");
    a.write("a3");
    b.write("b1|y|z");
    c.write("c1");
    c.write("c2");
    EXPECT_EQ(dealer.receive_all(), "a1|x b1|y|z c1 a2 c2 a3");
}

TEST_F(dealer_pattern, a_message_is_not_interrupted_by_news_of_others) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    EXPECT_EQ(dealer.receive(), "-");
    a.write("a1|a2|a3");
    EXPECT_EQ(dealer.receive_frame(), "a1");
    b.write("b");
    dealer.process();
    far_side &c = dealer.connect();
    c.write("c");
    EXPECT_EQ(dealer.receive_frame(), "a2");
    EXPECT_EQ(dealer.receive_frame(), "a3");
    EXPECT_FALSE(dealer.more);
    EXPECT_EQ(dealer.receive_all(), "b c");
}

TEST_F(dealer_pattern, passes_over_a_full_peer_until_it_has_room) {
    far_side &small = dealer.connect({}, 1);
    far_side &large = dealer.connect();
    for (const char *text : {"1", "2", "3", "4"})
        EXPECT_EQ(dealer.send(text), 0);
    EXPECT_EQ(small.read_all(), "1");
    EXPECT_EQ(large.read_all(), "2 3 4");
    EXPECT_EQ(dealer.send("5"), 0);
    EXPECT_EQ(dealer.send("6"), 0);
    EXPECT_EQ(small.read_all().size() + large.read_all().size(), 2U);
    EXPECT_EQ(dealer.send("7"), 0);
    EXPECT_EQ(dealer.send("8"), 0);
    EXPECT_EQ(small.read_all().size(), 1U) << "its turn came again";
}

TEST_F(dealer_pattern, blocks_when_all_peers_are_full) {
    EXPECT_FALSE(dealer.can_send());
    EXPECT_EQ(dealer.send("m"), EAGAIN);
    far_side &a = dealer.connect({}, 1);
    far_side &b = dealer.connect({}, 1);
    EXPECT_EQ(dealer.send("1"), 0);
    EXPECT_EQ(dealer.send("2"), 0);
    EXPECT_FALSE(dealer.can_send());
    EXPECT_EQ(dealer.send("3|3"), EAGAIN);
    EXPECT_EQ(b.read(), "2");
    EXPECT_EQ(dealer.send("3|3"), 0);
    EXPECT_EQ(b.read(), "3|3");
    EXPECT_EQ(a.read_all(), "1");
}

TEST_F(dealer_pattern, drops_the_rest_of_a_message_whose_peer_went) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    EXPECT_EQ(dealer.send_frame("1", true), 0);
    a.close();
    dealer.process();
    EXPECT_EQ(dealer.send_frame("2", true), 0);
    EXPECT_EQ(dealer.send_frame("3", false), 0);
    EXPECT_EQ(dealer.send("next"), 0);
    EXPECT_EQ(b.read_all(), "next");
}

TEST_F(dealer_pattern, takes_back_a_half_sent_message_when_the_peer_is_detached) {
    far_side &a = dealer.connect();
    EXPECT_EQ(dealer.send_frame("1", true), 0);
    dealer.detach(dealer.of(a));
    EXPECT_EQ(a.read_all(), "");
    EXPECT_EQ(dealer.send_frame("2", false), 0);
    EXPECT_EQ(dealer.send("m"), EAGAIN);
}

TEST_F(dealer_pattern, reads_what_gone_peers_left_and_finishes_each_once) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    a.write("a1|a2");
    a.write("a3");
    b.close();
    a.close();
    dealer.process();
    EXPECT_EQ(dealer.of(b).finished, 0) << "the look stops at a message of another peer";
    EXPECT_EQ(dealer.of(a).finished, 0);
    EXPECT_EQ(dealer.send("m"), EAGAIN);
    EXPECT_EQ(dealer.receive_all(), "a1|a2 a3");
    EXPECT_EQ(dealer.of(a).finished, 1);
    EXPECT_EQ(dealer.of(b).finished, 1);
}

TEST_F(dealer_pattern, a_gone_peer_keeps_its_turn_while_the_look_finds_a_message_of_another_one) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    far_side &c = dealer.connect();
    EXPECT_EQ(dealer.send("1"), 0);
    EXPECT_EQ(dealer.send("2"), 0);
    a.write("a");
    b.close();
    dealer.process();
    for (const char *text : {"3", "4", "5", "6"})
        EXPECT_EQ(dealer.send(text), 0);
    EXPECT_EQ(a.read_all(), "1 4 6");
    EXPECT_EQ(c.read_all(), "3 5");
    EXPECT_EQ(dealer.of(b).finished, 0);
    EXPECT_EQ(dealer.receive_all(), "a");
    EXPECT_EQ(dealer.of(b).finished, 1);
}

TEST_F(dealer_pattern, keeps_few_gone_peers_if_nothing_is_received) {
    dealer.connect().write("unread");
    int finished = 0;
    for (int i = 0; i < 20; ++i) {
        far_side &peer = dealer.connect();
        peer.close();
        dealer.process();
        finished += dealer.of(peer).finished;
    }
    EXPECT_EQ(finished, 4);
    EXPECT_EQ(dealer.send("m"), 0);
}

TEST_F(dealer_pattern, forgets_a_peer_that_is_detached_in_the_middle_of_its_message) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    a.write("a1|a2");
    b.write("b");
    dealer.process();
    EXPECT_EQ(dealer.receive_frame(), "a1");
    dealer.detach(dealer.of(a));
    EXPECT_EQ(dealer.receive(), "b");
    EXPECT_EQ(dealer.receive(), "-");
}

TEST_F(dealer_pattern, the_turn_survives_peers_that_come_and_go) {
    far_side &a = dealer.connect();
    far_side &b = dealer.connect();
    far_side &c = dealer.connect();
    EXPECT_EQ(dealer.send("1"), 0);
    a.close();
    dealer.process();
    EXPECT_EQ(dealer.send("2"), 0);
    EXPECT_EQ(dealer.send("3"), 0);
    far_side &d = dealer.connect();
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(dealer.send("n"), 0);
    EXPECT_EQ(b.read_all().substr(2), "n");
    EXPECT_EQ(c.read_all().substr(2), "n");
    EXPECT_EQ(d.read_all(), "n");
}

TEST_F(dealer_pattern, says_hello_with_an_empty_message_when_told_to_probe) {
    far_side &silent = dealer.connect();
    dealer.options.pattern.probe_router = true;
    far_side &probed = dealer.connect();
    EXPECT_EQ(silent.read(), "-");
    EXPECT_EQ(probed.read(), "");
    EXPECT_EQ(probed.read(), "-");
}

TEST_F(dealer_pattern, conflating_peers_keep_the_newest) {
    rig::peer &one = dealer.make_peer(0, 0, keep_rule::latest_frame);
    ASSERT_TRUE(dealer.attach(one));
    for (const char *text : {"1", "2", "3"}) {
        EXPECT_EQ(dealer.send(text), 0);
        one.far.write(text);
    }
    EXPECT_EQ(one.far.read_all(), "3");
    EXPECT_EQ(dealer.receive_all(), "3");
    one.far.write("4");
    EXPECT_EQ(dealer.receive_all(), "4");
}

TEST_F(dealer_pattern, of_commands_only_subscriptions_are_messages) {
    far_side &peer = dealer.connect();
    peer.write_command("JOIN", "t");
    peer.write_command("SUBSCRIBE", "topic");
    peer.write("m");
    incoming_frame frame;
    ASSERT_EQ(dealer.take_frame(frame), 0);
    EXPECT_EQ(std::string_view(reinterpret_cast<const char *>(frame.data), frame.size), "topic");
    ASSERT_EQ(dealer.take_frame(frame), 0);
    EXPECT_EQ(frame.data[0], 'm');
}

} // namespace
} // namespace zlink::test
