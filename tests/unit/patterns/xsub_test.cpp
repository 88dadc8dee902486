// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

constexpr int subscribe_option = 6;
constexpr int unsubscribe_option = 7;

const std::string cancel_t("\0t", 2);

class sub_pattern : public ::testing::Test {
  protected:
    void subscribe(std::string_view topic) { EXPECT_EQ(sub.act(subscribe_option, topic), 0); }
    void unsubscribe(std::string_view topic) { EXPECT_EQ(sub.act(unsubscribe_option, topic), 0); }
    rig sub{socket_type::sub};
};

TEST_F(sub_pattern, tells_all_publishers_its_topics) {
    subscribe("early");
    subscribe("early");
    far_side &a = sub.connect();
    subscribe("late");
    far_side &b = sub.connect();
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:early SUBSCRIBE:late");
    EXPECT_EQ(b.read_all(), "SUBSCRIBE:early SUBSCRIBE:late");
    EXPECT_EQ(sub.tested->topics(), 2U);
}

TEST_F(sub_pattern, sends_every_subscription_and_only_the_last_cancellation) {
    far_side &a = sub.connect();
    subscribe("t");
    subscribe("t");
    unsubscribe("t");
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:t SUBSCRIBE:t");
    unsubscribe("t");
    unsubscribe("t");
    unsubscribe("unknown");
    EXPECT_EQ(a.read_all(), "CANCEL:t");
}

TEST_F(sub_pattern, tells_the_topics_again_to_a_new_connection) {
    far_side &a = sub.connect();
    subscribe("t");
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:t");
    a.end->introduce_to_peer(metadata_ref(new peer_metadata("", {})), false);
    sub.process();
    EXPECT_EQ(a.read_all(), "") << "the first connection";
    a.end->introduce_to_peer(metadata_ref(new peer_metadata("", {})), true);
    sub.process();
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:t");
}

TEST_F(sub_pattern, topics_pass_the_high_water_mark) {
    far_side &a = sub.connect({}, 1);
    for (const char *topic : {"1", "2", "3"})
        subscribe(topic);
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:1 SUBSCRIBE:2 SUBSCRIBE:3");
}

TEST_F(sub_pattern, receives_what_it_subscribed_to) {
    subscribe("a");
    far_side &one = sub.connect();
    far_side &two = sub.connect();
    one.write("b|a|skipped");
    one.write("a1|b");
    two.write("b");
    two.write("a2");
    one.write("b");
    EXPECT_EQ(sub.receive_all(), "a1|b a2");
    one.write("b|c");
    EXPECT_EQ(sub.receive(), "-");
    unsubscribe("a");
    one.write("a3");
    EXPECT_EQ(sub.receive(), "-");
    subscribe("");
    one.write("");
    EXPECT_EQ(sub.receive(), "");
}

TEST_F(sub_pattern, skips_large_messages_without_a_leak) {
    subscribe("a");
    far_side &one = sub.connect();
    const std::string body(20000, 'x');
    one.write(body + "|" + body);
    one.write("a" + body);
    EXPECT_EQ(sub.receive(), "a" + body);
    one.write("a" + body);
    sub.process();
    EXPECT_TRUE(sub.can_receive());
}

TEST_F(sub_pattern, inverted_receives_what_it_did_not_subscribe_to) {
    sub.options.pattern.invert_matching = true;
    subscribe("a");
    far_side &one = sub.connect();
    one.write("a");
    one.write("b|x");
    EXPECT_EQ(sub.receive_all(), "b|x");
}

TEST_F(sub_pattern, never_sends) {
    sub.connect();
    EXPECT_FALSE(sub.can_send());
    EXPECT_EQ(sub.send("m"), ENOTSUP);
    EXPECT_EQ(sub.act(42, "x"), EINVAL);
}

TEST_F(sub_pattern, reads_what_a_gone_publisher_left) {
    subscribe("a");
    far_side &one = sub.connect();
    one.write("b");
    one.write("a1|x");
    one.write("b");
    one.close();
    EXPECT_EQ(sub.receive_all(), "a1|x");
    EXPECT_EQ(sub.of(one).finished, 1);
    subscribe("later");
}

TEST_F(sub_pattern, a_publisher_that_goes_while_its_message_is_found_leaves_it) {
    subscribe("a");
    far_side &one = sub.connect();
    EXPECT_EQ(sub.receive(), "-");
    one.write("a");
    sub.process();
    EXPECT_TRUE(sub.can_receive());
    one.close();
    sub.process();
    EXPECT_EQ(sub.of(one).finished, 0);
    EXPECT_EQ(sub.receive(), "a");
    EXPECT_EQ(sub.receive(), "-");
    EXPECT_EQ(sub.of(one).finished, 1);
}

TEST_F(sub_pattern, forgets_a_found_message_when_its_publisher_is_detached) {
    subscribe("a");
    far_side &one = sub.connect();
    one.write("a" + std::string(20000, 'x') + "|rest");
    EXPECT_TRUE(sub.can_receive());
    sub.detach(sub.of(one));
    EXPECT_EQ(sub.receive(), "-");
}

class xsub_pattern : public ::testing::Test {
  protected:
    rig xsub{socket_type::xsub};
};

TEST_F(xsub_pattern, subscribes_with_messages) {
    EXPECT_TRUE(xsub.can_send());
    EXPECT_EQ(xsub.send("\1t"), 0) << "without a publisher";
    far_side &a = xsub.connect();
    EXPECT_EQ(xsub.send("\1t"), 0);
    EXPECT_EQ(xsub.send("\1"), 0);
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:t SUBSCRIBE:t SUBSCRIBE:");
    EXPECT_EQ(xsub.send(cancel_t), 0);
    EXPECT_EQ(xsub.send(cancel_t), 0);
    EXPECT_EQ(xsub.send(cancel_t), 0);
    EXPECT_EQ(a.read_all(), "CANCEL:t");
    EXPECT_EQ(xsub.act(subscribe_option, "t"), EINVAL);
}

TEST_F(xsub_pattern, passes_other_messages_to_all_publishers) {
    far_side &a = xsub.connect();
    far_side &b = xsub.connect({}, 1);
    EXPECT_EQ(xsub.send("hello|x"), 0);
    EXPECT_EQ(xsub.send(""), 0);
    EXPECT_EQ(xsub.send("\1t"), 0);
    EXPECT_EQ(a.read_all(), "hello|x  SUBSCRIBE:t");
    EXPECT_EQ(b.read_all(), "hello|x SUBSCRIBE:t") << "messages respect the mark, requests do not";
}

TEST_F(xsub_pattern, receives_whatever_publishers_send) {
    far_side &a = xsub.connect();
    EXPECT_EQ(xsub.send("\1t"), 0);
    a.write("t1|x");
    a.write("u");
    EXPECT_EQ(xsub.receive_all(), "t1|x u");
    xsub.options.pattern.invert_matching = true;
    a.write("t2");
    EXPECT_EQ(xsub.receive_all(), "t2");
}

TEST_F(xsub_pattern, finds_requests_in_every_frame) {
    far_side &a = xsub.connect();
    EXPECT_EQ(xsub.send("\1w|\1v|u"), 0);
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:w SUBSCRIBE:v u");
    EXPECT_EQ(xsub.send("x|\1q|z"), 0);
    EXPECT_EQ(a.read_all(), "x|\1q|z");
    EXPECT_EQ(xsub.tested->topics(), 3U);
    EXPECT_EQ(xsub.send("\1q"), 0);
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:q");
    const std::string cancel_q("\0q", 2);
    EXPECT_EQ(xsub.send("x|" + cancel_q), 0);
    EXPECT_EQ(a.read_all(), "x|") << "one of two: publishers are not told";
    EXPECT_EQ(xsub.send("x|" + cancel_q + "|y"), 0);
    EXPECT_EQ(a.read_all(), "x|" + cancel_q + "|y");
    EXPECT_EQ(xsub.tested->topics(), 2U);
}

TEST_F(xsub_pattern, told_so_finds_requests_behind_a_first_one_only) {
    xsub.options.pattern.only_first_subscribe = true;
    far_side &a = xsub.connect();
    EXPECT_EQ(xsub.send("x|\1q|z"), 0);
    EXPECT_EQ(xsub.tested->topics(), 0U);
    EXPECT_EQ(xsub.send("\1w|\1v|u|\1t"), 0);
    EXPECT_EQ(xsub.tested->topics(), 2U);
    EXPECT_EQ(a.read_all(), "x|\1q|z SUBSCRIBE:w SUBSCRIBE:v u|\1t");
}

TEST_F(xsub_pattern, a_new_connection_in_the_middle_of_a_message_hears_topics_after_it) {
    far_side &a = xsub.connect();
    EXPECT_EQ(xsub.send("\1t"), 0);
    EXPECT_EQ(a.read_all(), "SUBSCRIBE:t");
    EXPECT_EQ(xsub.send_frame("1", true), 0);
    a.end->introduce_to_peer(metadata_ref(new peer_metadata("", {})), true);
    xsub.process();
    EXPECT_EQ(a.read_all(), "");
    EXPECT_EQ(xsub.send_frame("2", false), 0);
    EXPECT_EQ(a.read_all(), "1|2 SUBSCRIBE:t");
    EXPECT_EQ(xsub.send("3"), 0);
    EXPECT_EQ(a.read_all(), "3");
}

// The list of targets grows with the publishers.
TEST_F(xsub_pattern, publishers_that_come_in_a_message_do_not_disturb_it) {
    far_side &first = xsub.connect();
    for (int round = 0; round < 8; ++round) {
        EXPECT_EQ(xsub.send_frame("a", true), 0);
        for (int count = 0; count < 16; ++count)
            xsub.connect();
        EXPECT_EQ(xsub.send_frame("b", true), 0);
        EXPECT_EQ(xsub.send_frame("c", false), 0);
        EXPECT_EQ(first.read_all(), "a|b|c");
    }
}

TEST_F(xsub_pattern, a_publisher_that_goes_in_the_middle_does_not_disturb_the_others) {
    far_side &a = xsub.connect();
    far_side &b = xsub.connect();
    EXPECT_EQ(xsub.send_frame("1", true), 0);
    a.close();
    xsub.process();
    EXPECT_EQ(xsub.of(a).finished, 1);
    EXPECT_EQ(xsub.send_frame("2", false), 0);
    EXPECT_EQ(b.read_all(), "1|2");
}

// The route of a message that a look has found is as old as the look.
TEST_F(sub_pattern, a_publisher_that_speaks_after_a_look_has_the_next_turn) {
    subscribe("");
    far_side &first = sub.connect();
    far_side &second = sub.connect();
    EXPECT_EQ(sub.receive(), "-");
    first.write("1|a");
    first.write("2");
    sub.process();
    EXPECT_TRUE(sub.can_receive());
    second.write("3");
    EXPECT_EQ(sub.receive_all(), "1|a 3 2");
}

} // namespace
} // namespace zlink::test
