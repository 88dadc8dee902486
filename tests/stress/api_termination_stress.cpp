// SPDX-License-Identifier: MPL-2.0
// The end of a context: blocked calls answer ETERM and zmq_ctx_term returns, whatever is going on.
#include "stress/api_tools.hpp"

namespace zlink::stress {
namespace {

class Termination : public testing::TestWithParam<const char *> {
  protected:
    [[nodiscard]] static std::string endpoint() { return wildcard(GetParam()); }
};
// Inproc has no time between connect and the connection.
class TerminationOverNetwork : public Termination {};

// Threads that block in each call; the context ends at any moment, before or after they are asleep.
TEST_P(Termination, EndsBlockedCalls) {
    const std::uint64_t rounds = scaled(30);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        api_context context;
        std::atomic<int> ready{0};
        std::vector<std::thread> threads;
        const auto add = [&](int type, auto call) {
            threads.emplace_back([&, call, type] {
                api_socket mine(context, type);
                mine.set(ZMQ_SNDHWM, 1);
                mine.bind(endpoint());
                ready.fetch_add(1);
                call(mine);
            });
        };
        add(ZMQ_PULL, [](api_socket &mine) {
            std::string body;
            EXPECT_FALSE(mine.try_receive(body));
            EXPECT_EQ(errno, ETERM);
        });
        add(ZMQ_PUSH, [](api_socket &mine) { // no peer: blocks at once
            EXPECT_EQ(mine.send("x"), -1);
            EXPECT_EQ(errno, ETERM);
        });
        add(ZMQ_DEALER, [](api_socket &mine) {
            zmq_pollitem_t item{mine.get(), 0, ZMQ_POLLIN, 0};
            EXPECT_EQ(zmq_poll(&item, 1, -1), -1);
            EXPECT_EQ(errno, ETERM);
        });
        add(ZMQ_ROUTER, [](api_socket &mine) {
            EXPECT_EQ(zmq_proxy(mine.get(), mine.get(), nullptr), -1);
            EXPECT_EQ(errno, ETERM);
        });
        while (ready.load() != 4)
            std::this_thread::yield();
        if (round % 2 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(round * 50));
        context.term();
        for (std::thread &one : threads)
            one.join();
    }
}

// Both sides run at full speed when their contexts end, one after the other or at once.
TEST_P(Termination, UnderLoad) {
    const std::uint64_t rounds = scaled(10);
    const bool inproc = std::string(GetParam()) == "inproc";
    for (std::uint64_t round = 0; round < rounds; ++round) {
        api_context first;
        api_context second;
        api_context &other = inproc ? first : second;
        api_socket pull(first, ZMQ_PULL);
        const std::string where = pull.bind(endpoint());
        std::atomic<std::uint64_t> received{0};
        std::thread reader([&] {
            std::string body;
            while (pull.try_receive(body)) {
                EXPECT_TRUE(is_whole(body));
                received.fetch_add(1);
            }
            EXPECT_EQ(errno, ETERM);
            pull.close();
        });
        std::atomic<int> connected{0};
        std::vector<std::thread> writers;
        for (int count = 0; count < 2; ++count)
            writers.emplace_back([&, count] {
                api_socket push(other, ZMQ_PUSH);
                push.set(ZMQ_SNDHWM, 100);
                push.connect(where);
                connected.fetch_add(1);
                const std::string body = numbered(static_cast<std::uint64_t>(count), count == 0 ? 64 : 50000);
                while (push.send(body) >= 0) {
                }
                EXPECT_EQ(errno, ETERM);
            });
        while (received.load() < 100 || connected.load() != 2)
            std::this_thread::yield();
        std::thread ending([&] { second.term(); });
        first.term();
        ending.join();
        reader.join();
        for (std::thread &one : writers)
            one.join();
    }
}

// The thread that closes the last socket and the thread that waits in zmq_ctx_term part without touching what
// the other has freed.
TEST_P(Termination, TheLastCloseMeetsTheWaitingEnd) {
    const std::uint64_t rounds = scaled(100);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        api_context context;
        std::atomic<bool> go{false};
        api_socket here(context, ZMQ_PAIR);
        api_socket there(context, ZMQ_PAIR);
        there.connect(here.bind(endpoint()));
        std::thread closing([&] {
            while (!go.load())
                std::this_thread::yield();
            here.close();
            there.close();
        });
        go.store(true);
        context.term();
        closing.join();
    }
}

// A socket that is closed before its connection is made still sends, and its context still ends when all is
// sent, although the peer stays.
TEST_P(TerminationOverNetwork, LingerBeforeTheConnection) {
    const std::uint64_t rounds = scaled(30);
    api_context stays;
    api_socket pull(stays, ZMQ_PULL);
    const std::string where = pull.bind(endpoint());
    for (std::uint64_t round = 0; round < rounds; ++round) {
        api_context goes;
        api_socket push(goes, ZMQ_PUSH);
        push.set(ZMQ_LINGER, -1);
        push.connect(where);
        const std::uint64_t count = round % 2 == 0 ? 1 : 300;
        for (std::uint64_t next = 0; next < count; ++next)
            ASSERT_GE(push.send(numbered(next, 1000)), 0);
        push.close();
        goes.term();
        for (std::uint64_t next = 0; next < count; ++next)
            ASSERT_EQ(number_of(pull.receive()), next);
    }
}

// Sent messages arrive although the peer has sent much that nobody reads any more.
TEST_P(Termination, LingerWhileThePeerSends) {
    const std::uint64_t rounds = scaled(5);
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const bool inproc = std::string(GetParam()) == "inproc";
        api_context stays;
        api_context other;
        api_socket peer(stays, ZMQ_DEALER);
        api_socket leaves(inproc ? stays : other, ZMQ_DEALER);
        leaves.set(ZMQ_LINGER, -1);
        leaves.set(ZMQ_SNDHWM, 0);
        leaves.set(ZMQ_RCVHWM, 10);
        peer.set(ZMQ_RCVHWM, 10);
        leaves.connect(peer.bind(endpoint()));
        ASSERT_GE(peer.send("go"), 0);
        leaves.receive();
        while (peer.send(numbered(0, 4000), ZMQ_DONTWAIT) >= 0) {
        }
        constexpr std::uint64_t count = 1000;
        for (std::uint64_t next = 0; next < count; ++next)
            ASSERT_GE(leaves.send(numbered(next, 4000)), 0);
        leaves.close();
        peer.set(ZMQ_RCVTIMEO, 10000);
        for (std::uint64_t next = 0; next < count; ++next) {
            std::string body;
            ASSERT_TRUE(peer.try_receive(body)) << "at " << next;
            ASSERT_EQ(number_of(body), next);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Api, Termination, testing::Values("inproc", "tcp", "ipc"), name_of_transport);
INSTANTIATE_TEST_SUITE_P(Api, TerminationOverNetwork, testing::Values("tcp", "ipc"), name_of_transport);

} // namespace
} // namespace zlink::stress
