// SPDX-License-Identifier: MPL-2.0
// PUB, SUB, XPUB and XSUB: RFC 29. Publishers are XPUBs where a test has to know that a subscription came.
#include "rig.hpp"

#include <sched.h>

namespace zlink::conformance {
namespace {

class pub_sub : public transport_test {
  protected:
    // A subscriber that the publisher has heard of.
    socket subscriber(socket &publisher, const std::string &endpoint, const std::string &topic) {
        socket sub = connected(ZMQ_SUB, endpoint);
        sub.set(ZMQ_SUBSCRIBE, topic);
        EXPECT_EQ(publisher.receive(), '\1' + topic);
        return sub;
    }
    socket publisher() {
        socket made(owner, ZMQ_XPUB);
        made.set(ZMQ_XPUB_VERBOSER, 1);
        return made;
    }
};

class pub_sub_proxy : public pub_sub {};

TEST_P(pub_sub, subscribers_receive_what_begins_with_their_topics) {
    socket pub = publisher();
    const std::string endpoint = bind(pub);
    socket some = subscriber(pub, endpoint, "weather");
    socket all = subscriber(pub, endpoint, "");
    for (const char *text :
         {"weather", "weathe", "sports|weather", "weather in|Lisbon", "end", "weather end"})
        ASSERT_EQ(pub.send(text), 0);
    for (const char *text : {"weather", "weather in|Lisbon", "weather end"})
        EXPECT_EQ(some.receive(), text);
    for (const char *text :
         {"weather", "weathe", "sports|weather", "weather in|Lisbon", "end", "weather end"})
        EXPECT_EQ(all.receive(), text);
}

TEST_P(pub_sub, message_of_two_topics_comes_once) {
    socket pub = publisher();
    socket sub = subscriber(pub, bind(pub), "a");
    sub.set(ZMQ_SUBSCRIBE, "ab");
    ASSERT_EQ(pub.receive(), "\1ab");
    ASSERT_EQ(pub.send("abc"), 0);
    ASSERT_EQ(pub.send("ax"), 0);
    EXPECT_EQ(sub.receive(), "abc");
    EXPECT_EQ(sub.receive(), "ax");
}

TEST_P(pub_sub, cancelled_topics_come_no_more) {
    socket pub = publisher();
    socket sub = subscriber(pub, bind(pub), "a");
    sub.set(ZMQ_SUBSCRIBE, "b");
    ASSERT_EQ(pub.receive(), "\1b");
    sub.set(ZMQ_UNSUBSCRIBE, "a");
    ASSERT_EQ(pub.receive(), std::string("\0a", 2));
    ASSERT_EQ(pub.send("a"), 0);
    ASSERT_EQ(pub.send("b"), 0);
    EXPECT_EQ(sub.receive(), "b");
}

TEST_P(pub_sub, subscriber_of_several_publishers_hears_all) {
    std::vector<socket> pubs;
    socket sub(owner, ZMQ_SUB);
    sub.set(ZMQ_SUBSCRIBE, "n");
    std::vector<std::string> expected, seen;
    for (int i = 0; i < 3; ++i) {
        pubs.push_back(publisher());
        ASSERT_EQ(sub.connect(bind(pubs.back())), 0);
        ASSERT_EQ(pubs.back().receive(), "\1n");
        expected.push_back("news|" + std::to_string(i));
        ASSERT_EQ(pubs.back().send(expected.back()), 0);
    }
    for (int i = 0; i < 3; ++i)
        seen.push_back(sub.receive());
    EXPECT_THAT(seen, ::testing::UnorderedElementsAreArray(expected));
}

TEST_P(pub_sub, publisher_hears_who_leaves) {
    socket pub = publisher();
    const std::string endpoint = bind(pub);
    socket first = subscriber(pub, endpoint, "t");
    socket second = subscriber(pub, endpoint, "t");
    second.close();
    EXPECT_EQ(pub.receive(), std::string("\0t", 2));
    ASSERT_EQ(pub.send("t"), 0);
    EXPECT_EQ(first.receive(), "t");
    first.close();
    EXPECT_EQ(pub.receive(), std::string("\0t", 2));
}

TEST_P(pub_sub, verbose_cancellations_are_all_heard) {
    for (const int verboser : {0, 1}) {
        socket pub(owner, ZMQ_XPUB);
        pub.set(ZMQ_XPUB_VERBOSER, verboser);
        socket sub = connected(ZMQ_XSUB, bind(pub));
        sub.set(ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, 1);
        const std::string_view subscribe("\1a", 2), cancel("\0a", 2), unknown("\0b", 2);
        ASSERT_EQ(sub.send(subscribe), 0);
        EXPECT_EQ(pub.receive(), subscribe);
        for (int count = 0; count < 2; ++count) {
            ASSERT_EQ(sub.send(cancel), 0);
            EXPECT_EQ(pub.receive(), cancel);
            ASSERT_EQ(sub.send(unknown), 0);
            EXPECT_EQ(pub.receive(), unknown);
        }
        sub.set(ZMQ_XSUB_VERBOSE_UNSUBSCRIBE, 0);
        ASSERT_EQ(sub.send(unknown), 0);
        EXPECT_TRUE(pub.quiet());
    }
}

TEST_P(pub_sub, directions_are_kept) {
    socket pub(owner, ZMQ_PUB);
    socket sub(owner, ZMQ_SUB);
    EXPECT_EQ(pub.receive(), std::string("error: ") + zmq_strerror(ENOTSUP));
    EXPECT_EQ(sub.send("x"), ENOTSUP);
    EXPECT_EQ(pub.send("nobody listens"), 0);
}

// High-water marks of PUB: who is slow misses messages, the publisher never waits.
TEST_P(pub_sub, slow_subscriber_misses_messages_and_a_fast_one_none) {
    constexpr int count = 2000;
    socket pub = publisher();
    pub.set(ZMQ_SNDHWM, 10);
    const std::string endpoint = bind(pub);
    socket slow(owner, ZMQ_SUB), fast(owner, ZMQ_SUB);
    slow.set(ZMQ_RCVHWM, 10);
    fast.set(ZMQ_RCVHWM, 10);
    for (socket *sub : {&slow, &fast}) {
        sub->set(ZMQ_SUBSCRIBE, "");
        ASSERT_EQ(sub->connect(endpoint), 0);
        ASSERT_EQ(pub.receive(), "\1");
    }
    const std::string filler(20'000, 'x');
    for (int i = 0; i < count; ++i) {
        const frames message{std::to_string(i), filler};
        ASSERT_EQ(pub.send(message), 0) << "a publisher does not wait";
        ASSERT_EQ(fast.receive_frames(), message);
    }
    int received = 0, last = -1;
    while (slow.ready(ZMQ_POLLIN, quiet_ms)) {
        const frames message = slow.receive_frames();
        ASSERT_EQ(message.size(), 2U) << "whole messages are missed";
        ASSERT_GT(std::stoi(message[0]), last);
        last = std::stoi(message[0]);
        ++received;
    }
    EXPECT_GE(received, 10);
    EXPECT_LT(received, count);
}

TEST_P(pub_sub, without_drops_a_full_subscriber_holds_the_publisher) {
    socket pub = publisher();
    pub.set(ZMQ_SNDHWM, 10);
    pub.set(ZMQ_XPUB_NODROP, 1);
    const std::string endpoint = bind(pub);
    socket sub(owner, ZMQ_SUB);
    sub.set(ZMQ_RCVHWM, 10);
    sub.set(ZMQ_SUBSCRIBE, "");
    ASSERT_EQ(sub.connect(endpoint), 0);
    ASSERT_EQ(pub.receive(), "\1");
    const std::string filler(20'000, 'x');
    pub.set(ZMQ_SNDTIMEO, 100);
    int sent = 0, code = 0;
    while (sent < 10'000 && (code = pub.send({std::to_string(sent), filler})) == 0)
        ++sent;
    EXPECT_EQ(code, EAGAIN);
    EXPECT_GE(sent, 10);
    for (int i = 0; i < sent; ++i)
        ASSERT_EQ(sub.receive_frames().front(), std::to_string(i));
    pub.set(ZMQ_SNDTIMEO, patience_ms);
    EXPECT_EQ(pub.send("again"), 0);
    EXPECT_EQ(sub.receive(), "again");
}

TEST_P(pub_sub_proxy, carries_subscriptions_one_way_and_messages_the_other) {
    context middle;
    socket pub = publisher();
    const std::string source = bind(pub);
    socket front(middle, ZMQ_XSUB), back(middle, ZMQ_XPUB);
    ASSERT_EQ(front.connect(source), 0);
    const std::string outlet = bind(back);
    std::thread proxy([&] {
        EXPECT_EQ(zmq_proxy(front.handle(), back.handle(), nullptr), -1);
        EXPECT_EQ(errno, ETERM);
    });
    socket sub = connected(ZMQ_SUB, outlet);
    sub.set(ZMQ_SUBSCRIBE, "t");
    EXPECT_EQ(pub.receive(), "\1t");
    EXPECT_EQ(pub.send("topic|body"), 0);
    EXPECT_EQ(sub.receive(), "topic|body");
    EXPECT_EQ(zmq_ctx_shutdown(middle.handle()), 0);
    proxy.join();
}

// The calling thread, and all that it makes.
bool leave_one_processor() {
    cpu_set_t usable;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0)
        return false;
    std::size_t first = 0;
    while (!CPU_ISSET(first, &usable))
        ++first;
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(first, &only);
    return sched_setaffinity(0, sizeof only, &only) == 0;
}

// How many messages arrive of those sent one after the other, to a subscriber that takes what comes.
int arrivals(const char *transport, int sent) {
    context owner;
    socket pub(owner, ZMQ_XPUB), sub(owner, ZMQ_SUB);
    sub.set(ZMQ_SUBSCRIBE, "");
    const bool tcp = transport == std::string_view("tcp");
    pub.bind(tcp ? "tcp://127.0.0.1:*" : unused_endpoint(transport));
    sub.connect(pub.last_endpoint());
    pub.receive();
    int arrived = 0;
    std::atomic<bool> over = false;
    std::thread subscriber([&] {
        while (sub.receive() == "news")
            ++arrived;
        over = true;
    });
    for (int number = 0; number < sent; ++number)
        pub.send("news");
    while (!over) { // until it gets through
        pub.send("end");
        zmq_poll(nullptr, 0, 1);
    }
    subscriber.join();
    return arrived;
}

// In a process of its own: the processors are counted once. The machine may be busy with other work for a
// while, so there are some attempts. Where no reader gets a turn, one message in ten arrives.
void publish_with_one_processor(const char *transport) {
    constexpr int sent = 20'000;
    bool kept_up = false;
    if (leave_one_processor())
        for (int attempt = 0; attempt < 10 && !kept_up; ++attempt)
            kept_up = arrivals(transport, sent) > sent / 2;
    std::_Exit(kept_up ? 0 : 1);
}

TEST_P(pub_sub, with_one_processor_a_subscriber_that_keeps_up_gets_its_turns) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(publish_with_one_processor(GetParam()), ::testing::ExitedWithCode(0), "");
}

ZLINK_OVER_EVERY_TRANSPORT(pub_sub);
ZLINK_OVER_CONNECTIONS(pub_sub_proxy); // it is in a context of its own

} // namespace
} // namespace zlink::conformance
