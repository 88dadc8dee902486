// SPDX-License-Identifier: MPL-2.0
// Throttled senders write to the streams in place of their I/O threads (write lease), and then do something
// else. Nothing stays behind, and everything arrives whole and in order.
#include "stress/api_tools.hpp"

namespace zlink::stress {
namespace {

constexpr std::size_t burst_bytes = 6 * 1024 * 1024;
constexpr std::array<std::size_t, 4> sizes{100, 1000, 20'000, 300'000};

class WriteLease : public testing::TestWithParam<const char *> {
  protected:
    // One burst, numbered from `next` on.
    static void send_burst(api_socket &from, std::size_t size, std::uint64_t &next) {
        for (std::size_t sent = 0; sent < burst_bytes; sent += size, ++next)
            ASSERT_GE(from.send(numbered(next, size)), 0);
    }
    static void receive_burst(api_socket &to, std::size_t size, std::uint64_t &next) {
        for (std::size_t got = 0; got < burst_bytes; got += size, ++next) {
            const std::string body = to.receive();
            ASSERT_EQ(number_of(body), next);
            ASSERT_EQ(body.size(), size);
            ASSERT_TRUE(is_whole(body));
        }
    }
    static void lift_marks(api_socket &of) {
        of.set(ZMQ_SNDHWM, 0);
        of.set(ZMQ_RCVHWM, 0);
    }
    static std::size_t size_of(std::uint64_t round) { return sizes[round % sizes.size()]; }

    api_context context;
};
// Inproc has no connection that could break.
class WriteLeaseOverNetwork : public WriteLease {};

// The sender does this after a burst.
enum class then : std::uint8_t { nothing, waits, polls, asks };
constexpr std::array endings{then::nothing, then::waits, then::polls, then::asks};

std::string await_answer(then how, api_socket &on) {
    std::string answer;
    zmq_pollitem_t item{on.get(), 0, ZMQ_POLLIN, 0};
    switch (how) {
    case then::waits:
        return on.receive();
    case then::polls:
        EXPECT_EQ(zmq_poll(&item, 1, -1), 1);
        return on.receive(ZMQ_DONTWAIT);
    case then::asks:
        while (!on.try_receive(answer, ZMQ_DONTWAIT))
            std::this_thread::yield();
        return answer;
    case then::nothing:
        return "done";
    }
    return {};
}

TEST_P(WriteLease, NothingStaysBehindWhateverTheSenderDoesThen) {
    const std::uint64_t rounds = scaled(16);
    api_socket from(context, ZMQ_PAIR);
    api_socket to(context, ZMQ_PAIR);
    lift_marks(from);
    lift_marks(to);
    to.connect(from.bind(wildcard(GetParam())));
    std::atomic<std::uint64_t> received{0};
    std::thread receiver([&] {
        std::uint64_t next = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            receive_burst(to, size_of(round), next);
            received = round + 1;
            if (endings[round / sizes.size() % endings.size()] != then::nothing) {
                EXPECT_GE(to.send("done"), 0);
            }
        }
    });
    std::uint64_t next = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        send_burst(from, size_of(round), next);
        ASSERT_EQ(await_answer(endings[round / sizes.size() % endings.size()], from), "done");
        ASSERT_TRUE(eventually([&] { return received > round; })) << "round " << round;
    }
    receiver.join();
}

TEST_P(WriteLease, ASocketThatClosesSendsTheRest) {
    const std::uint64_t rounds = scaled(8);
    api_socket to(context, ZMQ_PULL);
    to.set(ZMQ_RCVHWM, 0);
    const std::string endpoint = to.bind(wildcard(GetParam()));
    std::thread sender([&] {
        for (std::uint64_t round = 0; round < rounds; ++round) {
            api_socket from(context, ZMQ_PUSH);
            from.set(ZMQ_SNDHWM, 0);
            from.set(ZMQ_LINGER, -1);
            from.connect(endpoint);
            std::uint64_t next = 0;
            send_burst(from, size_of(round), next);
        }
    });
    // The next one may be quicker than the end of the one before.
    for (std::uint64_t round = 0; round < rounds; ++round) {
        const std::size_t count = (burst_bytes + size_of(round) - 1) / size_of(round);
        for (std::size_t got = 0; got < count; ++got)
            ASSERT_TRUE(is_whole(to.receive()));
    }
    sender.join();
}

// Room for more than a sender is ahead before it writes itself, and less than a burst.
TEST_P(WriteLease, HighWaterMarksHold) {
    for (const std::size_t size : sizes) {
        api_context own;
        api_socket from(own, ZMQ_PUSH);
        api_socket to(own, ZMQ_PULL);
        from.set(ZMQ_SNDHWM, static_cast<int>(2 * 1024 * 1024 / size + 1));
        to.set(ZMQ_RCVHWM, 100);
        to.connect(from.bind(wildcard(GetParam())));
        std::thread receiver([&] {
            std::uint64_t next = 0;
            for (std::uint64_t burst = 0; burst < scaled(4); ++burst) {
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
                receive_burst(to, size, next);
            }
        });
        std::uint64_t next = 0;
        for (std::uint64_t burst = 0; burst < scaled(4); ++burst)
            send_burst(from, size, next);
        receiver.join();
    }
}

// PINGs go between messages, whoever writes; two peers write at full speed to each other.
TEST_P(WriteLease, BothDirectionsWithHeartbeats) {
    const std::uint64_t rounds = scaled(6);
    api_socket here(context, ZMQ_DEALER);
    api_socket there(context, ZMQ_DEALER);
    for (api_socket *end : {&here, &there}) {
        lift_marks(*end);
        end->set(ZMQ_HEARTBEAT_IVL, 1);
        end->set(ZMQ_HEARTBEAT_TIMEOUT, 60'000);
    }
    there.connect(here.bind(wildcard(GetParam())));
    const auto run = [&](api_socket &mine) {
        std::uint64_t sent = 0;
        std::uint64_t got = 0;
        for (std::uint64_t round = 0; round < rounds; ++round) {
            send_burst(mine, size_of(round), sent);
            receive_burst(mine, size_of(round), got);
        }
    };
    std::thread other([&] { run(there); });
    run(here);
    other.join();
}

// The receiver goes and comes while the sender writes: what arrives is whole, and in order on each
// connection.
TEST_P(WriteLeaseOverNetwork, ConnectionsBreak) {
    api_socket from(context, ZMQ_PUSH);
    from.set(ZMQ_SNDHWM, 200); // of some MB, where messages are large
    const std::string endpoint = from.bind(wildcard(GetParam()));
    std::atomic<bool> enough{false};
    std::thread sender([&] {
        from.set(ZMQ_SNDTIMEO, 10);
        for (std::uint64_t next = 0; !enough; ++next)
            from.send(numbered(next, size_of(next / 100)));
    });
    for (std::uint64_t round = 0; round < scaled(10); ++round) {
        api_socket to(context, ZMQ_PULL);
        to.connect(endpoint);
        std::uint64_t last = 0;
        for (int got = 0; got < 1000; ++got) {
            const std::string body = to.receive();
            ASSERT_TRUE(is_whole(body));
            ASSERT_TRUE(got == 0 || number_of(body) > last);
            last = number_of(body);
        }
    }
    enough = true;
    sender.join();
}

TEST_P(WriteLease, TheContextEndsInTheMiddle) {
    for (std::uint64_t round = 0; round < scaled(6); ++round) {
        api_context own;
        api_socket from(own, ZMQ_PUSH);
        api_socket to(own, ZMQ_PULL);
        from.set(ZMQ_SNDHWM, 0);
        to.connect(from.bind(wildcard(GetParam())));
        std::thread sender([&] {
            std::uint64_t next = 0;
            while (from.send(numbered(next, size_of(round))) >= 0)
                ++next;
            EXPECT_EQ(errno, ETERM);
            from.close();
        });
        std::thread receiver([&] {
            std::string body;
            while (to.try_receive(body))
                ASSERT_TRUE(is_whole(body));
            EXPECT_EQ(errno, ETERM);
            to.close();
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        zmq_ctx_shutdown(own.get());
        sender.join();
        receiver.join();
    }
}

INSTANTIATE_TEST_SUITE_P(Api, WriteLease, testing::Values("inproc", "tcp", "ipc"), name_of_transport);
INSTANTIATE_TEST_SUITE_P(Api, WriteLeaseOverNetwork, testing::Values("tcp", "ipc"), name_of_transport);

} // namespace
} // namespace zlink::stress
