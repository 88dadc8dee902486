// SPDX-License-Identifier: MPL-2.0
// ZLINK_LAST_VALUE: what new subscribers are given, and when.
#include "patterns/replay.hpp"

#include "rig.hpp"

namespace zlink::test {
namespace {

class replay_of_xpub : public ::testing::Test {
  protected:
    replay_of_xpub() { keep(1000); }
    void keep(int topics) {
        xpub.options.last_values = topics;
        xpub.tested->options_changed();
        xpub.close_routes();
    }
    static void subscribe(far_side &peer, const char *topic) { peer.write_command("SUBSCRIBE", topic); }
    static void cancel(far_side &peer, const char *topic) { peer.write_command("CANCEL", topic); }
    std::string heard_by(far_side &peer) {
        xpub.process();
        return peer.read_all();
    }
    rig xpub{socket_type::xpub};
};

TEST_F(replay_of_xpub, a_new_subscriber_gets_the_last_message_of_each_topic) {
    for (const char *text : {"a|1", "b|1", "a|2", "ab|1|x"})
        EXPECT_EQ(xpub.send(text), 0);
    far_side &a = xpub.connect();
    far_side &all = xpub.connect();
    EXPECT_EQ(heard_by(a), "");
    subscribe(a, "a");
    subscribe(all, "");
    EXPECT_EQ(heard_by(a), "a|2 ab|1|x");
    EXPECT_EQ(heard_by(all), "b|1 a|2 ab|1|x");
    EXPECT_EQ(xpub.send("a|3"), 0);
    EXPECT_EQ(a.read_all(), "a|3");
    EXPECT_EQ(all.read_all(), "a|3");
    far_side &later = xpub.connect();
    subscribe(later, "a");
    EXPECT_EQ(xpub.send("a|4"), 0) << "the subscription is read first";
    EXPECT_EQ(heard_by(later), "ab|1|x a|3 a|4");
}

TEST_F(replay_of_xpub, a_subscription_that_is_there_gets_nothing) {
    far_side &a = xpub.connect();
    subscribe(a, "a");
    EXPECT_EQ(xpub.send("a|1"), 0);
    subscribe(a, "a");
    EXPECT_EQ(heard_by(a), "a|1");
    cancel(a, "a");
    subscribe(a, "a");
    EXPECT_EQ(heard_by(a), "a|1") << "it was cancelled";
    subscribe(a, "");
    EXPECT_EQ(heard_by(a), "a|1") << "a subscription of its own";
}

TEST_F(replay_of_xpub, a_peer_that_comes_again_is_a_new_one) {
    far_side &a = xpub.connect();
    subscribe(a, "a");
    EXPECT_EQ(xpub.send("a|1"), 0);
    EXPECT_EQ(heard_by(a), "a|1");
    a.end->notify_peer(pipe_event::identified | pipe_event::restarted);
    subscribe(a, "a");
    EXPECT_EQ(heard_by(a), "a|1");
}

TEST_F(replay_of_xpub, without_the_option_nothing_is_kept) {
    EXPECT_EQ(xpub.send("a|1"), 0);
    keep(0);
    far_side &a = xpub.connect();
    subscribe(a, "");
    EXPECT_EQ(heard_by(a), "");
    EXPECT_EQ(xpub.send("a|2"), 0);
    keep(1);
    far_side &b = xpub.connect();
    subscribe(b, "");
    EXPECT_EQ(heard_by(b), "");
    EXPECT_EQ(heard_by(a), "a|2");
}

TEST_F(replay_of_xpub, a_subscription_in_the_middle_of_a_message_waits_for_its_end) {
    far_side &a = xpub.connect();
    subscribe(a, "t");
    EXPECT_EQ(xpub.send("t|1"), 0);
    EXPECT_EQ(xpub.send("tt|1"), 0);
    EXPECT_EQ(heard_by(a), "t|1 tt|1");
    EXPECT_EQ(xpub.send_frame("t", true), 0);
    far_side &late = xpub.connect();
    far_side &gone = xpub.connect();
    for (far_side *each : {&late, &gone, &a})
        subscribe(*each, "");
    xpub.process();
    EXPECT_EQ(heard_by(late), "");
    gone.close();
    xpub.process();
    EXPECT_EQ(xpub.send_frame("2", false), 0);
    EXPECT_EQ(late.read_all(), "tt|1 t|2");
    EXPECT_EQ(a.read_all(), "t|2 tt|1") << "it had the message, and gets it once";
}

TEST_F(replay_of_xpub, the_option_may_change_in_the_middle_of_a_message) {
    EXPECT_EQ(xpub.send_frame("t", true), 0);
    keep(0);
    EXPECT_EQ(xpub.send_frame("1", true), 0);
    keep(10);
    far_side &late = xpub.connect();
    subscribe(late, "");
    xpub.process();
    EXPECT_EQ(xpub.send_frame("2", false), 0);
    EXPECT_EQ(late.read_all(), "") << "it was not kept from its beginning";
    EXPECT_EQ(xpub.send("t|2"), 0);
    EXPECT_EQ(late.read_all(), "t|2");
}

TEST_F(replay_of_xpub, goes_beyond_the_mark_by_the_number_of_topics) {
    for (const char *text : {"a1|1", "a2|1", "a3|1", "b|1"})
        EXPECT_EQ(xpub.send(text), 0);
    far_side &small = xpub.connect({}, 2);
    subscribe(small, "a");
    subscribe(small, "b");
    xpub.process();
    EXPECT_EQ(small.near->out().depth(), 4U);
    for (int round = 0; round < 10; ++round) {
        cancel(small, "");
        subscribe(small, "");
        xpub.process();
    }
    EXPECT_EQ(small.near->out().depth(), 6U) << "the mark and four topics";
    EXPECT_EQ(small.near->out().link().counts().written.dropped_mark.get(), 38U);
    EXPECT_EQ(xpub.send("a1|2"), 0);
    EXPECT_EQ(small.near->out().depth(), 6U);
    EXPECT_EQ(small.read_all(), "a1|1 a2|1 a3|1 b|1 a1|1 a2|1");
}

TEST_F(replay_of_xpub, bounds_the_work_of_a_call) {
    for (int topic = 0; topic < 1000; ++topic)
        EXPECT_EQ(xpub.send("t" + std::to_string(topic)), 0);
    far_side &a = xpub.connect();
    for (int request = 0; request < 100; ++request) {
        cancel(a, "t");
        subscribe(a, "t");
    }
    std::size_t most = 0;
    std::size_t all = 0;
    for (int call = 0; call < 100; ++call) {
        std::size_t seen = 0;
        xpub.process();
        while (a.read() != "-")
            ++seen;
        most = std::max(most, seen);
        all += seen;
    }
    EXPECT_EQ(all, 100'000U);
    EXPECT_LE(most, 6000U);
}

TEST_F(replay_of_xpub, gives_what_the_application_subscribes_to_by_hand) {
    xpub.options.pattern.xpub_manual = true;
    EXPECT_EQ(xpub.send("a|1"), 0);
    EXPECT_EQ(xpub.send("b|1"), 0);
    far_side &peer = xpub.connect();
    subscribe(peer, "a");
    EXPECT_EQ(heard_by(peer), "");
    EXPECT_EQ(xpub.receive(), std::string("\1a"));
    EXPECT_EQ(xpub.act(6, "b"), 0);
    EXPECT_EQ(peer.read_all(), "b|1");
}

TEST_F(replay_of_xpub, a_message_for_one_subscriber_is_not_kept) {
    xpub.options.pattern.xpub_manual = true;
    xpub.options.pattern.xpub_manual_last_value = true;
    EXPECT_EQ(xpub.send("a|1"), 0);
    far_side &first = xpub.connect();
    subscribe(first, "a");
    EXPECT_EQ(xpub.receive(), std::string("\1a"));
    EXPECT_EQ(xpub.act(6, "a"), 0);
    EXPECT_EQ(xpub.send("a|for one|more"), 0);
    EXPECT_EQ(first.read_all(), "a|1 a|for one|more");
    far_side &second = xpub.connect();
    subscribe(second, "a");
    EXPECT_EQ(xpub.receive(), std::string("\1a"));
    EXPECT_EQ(xpub.act(6, "a"), 0);
    EXPECT_EQ(second.read_all(), "a|1");
}

TEST_F(replay_of_xpub, knows_no_topics_that_are_not_wanted) {
    xpub.options.pattern.invert_matching = true;
    EXPECT_EQ(xpub.send("a|1"), 0);
    far_side &a = xpub.connect();
    subscribe(a, "a");
    EXPECT_EQ(heard_by(a), "");
}

TEST_F(replay_of_xpub, a_message_that_nobody_got_room_for_is_not_kept) {
    xpub.options.send_policy = hwm_policy::block;
    far_side &small = xpub.connect({}, 1);
    subscribe(small, "a");
    EXPECT_EQ(xpub.send("a|1"), 0);
    EXPECT_EQ(xpub.send("a|2"), EAGAIN);
    far_side &late = xpub.connect();
    subscribe(late, "a");
    EXPECT_EQ(heard_by(late), "a|1");
}

} // namespace
} // namespace zlink::test
