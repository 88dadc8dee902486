// SPDX-License-Identifier: MPL-2.0
// A socket with many connections. Its thread reads their streams itself, and now and then does something
// else. Meanwhile peers come and go, and send and take more than the streams hold. Everything arrives whole
// and in order on each connection, and nothing stays behind.
#include "stress/api_tools.hpp"

namespace zlink::stress {
namespace {

constexpr std::size_t senders = 8;
constexpr std::array<std::size_t, 5> sizes{16, 400, 3000, 40'000, 300'000};

class ManyStreams : public testing::TestWithParam<const char *> {
  protected:
    // The thread does this instead of waiting for the next message.
    static void do_something_else(api_socket &hub, std::uint64_t turn) {
        zmq_pollitem_t item{hub.get(), 0, ZMQ_POLLIN, 0};
        switch (turn % 400) {
        case 50:
            std::this_thread::sleep_for(std::chrono::milliseconds(25)); // the I/O thread takes over
            break;
        case 150:
            for (int look = 0; look < 10; ++look)
                zmq_poll(&item, 1, 0);
            break;
        case 250:
            EXPECT_EQ(zmq_poll(&item, 1, -1), 1);
            break;
        case 350:
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            break;
        default:
            break;
        }
    }
    // A message of two frames: whose it is, and a numbered body.
    static void send_numbered(api_socket &from, std::uint64_t id, std::uint64_t number) {
        const std::string whose = numbered(id);
        ASSERT_GE(from.send(whose, ZMQ_SNDMORE), 0);
        ASSERT_GE(from.send(numbered(number, sizes[(id + number) % sizes.size()])), 0);
    }
    void receive_all(api_socket &hub, std::uint64_t each) {
        std::array<std::uint64_t, senders> next{};
        for (std::uint64_t got = 0; got < senders * each; ++got) {
            do_something_else(hub, got);
            const std::string whose = hub.receive();
            ASSERT_TRUE(hub.more());
            const std::string body = hub.receive();
            ASSERT_TRUE(is_whole(body));
            ASSERT_EQ(number_of(body), next.at(number_of(whose))++);
        }
    }

    api_context context;
};

TEST_P(ManyStreams, EverythingArrivesInOrder) {
    const std::uint64_t each = scaled(600);
    for (const int mark : {0, 5}) {
        api_socket hub(context, ZMQ_PULL);
        hub.set(ZMQ_RCVHWM, mark);
        const std::string endpoint = hub.bind(wildcard(GetParam()));
        std::vector<std::thread> threads;
        for (std::uint64_t id = 0; id < senders; ++id)
            threads.emplace_back([&, id] {
                api_socket from(context, ZMQ_PUSH);
                from.set(ZMQ_LINGER, -1);
                from.set(ZMQ_SNDHWM, 50);
                from.connect(endpoint);
                for (std::uint64_t number = 0; number < each; ++number)
                    send_numbered(from, id, number);
            });
        receive_all(hub, each);
        for (std::thread &thread : threads)
            thread.join();
    }
}

TEST_P(ManyStreams, PeersComeAndGo) {
    const std::uint64_t each = scaled(60);
    api_socket hub(context, ZMQ_PULL);
    const std::string endpoint = hub.bind(wildcard(GetParam()));
    std::vector<std::thread> threads;
    for (std::uint64_t id = 0; id < senders; ++id)
        threads.emplace_back([&, id] {
            for (std::uint64_t number = 0; number < each; ++number) {
                api_socket from(context, ZMQ_PUSH);
                from.set(ZMQ_LINGER, -1);
                from.connect(endpoint);
                send_numbered(from, id, number);
                send_numbered(from, id, number);
            }
        });
    for (std::uint64_t got = 0; got < 2 * senders * each; ++got) {
        do_something_else(hub, got);
        (void)hub.receive();
        ASSERT_TRUE(is_whole(hub.receive()));
    }
    for (std::thread &thread : threads)
        thread.join();
}

// Each peer comes while the thread reads the others, and sends at once more than the high-water mark lets in.
// It then stays, silent: only the messages themselves can make the socket go on with its stream.
TEST_P(ManyStreams, PeersComeWithMoreThanTheMark) {
    constexpr std::uint64_t peers_of_a_thread = 12;
    constexpr std::uint64_t burst = 200;
    for (std::uint64_t round = 0; round < scaled(12); ++round) {
        api_socket hub(context, ZMQ_PULL);
        hub.set(ZMQ_RCVHWM, 3);
        const std::string endpoint = hub.bind(wildcard(GetParam()));
        std::array<std::vector<api_socket>, senders> peers;
        std::vector<std::thread> threads;
        for (std::vector<api_socket> &own : peers)
            threads.emplace_back([&] {
                for (std::uint64_t peer = 0; peer < peers_of_a_thread; ++peer) {
                    api_socket &from = own.emplace_back(context, ZMQ_PUSH);
                    from.set(ZMQ_SNDHWM, 3);
                    from.connect(endpoint);
                    for (std::uint64_t number = 0; number < burst; ++number)
                        ASSERT_GE(from.send(numbered(number, 100)), 0);
                }
            });
        for (std::uint64_t got = 0; got < senders * peers_of_a_thread * burst; ++got)
            ASSERT_TRUE(is_whole(hub.receive()));
        for (std::thread &thread : threads)
            thread.join();
    }
}

// Answers as large as the questions, which the streams do not take at once; PINGs go in between.
TEST_P(ManyStreams, EveryQuestionIsAnswered) {
    const std::uint64_t each = scaled(150);
    api_socket hub(context, ZMQ_ROUTER);
    hub.set(ZMQ_HEARTBEAT_IVL, 2);
    hub.set(ZMQ_HEARTBEAT_TIMEOUT, 60'000);
    const std::string endpoint = hub.bind(wildcard(GetParam()));
    std::vector<std::thread> threads;
    for (std::uint64_t id = 0; id < senders; ++id)
        threads.emplace_back([&, id] {
            api_socket from(context, ZMQ_DEALER);
            from.connect(endpoint);
            std::uint64_t answered = 0;
            for (std::uint64_t asked = 0; answered < each;) {
                for (; asked < each && asked < answered + 4; ++asked)
                    ASSERT_GE(from.send(numbered(asked, sizes[(id + asked) % sizes.size()])), 0);
                const std::string answer = from.receive();
                ASSERT_TRUE(is_whole(answer));
                ASSERT_EQ(number_of(answer), answered++);
            }
        });
    for (std::uint64_t got = 0; got < senders * each; ++got) {
        do_something_else(hub, got);
        const std::string whose = hub.receive();
        const std::string body = hub.receive();
        ASSERT_TRUE(is_whole(body));
        ASSERT_GE(hub.send(whose, ZMQ_SNDMORE), 0);
        ASSERT_GE(hub.send(body), 0);
    }
    for (std::thread &thread : threads)
        thread.join();
}

TEST_P(ManyStreams, TheSocketOrTheContextEndsInTheMiddle) {
    for (std::uint64_t round = 0; round < scaled(8); ++round) {
        api_context own;
        api_socket hub(own, ZMQ_PULL);
        const std::string endpoint = hub.bind(wildcard(GetParam()));
        std::vector<api_socket> peers;
        for (std::uint64_t id = 0; id < senders; ++id)
            peers.emplace_back(own, ZMQ_PUSH).connect(endpoint);
        std::vector<std::thread> threads;
        for (std::uint64_t id = 0; id < senders; ++id)
            threads.emplace_back([&, id] {
                for (std::uint64_t number = 0;
                     peers[id].send(numbered(number, sizes[id % sizes.size()])) >= 0;)
                    ++number;
                EXPECT_EQ(errno, ETERM);
                peers[id].close();
            });
        std::atomic<bool> running{false};
        std::thread reader([&] {
            std::string body;
            for (std::uint64_t got = 0; hub.try_receive(body) && (round % 2 == 0 || got < 2000); ++got) {
                running = true;
                ASSERT_TRUE(is_whole(body));
            }
            hub.close();
        });
        EXPECT_TRUE(eventually([&] { return running.load(); }));
        std::this_thread::sleep_for(std::chrono::milliseconds(round * 3));
        zmq_ctx_shutdown(own.get());
        reader.join();
        for (std::thread &thread : threads)
            thread.join();
    }
}

INSTANTIATE_TEST_SUITE_P(Api, ManyStreams, testing::Values("tcp", "ipc"), name_of_transport);

} // namespace
} // namespace zlink::stress
