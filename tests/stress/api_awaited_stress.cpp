// SPDX-License-Identifier: MPL-2.0
// Large bodies over inproc are copied straight to where a thread waits for them. It may stop waiting at that
// moment: for a signal, for a time limit, for another sender's message, or because its socket's peer goes.
#include <csignal>
#include <pthread.h>
#include <random>

#include "stress/api_tools.hpp"

namespace zlink::stress {
namespace {

constexpr std::array<std::size_t, 4> sizes{9'000, 131'072, 200'000, 300'000};

void ignore(int) {}

class Awaited : public testing::Test {
  protected:
    Awaited() {
        struct sigaction action {};
        action.sa_handler = ignore; // and without SA_RESTART: the call ends
        sigaction(SIGUSR1, &action, nullptr);
    }
    // The next message, in memory of its own; whether there was one.
    static bool receive_at(api_socket &by, std::vector<char> &memory, std::string &body) {
        std::fill_n(memory.begin(), 64, '-');
        const int size = zmq_recv(by.get(), memory.data(), memory.size(), 0);
        if (size < 0) {
            EXPECT_TRUE(errno == EINTR || errno == EAGAIN) << zmq_strerror(errno);
            return false;
        }
        body.assign(memory.data(), static_cast<std::size_t>(size));
        return true;
    }
    static void pause(std::minstd_rand &chance, unsigned most_us) {
        std::this_thread::sleep_for(std::chrono::microseconds(chance() % most_us));
    }
    // Sends `count` numbered messages, about as fast as they are received.
    static void send_some(api_socket &from, std::uint64_t first, std::uint64_t count) {
        std::minstd_rand chance(static_cast<unsigned>(first) + 1);
        for (std::uint64_t number = first; number < first + count; ++number) {
            pause(chance, 150);
            EXPECT_GE(from.send(numbered(number, sizes[chance() % sizes.size()])), 0);
        }
    }
    api_context context;
};

TEST_F(Awaited, AThreadThatIsCalledAwayLosesNothing) {
    const std::uint64_t count = scaled(3000);
    api_socket to(context, ZMQ_PAIR);
    api_socket from(context, ZMQ_PAIR);
    to.set(ZMQ_RCVTIMEO, 1);
    from.connect(to.bind(wildcard("inproc")));
    std::atomic<bool> done{false};
    std::uint64_t interrupted = 0;
    const auto receive_all = [&] {
        std::vector<char> memory(sizes.back());
        std::string body;
        for (std::uint64_t next = 0; next < count;) {
            if (!receive_at(to, memory, body)) {
                ++interrupted;
                std::fill(memory.begin(), memory.end(), '!');
                continue;
            }
            ASSERT_EQ(number_of(body), next++);
            ASSERT_TRUE(is_whole(body));
        }
    };
    std::thread receiver([&] {
        receive_all();
        done = true;
    });
    std::thread caller([&] {
        std::minstd_rand chance(11);
        for (; !done; pause(chance, 200))
            pthread_kill(receiver.native_handle(), SIGUSR1);
    });
    send_some(from, 0, count);
    caller.join();
    receiver.join();
    EXPECT_GT(interrupted, 0U);
}

// Requests go one way and replies the other, each behind a delimiter.
TEST_F(Awaited, RequestsAndReplies) {
    const std::uint64_t count = scaled(1500);
    api_socket asked(context, ZMQ_REP);
    api_socket asking(context, ZMQ_REQ);
    asking.connect(asked.bind(wildcard("inproc")));
    std::thread server([&] {
        std::vector<char> memory(sizes.back());
        for (std::uint64_t next = 0; next < count; ++next) {
            std::string body;
            ASSERT_TRUE(receive_at(asked, memory, body));
            ASSERT_TRUE(is_whole(body));
            ASSERT_GE(asked.send(numbered(number_of(body) + 1, body.size())), 0);
        }
    });
    std::minstd_rand chance(5);
    std::vector<char> memory(sizes.back());
    for (std::uint64_t next = 0; next < count; ++next) {
        ASSERT_GE(asking.send(numbered(next, sizes[chance() % sizes.size()])), 0);
        std::string body;
        ASSERT_TRUE(receive_at(asking, memory, body));
        ASSERT_EQ(number_of(body), next + 1);
        ASSERT_TRUE(is_whole(body));
    }
    server.join();
}

// While one sender's message is awaited others connect, send and go. Each one's messages keep their order.
TEST_F(Awaited, SendersComeAndGo) {
    const std::uint64_t senders = scaled(300);
    constexpr std::uint64_t each = 5;
    api_socket to(context, ZMQ_PULL);
    const std::string endpoint = to.bind(wildcard("inproc"));
    const auto send_all = [&](std::uint64_t first) {
        for (std::uint64_t sender = first; sender < senders; sender += 2) {
            api_socket from(context, ZMQ_PUSH);
            from.set(ZMQ_LINGER, -1);
            from.connect(endpoint);
            send_some(from, sender * each, each);
        }
    };
    std::thread one([&] { send_all(0); });
    std::thread other([&] { send_all(1); });
    const auto receive_all = [&] {
        std::vector<char> memory(sizes.back());
        std::vector<std::uint64_t> next(senders, 0);
        for (std::uint64_t got = 0; got < senders * each; ++got) {
            std::string body;
            ASSERT_TRUE(receive_at(to, memory, body));
            ASSERT_TRUE(is_whole(body));
            ASSERT_EQ(number_of(body) % each, next.at(number_of(body) / each)++);
        }
    };
    receive_all();
    one.join();
    other.join();
}

} // namespace
} // namespace zlink::stress
