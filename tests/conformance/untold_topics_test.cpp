// SPDX-License-Identifier: MPL-2.0
// A subscriber changes its topics while a publisher does not read. The bytes that wait for the publisher are
// bounded, and the publisher knows the right topics when it has read.
#include "bare_peer.hpp"

#include <malloc.h>

#include <set>
#include <thread>

namespace zlink::conformance {
namespace {

constexpr int changes = 200'000;
constexpr std::size_t mib = 1024 * 1024;

std::string passing_topic(int number) {
    return "a topic that comes and goes, and has a name of some length, " + std::to_string(number);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
std::size_t given_out() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
#else
std::size_t given_out() { // the sanitizer keeps memory that was given back
    return 0;
}
#endif

// Topics that come and go, one that goes for good and one that comes.
void change_topics(socket &sub) {
    sub.set(ZMQ_SUBSCRIBE, "goes"s);
    const std::size_t before = given_out();
    for (int number = 0; number < changes; ++number) {
        sub.set(ZMQ_SUBSCRIBE, passing_topic(number));
        sub.set(ZMQ_UNSUBSCRIBE, passing_topic(number));
        if (number == changes / 2) {
            sub.set(ZMQ_UNSUBSCRIBE, "goes"s);
            sub.set(ZMQ_SUBSCRIBE, "comes"s);
        }
    }
    EXPECT_LT(given_out(), before + 2 * mib);
}

TEST(untold_topics, wait_for_a_publisher_over_tcp_that_does_not_read) {
    context owner;
    socket sub(owner, ZMQ_SUB);
    ASSERT_EQ(sub.bind("tcp://127.0.0.1:*"), 0);
    bare_peer publisher(sub.last_endpoint());
    publisher.shake_hands("PUB");
    change_topics(sub);
    std::thread receiver([&] { EXPECT_EQ(sub.receive(), "comes: now"); }); // and hears when there is room
    std::multiset<std::string> told;
    for (bool came = false; !came || told.size() > 1;) {
        const std::string command = publisher.read_frame();
        ASSERT_FALSE(command.empty());
        const bool subscribes = command.starts_with("\x09SUBSCRIBE");
        const std::string topic = command.substr(subscribes ? 10 : 7);
        if (subscribes)
            told.insert(topic);
        else
            told.erase(topic);
        came = told.contains("comes");
    }
    EXPECT_EQ(told, std::multiset<std::string>{"comes"});
    publisher.write("\0\x0A"s + "comes: now");
    receiver.join();
}

TEST(untold_topics, wait_for_a_publisher_over_inproc_that_makes_no_call) {
    context owner;
    socket xpub(owner, ZMQ_XPUB);
    ASSERT_EQ(xpub.bind("inproc://untold"), 0);
    socket sub(owner, ZMQ_SUB);
    ASSERT_EQ(sub.connect("inproc://untold"), 0);
    change_topics(sub);
    std::thread receiver([&] { EXPECT_EQ(sub.receive(), "comes: now"); });
    std::set<std::string> told;
    for (bool came = false; !came || told.size() > 1; came = told.contains("comes")) {
        const std::string request = xpub.receive();
        ASSERT_FALSE(request.empty());
        if (request[0] == '\1')
            told.insert(request.substr(1));
        else
            told.erase(request.substr(1));
    }
    EXPECT_EQ(told, std::set<std::string>{"comes"});
    ASSERT_EQ(xpub.send("goes: now"), 0);
    ASSERT_EQ(xpub.send("comes: now"), 0);
    receiver.join();
}

// All topics of a set at once are no reason to wait: the subscriber may make no call for long.
TEST(untold_topics, many_fresh_topics_do_not_wait) {
    context owner;
    socket sub(owner, ZMQ_SUB);
    ASSERT_EQ(sub.bind("tcp://127.0.0.1:*"), 0);
    bare_peer publisher(sub.last_endpoint());
    publisher.shake_hands("PUB");
    for (int number = 0; number < 50'000; ++number)
        sub.set(ZMQ_SUBSCRIBE, passing_topic(number));
    std::set<std::string> told;
    for (int number = 0; number < 50'000; ++number)
        told.insert(publisher.read_frame());
    EXPECT_EQ(told.size(), 50'000U);
}

TEST(untold_topics, groups_wait_for_a_radio_that_does_not_read) {
    context owner;
    socket dish(owner, ZMQ_DISH);
    ASSERT_EQ(dish.bind("tcp://127.0.0.1:*"), 0);
    bare_peer radio(dish.last_endpoint());
    radio.shake_hands("RADIO");
    const std::size_t before = given_out();
    for (int number = 0; number < changes; ++number) {
        const std::string group = passing_topic(number);
        ASSERT_EQ(zmq_join(dish.handle(), group.c_str()), 0);
        ASSERT_EQ(zmq_leave(dish.handle(), group.c_str()), 0);
    }
    ASSERT_EQ(zmq_join(dish.handle(), "comes"), 0);
    EXPECT_LT(given_out(), before + 2 * mib);
    dish.set(ZMQ_RCVTIMEO, 2000);
    std::thread receiver([&] { EXPECT_EQ(dish.receive(), "error: Resource temporarily unavailable"); });
    std::set<std::string> told;
    for (bool came = false; !came; came = told.contains("comes")) {
        const std::string command = radio.read_frame();
        ASSERT_FALSE(command.empty());
        if (command.starts_with("\x04JOIN"))
            told.insert(command.substr(5));
        else
            told.erase(command.substr(6));
    }
    EXPECT_EQ(told, std::set<std::string>{"comes"});
    receiver.join();
}

} // namespace
} // namespace zlink::conformance
