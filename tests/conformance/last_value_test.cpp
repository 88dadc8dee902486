// SPDX-License-Identifier: MPL-2.0
// ZLINK_LAST_VALUE: a publisher gives new subscribers the last message of each topic.
#include "counters_rig.hpp"

#include <thread>

namespace zlink::conformance {
namespace {

using ::testing::UnorderedElementsAre;

constexpr std::uint64_t default_bytes = 64U << 20;

std::uint64_t get_bytes(const socket &asked) {
    std::uint64_t bytes = 0;
    std::size_t size = sizeof bytes;
    EXPECT_EQ(zmq_getsockopt(asked.handle(), ZLINK_LAST_VALUE_BYTES, &bytes, &size), 0);
    return bytes;
}

void set_bytes(const socket &to, std::uint64_t bytes) {
    EXPECT_EQ(zmq_setsockopt(to.handle(), ZLINK_LAST_VALUE_BYTES, &bytes, sizeof bytes), 0);
}

class last_value_over : public transport_test {
  protected:
    socket publisher(int type = ZMQ_XPUB) {
        socket made(owner, type);
        made.set(ZLINK_LAST_VALUE, 1000);
        return made;
    }
    socket subscriber(const std::string &endpoint, std::string_view topic) {
        socket made(owner, ZMQ_SUB);
        made.set(ZMQ_SUBSCRIBE, topic);
        EXPECT_EQ(made.connect(endpoint), 0);
        return made;
    }
    // The publisher reads subscriptions in its calls.
    static std::vector<frames> receive(socket &from, socket &pub, std::size_t count) {
        std::vector<frames> messages;
        EXPECT_TRUE(eventually([&] {
            (void)pub.get(ZMQ_EVENTS);
            while (messages.size() < count && from.ready(ZMQ_POLLIN, 0))
                messages.push_back(from.receive_frames());
            return messages.size() == count;
        }));
        return messages;
    }
    static void expect_nothing(socket &from, socket &pub) {
        (void)pub.get(ZMQ_EVENTS);
        EXPECT_TRUE(from.quiet());
    }
};

TEST_P(last_value_over, late_subscribers_get_the_last_of_each_topic) {
    const std::string large(1'000'000, 'x');
    for (const int type : {ZMQ_PUB, ZMQ_XPUB}) {
        socket pub = publisher(type);
        const std::string endpoint = bind(pub);
        for (int number = 0; number < 10; ++number)
            for (const char *topic : {"a", "ab", "c"})
                ASSERT_EQ(pub.send({topic, std::to_string(number), large, ""}), 0);
        ASSERT_EQ(pub.send("b"), 0);
        socket a = subscriber(endpoint, "a");
        socket b = subscriber(endpoint, "b");
        socket all = subscriber(endpoint, "");
        EXPECT_EQ(receive(a, pub, 2), (std::vector<frames>{{"a", "9", large, ""}, {"ab", "9", large, ""}}));
        EXPECT_EQ(receive(b, pub, 1), std::vector<frames>{{"b"}});
        EXPECT_THAT(receive(all, pub, 4),
                    UnorderedElementsAre(frames{"a", "9", large, ""}, frames{"ab", "9", large, ""},
                                         frames{"c", "9", large, ""}, frames{"b"}));
        ASSERT_EQ(pub.send("a|10"), 0);
        EXPECT_EQ(a.receive(), "a|10");
        EXPECT_EQ(all.receive(), "a|10");
        expect_nothing(a, pub);
        expect_nothing(b, pub);
        expect_nothing(all, pub);
    }
}

TEST_P(last_value_over, subscribing_again_gives_them_again) {
    socket pub = publisher();
    pub.set(ZMQ_XPUB_VERBOSE, 1);
    ASSERT_EQ(pub.bind(unused_endpoint(GetParam())), 0);
    ASSERT_EQ(pub.send("t|1"), 0);
    socket first = subscriber(pub.last_endpoint(), "t");
    EXPECT_EQ(pub.receive(), "\1t");
    EXPECT_EQ(receive(first, pub, 1), (std::vector<frames>{{"t", "1"}}));
    first.set(ZMQ_SUBSCRIBE, "t"); // SUB counts it, and tells nobody
    expect_nothing(first, pub);
    socket second = subscriber(pub.last_endpoint(), "t");
    EXPECT_EQ(pub.receive(), "\1t");
    EXPECT_EQ(receive(second, pub, 1), (std::vector<frames>{{"t", "1"}}));
    expect_nothing(first, pub);
    second.set(ZMQ_UNSUBSCRIBE, "t");
    second.set(ZMQ_SUBSCRIBE, "t");
    EXPECT_EQ(receive(second, pub, 1), (std::vector<frames>{{"t", "1"}}));
}

TEST_P(last_value_over, a_publisher_that_makes_no_call_gives_them) {
    socket pub = publisher(ZMQ_PUB);
    const std::string endpoint = bind(pub);
    ASSERT_EQ(pub.send("t|1"), 0);
    for (int round = 0; round < 20; ++round) {
        socket sub = subscriber(endpoint, "t");
        EXPECT_EQ(sub.receive(), "t|1");
    }
}

TEST_P(last_value_over, a_publisher_that_sleeps_in_a_poll_gives_them) {
    socket pub = publisher(ZMQ_PUB);
    const std::string endpoint = bind(pub);
    ASSERT_EQ(pub.send("t|1"), 0);
    std::atomic<bool> done = false;
    std::thread sleeper([&] {
        while (!done)
            (void)pub.ready(ZMQ_POLLIN, 1000);
    });
    socket sub = subscriber(endpoint, "t");
    EXPECT_EQ(sub.receive(), "t|1");
    done = true;
    sleeper.join();
}

TEST_P(last_value_over, a_subscriber_that_binds_gets_them_too) {
    socket pub = publisher();
    const std::string endpoint = unused_endpoint(GetParam());
    ASSERT_EQ(pub.connect(endpoint), 0);
    ASSERT_EQ(pub.send("t|1"), 0);
    for (int round = 0; round < 2; ++round) { // the second one is a peer that comes again
        socket sub(owner, ZMQ_SUB);
        sub.set(ZMQ_SUBSCRIBE, "t");
        ASSERT_TRUE(eventually([&] { return sub.bind(endpoint) == 0; })); // the first one has ended
        EXPECT_EQ(receive(sub, pub, 1), (std::vector<frames>{{"t", "1"}}));
        if (GetParam() == std::string_view("inproc"))
            break; // a name that was unbound has lost its peers
    }
}

TEST_P(last_value_over, a_proxy_keeps_them_for_publishers) {
    socket xsub(owner, ZMQ_XSUB);
    socket xpub = publisher();
    const std::string front = bind(xsub);
    const std::string back = bind(xpub);
    socket control(owner, ZMQ_PAIR);
    const std::string steering = unused_endpoint("inproc");
    ASSERT_EQ(control.bind(steering), 0);
    std::thread proxy([&] {
        socket steered(owner, ZMQ_PAIR);
        ASSERT_EQ(steered.connect(steering), 0);
        EXPECT_EQ(zmq_proxy_steerable(xsub.handle(), xpub.handle(), nullptr, steered.handle()), 0);
    });
    socket pub(owner, ZMQ_XPUB);
    ASSERT_EQ(pub.connect(front), 0);
    socket early = subscriber(back, "");
    EXPECT_EQ(pub.receive(), "\1");
    for (const char *text : {"a|1", "b|1|more", "a|2"})
        ASSERT_EQ(pub.send(text), 0);
    for (const char *text : {"a|1", "b|1|more", "a|2"})
        EXPECT_EQ(early.receive(), text);
    pub.close();
    socket late = subscriber(back, "");
    EXPECT_EQ(late.receive(), "b|1|more");
    EXPECT_EQ(late.receive(), "a|2");
    EXPECT_TRUE(early.quiet());
    ASSERT_EQ(control.send("TERMINATE"), 0);
    proxy.join();
}

TEST_P(last_value_over, the_books_balance) {
    socket pub = publisher();
    const std::string endpoint = bind(pub);
    for (int number = 0; number < 100; ++number)
        ASSERT_EQ(pub.send({"t" + std::to_string(number % 10), std::to_string(number)}), 0);
    EXPECT_EQ(now(owner, "XPUB", "dropped.no_subscriber"), 100U);
    socket sub = subscriber(endpoint, "t");
    EXPECT_EQ(receive(sub, pub, 10).back(), (frames{"t9", "99"}));
    EXPECT_TRUE(eventually([&] {
        return now(owner, "XPUB", "queued.out") == 0 && now(owner, "SUB", "received.messages") == 10;
    }));
    EXPECT_EQ(now(owner, "XPUB", "sent.messages"), 10U);
}

ZLINK_OVER_EVERY_TRANSPORT(last_value_over);

TEST(last_value, has_options) {
    context owner;
    for (const int type : {ZMQ_PUB, ZMQ_XPUB}) {
        socket pub(owner, type);
        EXPECT_EQ(pub.get(ZLINK_LAST_VALUE), 0);
        EXPECT_EQ(get_bytes(pub), default_bytes);
        pub.set(ZLINK_LAST_VALUE, 7);
        set_bytes(pub, 0);
        EXPECT_EQ(pub.get(ZLINK_LAST_VALUE), 7);
        EXPECT_EQ(get_bytes(pub), 0U);
        const int wrong = -1;
        EXPECT_EQ(zmq_setsockopt(pub.handle(), ZLINK_LAST_VALUE, &wrong, sizeof wrong), -1);
        EXPECT_EQ(zmq_setsockopt(pub.handle(), ZLINK_LAST_VALUE_BYTES, &wrong, sizeof wrong), -1);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(pub.get(ZLINK_LAST_VALUE), 7);
    }
    for (const int type : {ZMQ_SUB, ZMQ_XSUB, ZMQ_PUSH, ZMQ_ROUTER, ZMQ_RADIO}) {
        socket other(owner, type);
        const std::uint64_t one = 1;
        EXPECT_EQ(zmq_setsockopt(other.handle(), ZLINK_LAST_VALUE, &one, sizeof(int)), -1);
        EXPECT_EQ(errno, EINVAL);
        EXPECT_EQ(zmq_setsockopt(other.handle(), ZLINK_LAST_VALUE_BYTES, &one, sizeof one), -1);
        EXPECT_EQ(errno, EINVAL);
    }
}

TEST(last_value, keeps_no_more_than_its_bounds) {
    context owner;
    socket pub(owner, ZMQ_XPUB);
    pub.set(ZLINK_LAST_VALUE, 3);
    set_bytes(pub, 10);
    ASSERT_EQ(pub.bind("inproc://bounds"), 0);
    const auto given = [&] {
        socket sub(owner, ZMQ_SUB);
        sub.set(ZMQ_SUBSCRIBE, "");
        EXPECT_EQ(sub.connect("inproc://bounds"), 0);
        EXPECT_EQ(pub.receive(), "\1");
        std::string text;
        while (sub.ready(ZMQ_POLLIN, 0))
            text += (text.empty() ? "" : " ") + sub.receive();
        sub.close();
        EXPECT_EQ(pub.receive(), std::string(1, '\0'));
        return text;
    };
    for (const char *text : {"a|1", "b|1", "c|1", "d|1"})
        ASSERT_EQ(pub.send(text), 0);
    EXPECT_EQ(given(), "b|1 c|1 d|1");
    ASSERT_EQ(pub.send("b|123456"), 0);
    EXPECT_EQ(given(), "d|1 b|123456");
    ASSERT_EQ(pub.send("b|12345678901"), 0); // too large: nor is the older one given
    EXPECT_EQ(given(), "d|1");
    pub.set(ZLINK_LAST_VALUE, 0);
    EXPECT_EQ(given(), "");
}

TEST(last_value, what_was_given_to_late_subscribers_counts) {
    context owner;
    socket pub(owner, ZMQ_XPUB);
    pub.set(ZLINK_LAST_VALUE, 10);
    ASSERT_EQ(pub.bind("inproc://counted"), 0);
    for (const char *text : {"a|1", "b|1", "a|2", "c|1"})
        ASSERT_EQ(pub.send(text), 0);
    for (unsigned round = 1; round <= 2; ++round) {
        socket sub(owner, ZMQ_SUB);
        sub.set(ZMQ_SUBSCRIBE, "a");
        sub.set(ZMQ_SUBSCRIBE, "b");
        ASSERT_EQ(sub.connect("inproc://counted"), 0);
        EXPECT_EQ(pub.receive(), "\1a");
        EXPECT_EQ(pub.receive(), "\1b");
        ASSERT_EQ(pub.send("a|new"), 0);
        const counted found(owner);
        const int publisher = found.socket("XPUB");
        EXPECT_EQ(found.number(found.peers_of(publisher).at(0), "replayed.messages"), 2U);
        EXPECT_EQ(found.number(publisher, "replayed.messages"), 2U * round);
        EXPECT_EQ(found.number(publisher, "sent.messages"), 3U * round);
        EXPECT_EQ(found.number("SUB", "replayed.messages"), 0U);
        for (int given = 0; given < 3; ++given)
            (void)sub.receive();
        sub.close();
        EXPECT_EQ(pub.receive(), std::string("\0a", 2));
        EXPECT_EQ(pub.receive(), std::string("\0b", 2));
    }
    EXPECT_EQ(now(owner, "XPUB", "replayed.messages"), 4U);
    pub.close();
    EXPECT_TRUE(eventually([&] { return counted(owner).number(0, "replayed.messages") == 4U; }));
}

// A subscriber whose queue has a policy of its own keeps the newest of what it is given.
TEST(last_value, a_slow_subscriber_has_the_newest_of_each_topic) {
    context owner;
    socket pub(owner, ZMQ_XPUB);
    pub.set(ZLINK_LAST_VALUE, 100);
    pub.set(ZLINK_SNDHWM_POLICY, ZLINK_HWM_LATEST_OF_TOPIC);
    for (const int option : {ZMQ_SNDHWM, ZMQ_RCVHWM})
        pub.set(option, 1);
    ASSERT_EQ(pub.bind("inproc://slow"), 0);
    for (int topic = 0; topic < 4; ++topic)
        ASSERT_EQ(pub.send("t" + std::to_string(topic) + "|1"), 0);
    socket sub(owner, ZMQ_SUB);
    sub.set(ZMQ_RCVHWM, 3);
    sub.set(ZMQ_SUBSCRIBE, "t");
    ASSERT_EQ(sub.connect("inproc://slow"), 0);
    EXPECT_EQ(pub.receive(), "\1t");
    for (int number = 2; number < 100; ++number)
        ASSERT_EQ(pub.send("t2|" + std::to_string(number)), 0);
    for (const char *text : {"t0|1", "t1|1", "t3|1", "t2|99"}) // the marks add up to four
        EXPECT_EQ(sub.receive(), text);
    EXPECT_TRUE(sub.quiet());
    EXPECT_EQ(now(owner, "XPUB", "dropped.conflated"), 98U);
    EXPECT_EQ(now(owner, "XPUB", "dropped.replaced"), 0U);
    EXPECT_EQ(now(owner, "XPUB", "sent.messages"), 4U + 98U);
    EXPECT_EQ(now(owner, "XPUB", "replayed.messages"), 4U);
    EXPECT_EQ(now(owner, "SUB", "received.messages"), 4U);
}

TEST(last_value, memory_of_the_application_is_released_with_the_message) {
    static std::atomic<int> released;
    released = 0;
    context owner;
    socket pub(owner, ZMQ_PUB);
    pub.set(ZLINK_LAST_VALUE, 10);
    static char body[] = "lent";
    const auto send_lent = [&] {
        ASSERT_EQ(zmq_send(pub.handle(), "t", 1, ZMQ_SNDMORE), 1);
        zmq_msg_t message;
        ASSERT_EQ(zmq_msg_init_data(
                      &message, body, sizeof body, [](void *, void *) { ++released; }, nullptr),
                  0);
        ASSERT_EQ(zmq_msg_send(&message, pub.handle(), 0), static_cast<int>(sizeof body));
    };
    send_lent();
    EXPECT_EQ(released, 0);
    send_lent();
    EXPECT_EQ(released, 1);
    pub.set(ZLINK_LAST_VALUE, 0);
    EXPECT_EQ(released, 2);
}

} // namespace
} // namespace zlink::conformance
