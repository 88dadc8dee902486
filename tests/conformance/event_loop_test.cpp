// SPDX-License-Identifier: MPL-2.0
// ZLINK_LOOP_FD and ZLINK_LOOP_EVENTS: an event loop of the program waits for sockets, and reads their
// connections itself.
#include "leased_streams_rig.hpp"

#include "zlink/options.h"

#include <chrono>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace zlink::conformance {
namespace {

class event_loop : public leased_streams_test {
  protected:
    // Waits as an event loop does. Returns false if the time is over.
    static bool wait(const socket &waited, int timeout_ms = patience_ms) {
        while ((waited.get(ZLINK_LOOP_EVENTS) & ZMQ_POLLIN) == 0) {
            pollfd watched{waited.get(ZLINK_LOOP_FD), POLLIN, 0};
            if (::poll(&watched, 1, timeout_ms) != 1)
                return false;
        }
        return true;
    }
    std::string take(socket &from) override {
        return wait(from) ? from.receive(ZMQ_DONTWAIT) : std::string("nothing came");
    }
};

TEST_P(event_loop, hears_of_each_message) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    converse(one, other, 500);
    EXPECT_FALSE(wait(one, quiet_ms));
    converse(one, other, 1);
}

TEST_P(event_loop, has_one_descriptor_for_all_waits) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    const int descriptor = one.get(ZLINK_LOOP_FD);
    converse(one, other);
    EXPECT_EQ(one.get(ZLINK_LOOP_FD), descriptor);
}

// A message may come between the question for events and the wait, and between two waits.
TEST_P(event_loop, hears_of_what_comes_before_its_wait) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    converse(one, other);
    for (const bool before_descriptor : {true, false}) {
        (void)one.get(ZLINK_LOOP_EVENTS);
        if (!before_descriptor)
            (void)one.get(ZLINK_LOOP_FD);
        EXPECT_EQ(other.send("early"), 0);
        stay_away(5);
        pollfd watched{one.get(ZLINK_LOOP_FD), POLLIN, 0};
        EXPECT_EQ(::poll(&watched, 1, patience_ms), 1) << before_descriptor;
        EXPECT_EQ(take(one), "early");
    }
}

TEST_P(event_loop, that_stays_away_does_not_hold_its_peers_up) {
    expect_that_messages_are_fetched_meanwhile();
}

TEST_P(event_loop, that_stays_away_answers_heartbeats) {
    expect_heartbeats_during([](socket &) { stay_away(900); });
}

// More connections than are watched one by one.
TEST_P(event_loop, hears_of_many_connections) {
    constexpr int count = 7;
    socket router(owner, ZMQ_ROUTER);
    const std::string endpoint = bind(router);
    std::vector<socket> dealers;
    for (int index = 0; index < count; ++index)
        dealers.push_back(connected(ZMQ_DEALER, endpoint, "dealer" + std::to_string(index)));
    for (int round = 0; round < 200; ++round) {
        const int chosen = round % count;
        socket &asking = dealers[static_cast<std::size_t>(chosen)];
        EXPECT_EQ(asking.send("question"), 0);
        ASSERT_TRUE(wait(router));
        const frames question = router.receive_frames(ZMQ_DONTWAIT);
        ASSERT_EQ(question, (frames{"dealer" + std::to_string(chosen), "question"}));
        EXPECT_EQ(router.send(frames{question.front(), "answer"}), 0);
        ASSERT_EQ(take(asking), "answer");
    }
}

TEST_P(event_loop, hears_of_connections_that_end_and_of_new_ones) {
    socket pull(owner, ZMQ_PULL);
    const std::string endpoint = bind(pull);
    for (int round = 0; round < 20; ++round) {
        socket push = connected(ZMQ_PUSH, endpoint);
        for (int number = 0; number < 5; ++number) {
            EXPECT_EQ(push.send("from number " + std::to_string(round)), 0);
            ASSERT_EQ(take(pull), "from number " + std::to_string(round));
        }
    }
}

TEST_P(event_loop, hears_of_room) {
    socket push(owner, ZMQ_PUSH);
    push.set(ZMQ_SNDHWM, 2);
    socket pull(owner, ZMQ_PULL);
    pull.set(ZMQ_RCVHWM, 2);
    ASSERT_EQ(push.connect(bind(pull)), 0);
    ASSERT_EQ(push.send("first"), 0);
    const std::string body(100'000, 'b');
    int sent = 0;
    while (push.send(body, ZMQ_DONTWAIT) == 0)
        ++sent;
    std::thread reader([&] {
        stay_away(20);
        EXPECT_EQ(pull.receive(), "first");
        for (int got = 0; got < sent; ++got)
            EXPECT_EQ(pull.receive(), body);
    });
    while ((push.get(ZLINK_LOOP_EVENTS) & ZMQ_POLLOUT) == 0) {
        pollfd watched{push.get(ZLINK_LOOP_FD), POLLIN, 0};
        ASSERT_EQ(::poll(&watched, 1, patience_ms), 1);
    }
    reader.join();
}

TEST_P(event_loop, hears_of_the_end_of_the_context) {
    context ending;
    socket one(ending, ZMQ_PAIR);
    socket other(ending, ZMQ_PAIR);
    ASSERT_EQ(other.connect(bind(one)), 0);
    converse(one, other);
    (void)one.get(ZLINK_LOOP_EVENTS);
    pollfd watched{one.get(ZLINK_LOOP_FD), POLLIN, 0};
    std::thread ends([&] { EXPECT_EQ(zmq_ctx_shutdown(ending.handle()), 0); });
    EXPECT_EQ(::poll(&watched, 1, patience_ms), 1);
    ends.join();
    int events = 0;
    std::size_t size = sizeof events;
    EXPECT_EQ(zmq_getsockopt(one.handle(), ZLINK_LOOP_EVENTS, &events, &size), -1);
    EXPECT_EQ(errno, ETERM);
}

// Messages that it does not want yet do not keep it awake.
TEST_P(event_loop, that_leaves_messages_can_sleep) {
    socket pull(owner, ZMQ_PULL);
    pull.set(ZMQ_RCVHWM, 2);
    socket push = connected(ZMQ_PUSH, bind(pull));
    push.set(ZMQ_SNDTIMEO, 0);
    for (int number = 0; number < 20; ++number) {
        EXPECT_EQ(push.send("first"), 0);
        ASSERT_EQ(take(pull), "first");
    }
    const std::string body(50'000, 'b');
    const auto full_at = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
    while (std::chrono::steady_clock::now() < full_at)
        (void)push.send(body, ZMQ_DONTWAIT);
    bool slept = false;
    for (int waits = 0; waits < 1000 && !slept; ++waits) {
        (void)pull.get(ZLINK_LOOP_EVENTS);
        pollfd watched{pull.get(ZLINK_LOOP_FD), POLLIN, 0};
        slept = ::poll(&watched, 1, quiet_ms) == 0;
    }
    EXPECT_TRUE(slept);
    ASSERT_EQ(take(pull), body);
}

// The descriptor of ZMQ_FD goes on ringing, and so does the loop's.
TEST_P(event_loop, may_be_mixed_with_zmq_fd) {
    socket one(owner, ZMQ_PAIR);
    socket other = connected(ZMQ_PAIR, bind(one));
    converse(one, other);
    pollfd plain{one.get(ZMQ_FD), POLLIN, 0};
    for (int round = 0; round < 20; ++round) {
        while ((one.get(ZMQ_EVENTS) & ZMQ_POLLIN) != 0)
            (void)one.receive();
        EXPECT_EQ(other.send("question"), 0);
        ASSERT_EQ(::poll(&plain, 1, patience_ms), 1);
        ASSERT_EQ(take(one), "question");
    }
    converse(one, other);
}

ZLINK_OVER_EVERY_TRANSPORT(event_loop);

TEST(event_loops, are_for_sockets_of_one_thread) {
    context owner;
    socket shared(owner, ZMQ_PAIR);
    shared.set(ZLINK_THREAD_SAFE, 1);
    int descriptor = 0;
    std::size_t size = sizeof descriptor;
    EXPECT_EQ(zmq_getsockopt(shared.handle(), ZLINK_LOOP_FD, &descriptor, &size), -1);
    EXPECT_EQ(errno, EINVAL);
}

TEST(event_loops, keep_their_socket_for_one_thread) {
    context owner;
    socket watched(owner, ZMQ_PAIR);
    EXPECT_GE(watched.get(ZLINK_LOOP_FD), 0);
    const int on = 1;
    EXPECT_EQ(zmq_setsockopt(watched.handle(), ZLINK_THREAD_SAFE, &on, sizeof on), -1);
    EXPECT_EQ(errno, EINVAL);
}

TEST(event_loops, are_not_for_children) {
    context owner;
    socket watched(owner, ZMQ_PAIR);
    EXPECT_GE(watched.get(ZLINK_LOOP_FD), 0);
    const pid_t child = ::fork();
    if (child == 0) {
        int descriptor = 0;
        std::size_t size = sizeof descriptor;
        const bool refused = zmq_getsockopt(watched.handle(), ZLINK_LOOP_FD, &descriptor, &size) == -1;
        ::_exit(refused && errno == EINTR ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace zlink::conformance
