// SPDX-License-Identifier: MPL-2.0
// How much is held and how long is waited: ZMQ_SNDHWM, ZMQ_RCVHWM, ZMQ_IMMEDIATE, ZMQ_CONFLATE, ZMQ_LINGER,
// ZMQ_SNDTIMEO, ZMQ_RCVTIMEO.
#include "rig.hpp"

namespace zlink::conformance {
namespace {

using steady = std::chrono::steady_clock;

class high_water_mark : public transport_test {
  protected:
    // Sends until it waits, and answers how many went.
    static int fill(socket &source, int limit, const std::string &body) {
        source.set(ZMQ_SNDTIMEO, 100);
        int sent = 0;
        while (sent < limit && source.send(frames{std::to_string(sent), body}) == 0)
            ++sent;
        source.set(ZMQ_SNDTIMEO, patience_ms);
        return sent;
    }
};
class joined_high_water_mark : public high_water_mark {};
class immediate : public transport_test {};
class conflate : public transport_test {};
class linger : public transport_test {};
class timeouts : public transport_test {};

TEST_P(joined_high_water_mark, is_the_sum_of_both_sides) {
    for (const auto &[sending, receiving, expected] :
         {std::array{3, 4, 7}, std::array{1, 1, 2}, std::array{50, 50, 100}}) {
        socket sink(owner, ZMQ_PULL), source(owner, ZMQ_PUSH);
        sink.set(ZMQ_RCVHWM, receiving);
        source.set(ZMQ_SNDHWM, sending);
        ASSERT_EQ(source.connect(bind(sink)), 0);
        EXPECT_EQ(fill(source, 1000, ""), expected);
    }
}

TEST_P(high_water_mark, sender_waits_and_nothing_is_lost) {
    socket sink(owner, ZMQ_PULL), source(owner, ZMQ_PUSH);
    sink.set(ZMQ_RCVHWM, 5);
    source.set(ZMQ_SNDHWM, 5);
    ASSERT_EQ(source.connect(bind(sink)), 0);
    const std::string body(50'000, 'x');
    const int sent = fill(source, 10'000, body);
    EXPECT_GE(sent, 10);
    EXPECT_LT(sent, 10'000);
    EXPECT_FALSE(source.ready(ZMQ_POLLOUT, 0));
    std::thread reader([&] {
        for (int i = 0; i < sent; ++i)
            EXPECT_EQ(sink.receive_frames().front(), std::to_string(i));
        EXPECT_EQ(sink.receive(), "when there was room");
    });
    EXPECT_TRUE(source.ready(ZMQ_POLLOUT));
    EXPECT_EQ(source.send("when there was room"), 0);
    reader.join();
}

TEST_P(high_water_mark, zero_is_no_limit) {
    socket sink(owner, ZMQ_PULL), source(owner, ZMQ_PUSH);
    sink.set(ZMQ_RCVHWM, 0);
    source.set(ZMQ_SNDHWM, 0);
    ASSERT_EQ(source.connect(bind(sink)), 0);
    constexpr int count = 20'000;
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(source.send(std::to_string(i), ZMQ_DONTWAIT), 0);
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(sink.receive(), std::to_string(i));
}

TEST_P(immediate, nothing_is_sent_before_the_connection_is_there) {
    const std::string endpoint = unused_endpoint(GetParam());
    socket source(owner, ZMQ_PUSH);
    source.set(ZMQ_IMMEDIATE, 1);
    source.set(ZMQ_RECONNECT_IVL, 5);
    ASSERT_EQ(source.connect(endpoint), 0);
    EXPECT_EQ(source.send("x", ZMQ_DONTWAIT), EAGAIN);
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind(endpoint), 0);
    EXPECT_EQ(source.send("connected"), 0);
    EXPECT_EQ(sink.receive(), "connected");
    sink.close();
    EXPECT_TRUE(eventually([&] { return !source.ready(ZMQ_POLLOUT, 0); })) << "not after it went either";
}

TEST_P(immediate, without_it_messages_wait_for_the_connection) {
    const std::string endpoint = unused_endpoint(GetParam());
    socket source(owner, ZMQ_PUSH);
    source.set(ZMQ_RECONNECT_IVL, 5);
    ASSERT_EQ(source.connect(endpoint), 0);
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ(source.send(std::to_string(i), ZMQ_DONTWAIT), 0);
    socket sink(owner, ZMQ_PULL);
    ASSERT_EQ(sink.bind(endpoint), 0);
    for (int i = 0; i < 100; ++i)
        ASSERT_EQ(sink.receive(), std::to_string(i));
}

TEST_P(conflate, the_last_message_is_kept) {
    constexpr int count = 1000;
    socket sink(owner, ZMQ_PULL), source(owner, ZMQ_PUSH);
    sink.set(ZMQ_CONFLATE, 1);
    source.set(ZMQ_CONFLATE, 1);
    ASSERT_EQ(source.connect(bind(sink)), 0);
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(source.send(std::to_string(i), ZMQ_DONTWAIT), 0) << "there is room always";
    int last = -1, received = 0;
    while (last != count - 1) {
        const int value = std::stoi(sink.receive());
        ASSERT_GT(value, last);
        last = value;
        ++received;
    }
    EXPECT_LT(received, count);
    EXPECT_TRUE(sink.quiet());
}

TEST_P(linger, unlimited_delivers_what_was_sent_before_the_end) {
    constexpr int count = 5000;
    socket sink(owner, ZMQ_PULL);
    sink.set(ZMQ_RCVHWM, 10);
    const std::string endpoint = bind(sink);
    std::thread leaver([&] {
        context other;
        socket source(other, ZMQ_PUSH);
        source.set(ZMQ_SNDHWM, 0);
        source.set(ZMQ_LINGER, -1);
        EXPECT_EQ(source.connect(endpoint), 0);
        for (int i = 0; i < count; ++i)
            EXPECT_EQ(source.send(std::to_string(i) + "|part"), 0);
        source.close();
        other.term();
    });
    for (int i = 0; i < count; ++i)
        EXPECT_EQ(sink.receive(), std::to_string(i) + "|part");
    leaver.join();
}

TEST_P(linger, none_ends_at_once_with_messages_unsent) {
    context other;
    socket source(other, ZMQ_PUSH);
    ASSERT_EQ(source.connect(unused_endpoint(GetParam())), 0);
    ASSERT_EQ(source.send("never"), 0);
    source.close();
    other.term(); // or it hangs
}

TEST_P(linger, nobody_waits_for_subscriptions_to_be_sent) {
    context other;
    const std::string endpoint = unused_endpoint(GetParam());
    socket subscriber(other, ZMQ_SUB), member(other, ZMQ_DISH);
    subscriber.set(ZMQ_LINGER, -1);
    member.set(ZMQ_LINGER, -1);
    ASSERT_EQ(subscriber.connect(endpoint), 0);
    ASSERT_EQ(member.connect(endpoint), 0);
    subscriber.set(ZMQ_SUBSCRIBE, "topic");
    ASSERT_EQ(zmq_join(member.handle(), "group"), 0);
    subscriber.close();
    member.close();
    other.term(); // or it hangs
}

TEST_P(linger, some_ends_after_it) {
    context other;
    socket source(other, ZMQ_PUSH);
    source.set(ZMQ_LINGER, 50);
    ASSERT_EQ(source.connect(unused_endpoint(GetParam())), 0);
    ASSERT_EQ(source.send("never"), 0);
    const auto before = steady::now();
    source.close();
    other.term();
    EXPECT_GE(steady::now() - before, std::chrono::milliseconds(45));
}

TEST_P(linger, some_is_enough_for_a_peer_that_comes) {
    const std::string endpoint = unused_endpoint(GetParam());
    std::thread leaver([&] {
        context other;
        socket source(other, ZMQ_PUSH);
        source.set(ZMQ_LINGER, patience_ms);
        source.set(ZMQ_RECONNECT_IVL, 5);
        EXPECT_EQ(source.connect(endpoint), 0);
        EXPECT_EQ(source.send("waiting"), 0);
        source.close();
        other.term();
    });
    socket sink(owner, ZMQ_PULL);
    EXPECT_EQ(sink.bind(endpoint), 0);
    EXPECT_EQ(sink.receive(), "waiting");
    leaver.join();
}

TEST_P(timeouts, calls_wait_as_long_as_they_were_told) {
    socket sink(owner, ZMQ_PULL), source(owner, ZMQ_PUSH);
    bind(sink);
    bind(source);
    for (const int wait_ms : {0, 1, 60}) {
        sink.set(ZMQ_RCVTIMEO, wait_ms);
        source.set(ZMQ_SNDTIMEO, wait_ms);
        const auto before = steady::now();
        EXPECT_EQ(sink.receive(), std::string("error: ") + zmq_strerror(EAGAIN));
        const auto between = steady::now();
        EXPECT_EQ(source.send("x"), EAGAIN);
        // Clocks of waiting and of measuring differ by less than a tick.
        EXPECT_GE(between - before, std::chrono::milliseconds(wait_ms) - std::chrono::milliseconds(1));
        EXPECT_GE(steady::now() - between, std::chrono::milliseconds(wait_ms) - std::chrono::milliseconds(1));
    }
}

TEST_P(timeouts, what_comes_in_time_ends_the_wait) {
    socket sink(owner, ZMQ_PULL);
    const std::string endpoint = bind(sink);
    std::thread late([&] {
        socket source = connected(ZMQ_PUSH, endpoint);
        source.set(ZMQ_LINGER, -1);
        EXPECT_EQ(source.send("in time"), 0);
    });
    EXPECT_EQ(sink.receive(), "in time");
    late.join();
}

INSTANTIATE_TEST_SUITE_P(over, joined_high_water_mark, ::testing::Values("inproc"), transport_name);
ZLINK_OVER_EVERY_TRANSPORT(high_water_mark);
ZLINK_OVER_CONNECTIONS(immediate);
ZLINK_OVER_CONNECTIONS(conflate);
ZLINK_OVER_CONNECTIONS(linger);
ZLINK_OVER_EVERY_TRANSPORT(timeouts);

} // namespace
} // namespace zlink::conformance
