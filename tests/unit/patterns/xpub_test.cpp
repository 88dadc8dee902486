// SPDX-License-Identifier: MPL-2.0
#include "rig.hpp"

namespace zlink::test {
namespace {

constexpr int subscribe_option = 6;
constexpr int unsubscribe_option = 7;

// Requests as the application hears them, "+topic" and "-topic".
std::string readable(std::string text) {
    for (char &c : text)
        if (c == '\0' || c == '\1')
            c = c == '\1' ? '+' : '-';
    return text;
}

class xpub_pattern : public ::testing::Test {
  protected:
    std::string heard() { return readable(xpub.receive_all()); }
    static void subscribe(far_side &peer, const char *topic) { peer.write_command("SUBSCRIBE", topic); }
    static void cancel(far_side &peer, const char *topic) { peer.write_command("CANCEL", topic); }
    rig xpub{socket_type::xpub};
    pattern_options &options = xpub.options.pattern;
};

TEST_F(xpub_pattern, sends_to_those_who_subscribed_to_the_beginning) {
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    far_side &all = xpub.connect();
    subscribe(a, "a");
    subscribe(a, "ab");
    subscribe(b, "b");
    subscribe(all, "");
    for (const char *text : {"abc|1", "b", "c", "xa|b", ""})
        EXPECT_EQ(xpub.send(text), 0);
    EXPECT_EQ(a.read_all(), "abc|1") << "once, though two topics match";
    EXPECT_EQ(b.read_all(), "b");
    EXPECT_EQ(all.read_all(), "abc|1 b c xa|b ");
    cancel(a, "a");
    EXPECT_EQ(xpub.send("ab"), 0);
    cancel(a, "ab");
    EXPECT_EQ(xpub.send("ab"), 0);
    EXPECT_EQ(a.read_all(), "ab");
    EXPECT_EQ(xpub.tested->topics(), 2U);
}

TEST_F(xpub_pattern, takes_requests_as_messages_too) {
    far_side &a = xpub.connect();
    a.write("\1a");
    EXPECT_EQ(xpub.send("a1"), 0);
    a.write_frames({std::string("\0a", 2)});
    EXPECT_EQ(xpub.send("a2"), 0);
    EXPECT_EQ(a.read_all(), "a1");
    EXPECT_EQ(heard(), "+a -a");
}

TEST_F(xpub_pattern, tells_of_first_and_last_subscribers) {
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "t");
    subscribe(a, "t");
    subscribe(b, "t");
    EXPECT_EQ(heard(), "+t");
    cancel(a, "t");
    EXPECT_EQ(heard(), "");
    cancel(b, "t");
    EXPECT_EQ(heard(), "-t");
    cancel(b, "t"); // unknown now: an XSUB may have cancelled it for others
    EXPECT_EQ(heard(), "-t");
}

TEST_F(xpub_pattern, verbose_tells_of_every_subscription) {
    options.xpub_verbose = true;
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "t");
    subscribe(a, "t");
    subscribe(b, "t");
    EXPECT_EQ(heard(), "+t +t +t");
    cancel(a, "t");
    EXPECT_EQ(heard(), "");
    cancel(b, "t");
    EXPECT_EQ(heard(), "-t");
}

TEST_F(xpub_pattern, verboser_tells_of_every_cancellation_too) {
    options.xpub_verboser = true;
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "t");
    subscribe(b, "t");
    EXPECT_EQ(heard(), "+t +t");
    cancel(a, "t");
    EXPECT_EQ(heard(), "-t");
    cancel(b, "t");
    EXPECT_EQ(heard(), "-t");
}

TEST_F(xpub_pattern, verboser_tells_of_topics_that_others_still_have_when_a_subscriber_goes) {
    options.xpub_verboser = true;
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "t");
    subscribe(b, "u");
    subscribe(b, "t");
    EXPECT_EQ(heard(), "+t +u +t");
    b.close();
    EXPECT_EQ(heard(), "-t -u");
    a.close();
    EXPECT_EQ(heard(), "-t");
}

TEST_F(xpub_pattern, cancels_in_the_order_of_topics_when_a_subscriber_goes) {
    far_side &a = xpub.connect();
    for (const char *topic : {"b", "\xff", "a", "ab", "c", "aa", ""})
        subscribe(a, topic);
    heard();
    a.close();
    EXPECT_EQ(heard(), "- -a -aa -ab -b -c -\xff");
}

TEST_F(xpub_pattern, cancels_for_subscribers_that_go) {
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "only a");
    subscribe(a, "both");
    subscribe(b, "both");
    EXPECT_EQ(heard(), "+only a +both");
    a.close();
    EXPECT_EQ(heard(), "-only a");
    EXPECT_EQ(xpub.of(a).finished, 1);
    EXPECT_EQ(xpub.send("both"), 0);
    EXPECT_EQ(b.read_all(), "both");
    xpub.detach(xpub.of(b));
    EXPECT_EQ(heard(), "-both");
    EXPECT_EQ(xpub.tested->topics(), 0U);
}

TEST_F(xpub_pattern, hears_the_last_requests_of_who_goes) {
    far_side &a = xpub.connect();
    subscribe(a, "t");
    a.write("message|of two");
    a.close();
    EXPECT_EQ(heard(), "+t message|of two -t");
}

TEST_F(xpub_pattern, hears_the_messages_of_subscribers) {
    far_side &a = xpub.connect();
    a.write("hello");
    a.write("");
    a.write("x|y|z");
    a.write("\2t");
    EXPECT_EQ(heard(), "hello  x|y|z \2t");
}

TEST_F(xpub_pattern, finds_requests_in_every_frame_unless_told_otherwise) {
    far_side &a = xpub.connect();
    a.write("x|\1q|z");
    a.write("\1w|\1v|u");
    EXPECT_EQ(heard(), "x|+q z +w +v u");
    a.write("x|\1q");
    EXPECT_EQ(heard(), "x") << "nobody is left waiting for a frame that was a repeated request";
    options.only_first_subscribe = true;
    a.write("x|\1r|z");
    a.write("\1s|\1t|u|\1v");
    EXPECT_EQ(heard(), "x|+r|z +s +t u|+v");
    EXPECT_EQ(xpub.send("r"), 0);
    EXPECT_EQ(xpub.send("t"), 0);
    EXPECT_EQ(a.read_all(), "t");
}

TEST_F(xpub_pattern, skips_full_subscribers) {
    far_side &small = xpub.connect({}, 1);
    far_side &large = xpub.connect();
    subscribe(small, "");
    subscribe(large, "");
    for (const char *text : {"1", "2|2", "3"})
        EXPECT_EQ(xpub.send(text), 0);
    EXPECT_EQ(small.read_all(), "1");
    EXPECT_EQ(large.read_all(), "1 2|2 3");
    EXPECT_EQ(xpub.send("4|4"), 0);
    EXPECT_EQ(small.read_all(), "4|4");
}

TEST_F(xpub_pattern, a_subscriber_that_fills_up_in_a_message_gets_all_of_it) {
    far_side &a = xpub.connect({}, 1);
    subscribe(a, "");
    EXPECT_EQ(xpub.send("1|2|3|4"), 0);
    EXPECT_EQ(xpub.send("5"), 0);
    EXPECT_EQ(a.read_all(), "1|2|3|4");
}

// The list of targets grows with the subscribers.
TEST_F(xpub_pattern, subscribers_that_come_in_a_message_do_not_disturb_it) {
    far_side &first = xpub.connect();
    subscribe(first, "");
    for (int round = 0; round < 8; ++round) {
        xpub.process();
        EXPECT_EQ(xpub.send_frame("1", true), 0);
        for (int count = 0; count < 16; ++count)
            subscribe(xpub.connect(), "");
        xpub.process();
        EXPECT_EQ(xpub.send_frame("2", true), 0);
        EXPECT_EQ(xpub.send_frame("3", false), 0);
        EXPECT_EQ(first.read_all(), "1|2|3");
    }
}

TEST_F(xpub_pattern, without_drops_all_get_a_message_or_nobody) {
    xpub.options.send_policy = hwm_policy::block;
    far_side &small = xpub.connect({}, 1);
    far_side &large = xpub.connect();
    subscribe(small, "a");
    subscribe(large, "");
    EXPECT_EQ(xpub.send("a1"), 0);
    EXPECT_EQ(xpub.send("a2|x"), EAGAIN);
    EXPECT_EQ(xpub.send("b"), 0) << "who is full need not get this one";
    EXPECT_EQ(large.read_all(), "a1 b");
    const int wakes = xpub.box->wakes;
    EXPECT_EQ(small.read_all(), "a1");
    EXPECT_EQ(xpub.box->wakes, wakes + 1);
    EXPECT_EQ(xpub.send("a2|x"), 0);
    EXPECT_EQ(small.read_all(), "a2|x");
    EXPECT_EQ(large.read_all(), "a2|x");
}

TEST_F(xpub_pattern, inverted_sends_to_those_who_did_not_subscribe) {
    options.invert_matching = true;
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    far_side &none = xpub.connect();
    subscribe(a, "a");
    subscribe(b, "b");
    for (const char *text : {"a1", "b1", "c1"})
        EXPECT_EQ(xpub.send(text), 0);
    EXPECT_EQ(a.read_all(), "b1 c1");
    EXPECT_EQ(b.read_all(), "a1 c1");
    EXPECT_EQ(none.read_all(), "a1 b1 c1");
}

TEST_F(xpub_pattern, welcomes_new_subscribers) {
    options.xpub_welcome_message = "Whello";
    EXPECT_EQ(xpub.connect().read_all(), "Whello");
}

TEST_F(xpub_pattern, manual_lets_the_application_subscribe) {
    EXPECT_EQ(xpub.act(subscribe_option, "x"), EINVAL) << "not manual";
    options.xpub_manual = true;
    EXPECT_EQ(xpub.act(subscribe_option, "x"), 0) << "for nobody";
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "A");
    subscribe(b, "B");
    xpub.process();
    EXPECT_EQ(readable(xpub.receive()), "+A");
    EXPECT_EQ(xpub.act(subscribe_option, "XA"), 0);
    EXPECT_EQ(readable(xpub.receive()), "+B");
    EXPECT_EQ(xpub.act(subscribe_option, "XB"), 0);
    for (const char *text : {"A", "B", "XA", "XB"})
        EXPECT_EQ(xpub.send(text), 0);
    EXPECT_EQ(a.read_all(), "XA");
    EXPECT_EQ(b.read_all(), "XB");
    cancel(b, "B");
    EXPECT_EQ(heard(), "-B");
    EXPECT_EQ(xpub.send("XB"), 0);
    EXPECT_EQ(b.read_all(), "XB") << "until the application cancels";
    EXPECT_EQ(xpub.act(unsubscribe_option, "XB"), 0);
    EXPECT_EQ(xpub.send("XB"), 0);
    EXPECT_EQ(b.read_all(), "");
    EXPECT_EQ(xpub.tested->topics(), 1U);
}

TEST_F(xpub_pattern, manual_tells_of_repeated_requests_and_of_those_who_go) {
    options.xpub_manual = true;
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "t");
    subscribe(a, "t");
    subscribe(b, "t");
    subscribe(b, "u");
    EXPECT_EQ(heard(), "+t +t +t +u");
    EXPECT_EQ(xpub.act(subscribe_option, "other"), 0);
    b.close();
    EXPECT_EQ(heard(), "-t -u") << "what was asked for, not what was done";
    EXPECT_EQ(xpub.act(subscribe_option, "k"), 0) << "for nobody";
    EXPECT_EQ(xpub.tested->topics(), 0U);
}

TEST_F(xpub_pattern, a_request_of_somebody_gone_can_still_be_received) {
    options.xpub_manual = true;
    far_side &a = xpub.connect();
    subscribe(a, "t");
    xpub.process();
    a.close();
    xpub.process();
    EXPECT_EQ(readable(xpub.receive()), "+t");
    EXPECT_EQ(xpub.act(subscribe_option, "t"), 0);
    EXPECT_EQ(xpub.tested->topics(), 0U);
}

TEST_F(xpub_pattern, last_value_goes_to_the_new_subscriber_only) {
    options.xpub_manual = options.xpub_manual_last_value = true;
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "A");
    EXPECT_EQ(heard(), "+A");
    EXPECT_EQ(xpub.act(subscribe_option, "A"), 0);
    EXPECT_EQ(xpub.send("A1"), 0);
    EXPECT_EQ(a.read_all(), "A1");
    subscribe(b, "A");
    EXPECT_EQ(heard(), "+A");
    EXPECT_EQ(xpub.act(subscribe_option, "A"), 0);
    EXPECT_EQ(xpub.send("A2|x"), 0);
    EXPECT_EQ(xpub.send("A3"), 0);
    EXPECT_EQ(a.read_all(), "A3");
    EXPECT_EQ(b.read_all(), "A2|x A3");
}

TEST_F(xpub_pattern, subscriptions_in_the_middle_of_a_message_are_for_the_next) {
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "");
    xpub.process();
    EXPECT_EQ(xpub.send_frame("1", true), 0);
    subscribe(b, "");
    cancel(a, "");
    xpub.process();
    EXPECT_EQ(xpub.send_frame("2", false), 0);
    EXPECT_EQ(a.read_all(), "1|2");
    EXPECT_EQ(b.read_all(), "");
}

TEST_F(xpub_pattern, who_goes_in_the_middle_of_a_message_does_not_disturb_the_others) {
    far_side &a = xpub.connect();
    far_side &b = xpub.connect();
    subscribe(a, "");
    subscribe(b, "");
    xpub.process();
    EXPECT_EQ(xpub.send_frame("1", true), 0);
    a.close();
    xpub.process();
    far_side &c = xpub.connect();
    subscribe(c, "");
    xpub.process();
    EXPECT_EQ(xpub.send_frame("2", false), 0);
    EXPECT_EQ(b.read_all(), "1|2");
    EXPECT_EQ(c.read_all(), "");
}

TEST_F(xpub_pattern, a_large_body_is_shared_by_its_receivers) {
    std::vector<far_side *> peers;
    for (int i = 0; i < 3; ++i) {
        peers.push_back(&xpub.connect());
        subscribe(*peers.back(), "");
    }
    const std::string body(large_body + 1, 'b');
    EXPECT_EQ(xpub.send(body + "|" + body), 0);
    const std::uint8_t *seen = nullptr;
    for (far_side *peer : peers) {
        incoming_frame first;
        incoming_frame second;
        ASSERT_TRUE(peer->end->read(first));
        ASSERT_TRUE(peer->end->read(second));
        EXPECT_EQ(first.size, body.size());
        EXPECT_EQ(std::memcmp(second.data, body.data(), body.size()), 0);
        EXPECT_TRUE(seen == nullptr || seen == first.data) << "the same bytes";
        seen = first.data;
        first.drop();
        second.drop();
    }
}

TEST_F(xpub_pattern, wakes_sleeping_subscribers_at_the_last_frame) {
    far_side &a = xpub.connect();
    subscribe(a, "");
    xpub.process();
    EXPECT_TRUE(a.end->prepare_wait_data());
    EXPECT_EQ(xpub.send_frame("1", true), 0);
    EXPECT_EQ(a.take_events(), 0U);
    EXPECT_EQ(xpub.send_frame("2", false), 0);
    EXPECT_EQ(a.take_events(), pipe_event::readable);
}

TEST_F(xpub_pattern, garbage_is_no_request) {
    far_side &a = xpub.connect();
    a.write_command("SUBSCRIBED", "");
    a.write_command("JOIN", "t");
    EXPECT_EQ(heard(), "");
    EXPECT_EQ(xpub.tested->topics(), 0U) << "SUBSCRIBED is another name";
}

TEST(pub_pattern, obeys_requests_and_hears_nothing) {
    rig pub{socket_type::pub};
    far_side &a = pub.connect();
    a.write_command("SUBSCRIBE", "a");
    a.write("hello");
    EXPECT_EQ(pub.send("a1"), 0);
    EXPECT_EQ(pub.send("b1"), 0);
    EXPECT_EQ(a.read_all(), "a1");
    EXPECT_EQ(pub.receive(), "-");
    EXPECT_EQ(pub.last_error, ENOTSUP);
    EXPECT_EQ(pub.act(subscribe_option, "a"), EINVAL);
    EXPECT_TRUE(pub.can_send());
    a.close();
    pub.process();
    EXPECT_EQ(pub.of(a).finished, 1);
    EXPECT_EQ(pub.tested->topics(), 0U);
}

} // namespace
} // namespace zlink::test
