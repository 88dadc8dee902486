// SPDX-License-Identifier: MPL-2.0
// Sleep and wake through the C API. No wakeup is lost between two threads: with and without time limits, at
// every high-water mark, by receiving, polling and watching ZMQ_FD.
#include <chrono>
#include <poll.h>

#include "stress/api_tools.hpp"

namespace zlink::stress {
namespace {

class Wakeups : public testing::TestWithParam<const char *> {
  protected:
    api_context context;
    [[nodiscard]] static std::string endpoint() { return wildcard(GetParam()); }
};

int type_of(int round) {
    return round % 2 == 0 ? ZMQ_PAIR : ZMQ_DEALER;
}

// Every call has a time limit that often runs out just when the message comes.
TEST_P(Wakeups, PingPongWithTimeouts) {
    const std::uint64_t rounds = scaled(3000);
    api_socket here(context, ZMQ_PAIR);
    api_socket there(context, ZMQ_PAIR);
    there.connect(here.bind(endpoint()));
    const auto receive = [](api_socket &from, std::string &body, int timeout) {
        from.set(ZMQ_RCVTIMEO, timeout);
        while (!from.try_receive(body))
            ASSERT_EQ(errno, EAGAIN);
    };
    std::thread echo([&] {
        std::string body;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            receive(there, body, static_cast<int>(round % 3));
            EXPECT_GE(there.send(body), 0);
        }
    });
    std::string body;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        EXPECT_GE(here.send(numbered(round)), 0);
        receive(here, body, static_cast<int>(round % 2) * 2 - 1);
        ASSERT_EQ(number_of(body), round);
    }
    echo.join();
}

// Both sides block in sends at small marks while the other is busy, and in receives; sizes pass the threshold
// of large bodies.
TEST_P(Wakeups, HighWaterMarksInBothDirections) {
    for (int round = 0; round < 4; ++round) {
        const std::uint64_t messages = scaled(1500);
        api_context own;
        api_socket here(own, type_of(round));
        api_socket there(own, type_of(round));
        for (api_socket *end : {&here, &there}) {
            end->set(ZMQ_SNDHWM, round < 2 ? 1 : 7);
            end->set(ZMQ_RCVHWM, round < 2 ? 2 : 5);
        }
        there.connect(here.bind(endpoint()));
        // One thread sends on a socket, then hands it over: a socket is one thread's at a time.
        const auto stream = [&](api_socket &from, api_socket &to) {
            std::thread reader([&] {
                for (std::uint64_t next = 0; next < messages; ++next) {
                    const std::string body = to.receive();
                    ASSERT_EQ(number_of(body), next);
                    ASSERT_TRUE(is_whole(body));
                }
            });
            for (std::uint64_t next = 0; next < messages; ++next) {
                const std::size_t size = next % 100 == 0 ? 70000 : 8 + next % 500;
                ASSERT_GE(from.send(numbered(next, size)), 0);
            }
            reader.join();
        };
        stream(here, there);
        stream(there, here);
    }
}

// Every subscriber sleeps between two messages, and the next is published only when all have got the one
// before.
TEST_P(Wakeups, APublisherInLockStepWithItsSubscribers) {
    constexpr int subscribers = 3;
    const std::uint64_t rounds = scaled(1500);
    api_socket publisher(context, ZMQ_PUB);
    api_socket answers(context, ZMQ_PULL);
    const std::string published = publisher.bind(endpoint());
    const std::string answered = answers.bind(endpoint());
    std::vector<std::thread> threads;
    for (int index = 0; index < subscribers; ++index)
        threads.emplace_back([&] {
            api_socket subscriber(context, ZMQ_SUB);
            api_socket answer(context, ZMQ_PUSH);
            subscriber.set(ZMQ_RCVTIMEO, 60'000);
            answer.set(ZMQ_LINGER, -1); // the last answer may still be on its way when the thread ends
            zmq_setsockopt(subscriber.get(), ZMQ_SUBSCRIBE, "", 0);
            subscriber.connect(published);
            answer.connect(answered);
            // The first number is repeated until all are there. Each takes its first copy.
            for (std::uint64_t next = 0; next < rounds;) {
                const std::uint64_t number = number_of(subscriber.receive());
                ASSERT_LE(number, next);
                if (number < next)
                    continue;
                ++next;
                EXPECT_GE(answer.send(numbered(number)), 0);
            }
        });
    answers.set(ZMQ_RCVTIMEO, 1);
    std::string body;
    for (int heard = 0; heard < subscribers; heard += answers.try_receive(body) ? 1 : 0)
        EXPECT_GE(publisher.send(numbered(0)), 0);
    answers.set(ZMQ_RCVTIMEO, 60'000);
    for (std::uint64_t round = 1; round < rounds; ++round) {
        EXPECT_GE(publisher.send(numbered(round, round % 7 == 0 ? 20'000 : 8)), 0);
        for (int heard = 0; heard < subscribers; ++heard)
            ASSERT_EQ(number_of(answers.receive()), round);
    }
    for (std::thread &thread : threads)
        thread.join();
}

// One thread per side does both, and never blocks: poll tells when it may send and receive.
TEST_P(Wakeups, PollInBothDirectionsAtOnce) {
    const std::uint64_t messages = scaled(2000);
    api_socket here(context, ZMQ_DEALER);
    api_socket there(context, ZMQ_DEALER);
    for (api_socket *end : {&here, &there}) {
        end->set(ZMQ_SNDHWM, 3);
        end->set(ZMQ_RCVHWM, 3);
    }
    there.connect(here.bind(endpoint()));
    const auto run = [messages](api_socket &mine) {
        std::uint64_t sent = 0;
        std::uint64_t received = 0;
        while (sent < messages || received < messages) {
            zmq_pollitem_t item{mine.get(), 0, ZMQ_POLLIN, 0};
            if (sent < messages)
                item.events |= ZMQ_POLLOUT;
            ASSERT_EQ(zmq_poll(&item, 1, -1), 1);
            if ((item.revents & ZMQ_POLLIN) != 0) {
                ASSERT_EQ(number_of(mine.receive(ZMQ_DONTWAIT)), received);
                ++received;
            }
            if ((item.revents & ZMQ_POLLOUT) != 0) {
                ASSERT_GE(mine.send(numbered(sent, 8 + sent % 3000), ZMQ_DONTWAIT), 0);
                ++sent;
            }
        }
    };
    std::thread other([&] { run(there); });
    run(here);
    other.join();
}

// A second row of the same socket is asked later, and takes no events from the first one.
TEST_P(Wakeups, OneSocketInTwoRowsOfAPoll) {
    const std::uint64_t messages = scaled(20'000);
    api_socket from(context, ZMQ_PUSH);
    api_socket to(context, ZMQ_PULL);
    from.set(ZMQ_SNDHWM, 1);
    to.set(ZMQ_RCVHWM, 1);
    from.connect(to.bind(endpoint()));
    std::thread reader([&] {
        for (std::uint64_t next = 0; next < messages; ++next)
            ASSERT_EQ(number_of(to.receive()), next);
    });
    for (std::uint64_t next = 0; next < messages; ++next) {
        zmq_pollitem_t rows[] = {{from.get(), 0, ZMQ_POLLOUT, 0}, {from.get(), 0, ZMQ_POLLIN, 0}};
        const auto began = std::chrono::steady_clock::now();
        EXPECT_EQ(zmq_poll(rows, 2, 10'000), 1) << "at " << next;
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(9)) << "at " << next;
        EXPECT_EQ(rows[0].revents, ZMQ_POLLOUT);
        ASSERT_GE(from.send(numbered(next)), 0);
    }
    reader.join();
}

int events_of(const api_socket &asked) {
    int events = 0;
    std::size_t size = sizeof events;
    EXPECT_EQ(zmq_getsockopt(asked.get(), ZMQ_EVENTS, &events, &size), 0);
    return events;
}

// The descriptor is waited for only when ZMQ_EVENTS has told that there is nothing; and it is quiet then.
TEST_P(Wakeups, DescriptorIsNeverSilentAndNeverStuck) {
    const std::uint64_t messages = scaled(20000);
    api_socket from(context, ZMQ_PUSH);
    api_socket to(context, ZMQ_PULL);
    from.connect(to.bind(endpoint()));
    int descriptor = -1;
    std::size_t size = sizeof descriptor;
    ASSERT_EQ(zmq_getsockopt(to.get(), ZMQ_FD, &descriptor, &size), 0);
    std::thread sender([&] {
        for (std::uint64_t next = 0; next < messages; ++next) {
            ASSERT_GE(from.send(numbered(next)), 0);
            if (next % 64 == 0)
                std::this_thread::yield();
        }
    });
    std::string body;
    std::uint64_t for_nothing = 0;
    for (std::uint64_t next = 0; next < messages;) {
        if ((events_of(to) & ZMQ_POLLIN) == 0) {
            pollfd waited{descriptor, POLLIN, 0};
            ASSERT_EQ(::poll(&waited, 1, 20000), 1) << "at " << next;
            for_nothing += (events_of(to) & ZMQ_POLLIN) == 0 ? 1U : 0U;
            ASSERT_LT(for_nothing, messages);
        }
        while (to.try_receive(body, ZMQ_DONTWAIT)) {
            ASSERT_EQ(number_of(body), next);
            ++next;
        }
    }
    sender.join();
    ASSERT_TRUE(eventually([&] { // nothing is left: the descriptor becomes silent
        (void)events_of(to);
        pollfd waited{descriptor, POLLIN, 0};
        return ::poll(&waited, 1, 0) == 0;
    }));
}

// Messages that come with the end of the handshake are seen, although the thread that waits takes the stream
// over.
TEST_P(Wakeups, FirstMessagesOfConnections) {
    for (std::uint64_t round = 0; round < scaled(400); ++round) {
        api_context other;
        api_socket from(GetParam() == std::string("inproc") ? context : other, ZMQ_DEALER);
        api_socket to(context, ZMQ_DEALER);
        to.set(ZMQ_RCVTIMEO, 10'000);
        to.connect(from.bind(endpoint()));
        ASSERT_GE(from.send("first"), 0);
        std::string body;
        ASSERT_TRUE(to.try_receive(body)) << "round " << round;
        ASSERT_EQ(body, "first");
    }
}

INSTANTIATE_TEST_SUITE_P(Api, Wakeups, testing::Values("inproc", "tcp", "ipc"), name_of_transport);

} // namespace
} // namespace zlink::stress
