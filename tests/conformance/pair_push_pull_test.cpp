// SPDX-License-Identifier: MPL-2.0
// PUSH and PULL: RFC 30. PAIR: RFC 31.
#include "rig.hpp"

namespace zlink::conformance {
namespace {

class push_pull : public transport_test {};
class exclusive_pair : public transport_test {};

TEST_P(push_pull, work_goes_to_workers_in_turn) {
    socket source(owner, ZMQ_PUSH);
    std::vector<socket> workers;
    for (int i = 0; i < 3; ++i) {
        workers.emplace_back(owner, ZMQ_PULL);
        ASSERT_EQ(source.connect(bind(workers.back())), 0);
    }
    for (int i = 0; i < 30; ++i)
        ASSERT_EQ(source.send(std::to_string(i) + "|part"), 0);
    for (int i = 0; i < 30; ++i)
        ASSERT_EQ(workers[static_cast<std::size_t>(i % 3)].receive(), std::to_string(i) + "|part");
}

TEST_P(push_pull, results_come_from_all_sources_alike) {
    constexpr int each = 200;
    socket sink(owner, ZMQ_PULL);
    const std::string endpoint = bind(sink);
    std::vector<socket> sources;
    for (int i = 0; i < 4; ++i)
        sources.push_back(connected(ZMQ_PUSH, endpoint));
    for (int i = 0; i < each; ++i)
        for (std::size_t k = 0; k < sources.size(); ++k)
            ASSERT_EQ(sources[k].send(frames{std::to_string(k), std::to_string(i)}), 0);
    std::vector<int> next(sources.size(), 0);
    for (std::size_t i = 0; i < sources.size() * each; ++i) {
        const frames message = sink.receive_frames();
        ASSERT_EQ(message.size(), 2U);
        ASSERT_EQ(std::stoi(message[1]), next.at(std::stoul(message[0]))++);
    }
}

TEST_P(push_pull, without_a_worker_push_waits) {
    socket source(owner, ZMQ_PUSH);
    const std::string endpoint = bind(source);
    EXPECT_EQ(source.send("x", ZMQ_DONTWAIT), EAGAIN);
    std::thread late([&] {
        socket worker = connected(ZMQ_PULL, endpoint);
        EXPECT_EQ(worker.receive(), "waited for");
    });
    EXPECT_EQ(source.send("waited for"), 0);
    late.join();
}

TEST_P(push_pull, directions_are_kept) {
    socket source(owner, ZMQ_PUSH);
    socket sink(owner, ZMQ_PULL);
    EXPECT_EQ(sink.send("x"), ENOTSUP);
    EXPECT_EQ(source.receive(), std::string("error: ") + zmq_strerror(ENOTSUP));
}

TEST_P(push_pull, many_messages_between_threads_arrive_in_order) {
    constexpr int count = 50'000;
    socket sink(owner, ZMQ_PULL);
    socket source = connected(ZMQ_PUSH, bind(sink));
    std::thread sender([&] {
        for (int i = 0; i < count; ++i)
            ASSERT_EQ(zmq_send(source.handle(), &i, sizeof i, 0), static_cast<int>(sizeof i));
    });
    int in_order = 0;
    for (int value = -1; in_order < count; ++in_order)
        if (zmq_recv(sink.handle(), &value, sizeof value, 0) != static_cast<int>(sizeof value) ||
            value != in_order)
            break;
    sender.join();
    EXPECT_EQ(in_order, count);
}

TEST_P(exclusive_pair, both_ways) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(one.send("there|x"), 0);
        ASSERT_EQ(other.send("back|y"), 0);
        EXPECT_EQ(other.receive(), "there|x");
        EXPECT_EQ(one.receive(), "back|y");
    }
}

TEST_P(exclusive_pair, third_is_not_heard) {
    socket one(owner, ZMQ_PAIR);
    const std::string endpoint = bind(one);
    socket other = connected(ZMQ_PAIR, endpoint);
    ASSERT_EQ(other.send("first"), 0);
    ASSERT_EQ(one.receive(), "first");
    socket third = connected(ZMQ_PAIR, endpoint);
    third.send("ignored", ZMQ_DONTWAIT);
    EXPECT_TRUE(one.quiet());
    ASSERT_EQ(one.send("for the other"), 0);
    EXPECT_EQ(other.receive(), "for the other");
}

TEST_P(exclusive_pair, place_is_free_again_when_the_peer_left) {
    socket one(owner, ZMQ_PAIR);
    const std::string endpoint = bind(one);
    {
        socket other = connected(ZMQ_PAIR, endpoint);
        other.set(ZMQ_LINGER, -1);
        ASSERT_EQ(other.send("goodbye"), 0);
        ASSERT_EQ(one.receive(), "goodbye");
    }
    EXPECT_TRUE(eventually([&] { return one.send("into the air", ZMQ_DONTWAIT) == EAGAIN; }));
    socket next = connected(ZMQ_PAIR, endpoint);
    ASSERT_EQ(next.send("hello"), 0);
    EXPECT_EQ(one.receive(), "hello");
}

ZLINK_OVER_EVERY_TRANSPORT(push_pull);
ZLINK_OVER_EVERY_TRANSPORT(exclusive_pair);

} // namespace
} // namespace zlink::conformance
