// SPDX-License-Identifier: MPL-2.0
// Sockets that many threads use at once: nothing is lost, doubled or torn, nobody sleeps for ever, whoever
// comes, waits, polls, connects or closes meanwhile.
#include <poll.h>

#include <array>
#include <set>

#include "stress/api_tools.hpp"
#include "zlink/options.h"

namespace zlink::stress {
namespace {

constexpr int thread_count = 4;

class Shared : public testing::TestWithParam<const char *> {
  protected:
    api_context context;
    [[nodiscard]] static std::string endpoint() { return wildcard(GetParam()); }
    void both_ways(int type);
};

// A socket for many threads: of a type that always is, or of another one by option.
api_socket shared_socket(const api_context &owner, int type) {
    api_socket made(owner, type);
    made.set(ZLINK_THREAD_SAFE, 1);
    return made;
}

struct type_pair {
    int one;
    int other;
};

template <class Work> void in_many_threads(int threads, Work &&work) {
    std::vector<std::thread> all;
    for (int index = 0; index < threads; ++index)
        all.emplace_back([&work, index] { work(index); });
    for (std::thread &one : all)
        one.join();
}

std::size_t size_of(std::uint64_t number) {
    return number % 97 == 0 ? 20'000 : 8 + number % 60;
}

// Numbers that came, each once.
class tally {
  public:
    explicit tally(std::uint64_t expected) : seen_(expected) {}
    void add(const std::string &body) {
        EXPECT_TRUE(is_whole(body));
        const std::uint64_t number = number_of(body);
        ASSERT_LT(number, seen_.size());
        EXPECT_EQ(seen_[number].fetch_add(1), 0) << number << " came twice";
        ++count_;
    }
    [[nodiscard]] bool complete() const { return count_ >= seen_.size(); }
    [[nodiscard]] std::uint64_t count() const { return count_; }

  private:
    std::vector<std::atomic<int>> seen_;
    std::atomic<std::uint64_t> count_{0};
};

// Many threads send through one socket, many receive from the other, at marks that make both wait.
TEST_P(Shared, ManySendersAndManyReceivers) {
    const std::uint64_t each = scaled(700);
    constexpr type_pair types[] = {
        {ZMQ_SCATTER, ZMQ_GATHER}, {ZMQ_PUSH, ZMQ_PULL}, {ZMQ_DEALER, ZMQ_DEALER}, {ZMQ_PAIR, ZMQ_PAIR}};
    for (int round = 0; round < 12; ++round) {
        const int mark = std::array{1, 20, 1000}[static_cast<std::size_t>(round % 3)];
        const type_pair type = types[round / 3];
        api_context own;
        api_socket from = shared_socket(own, type.one), to = shared_socket(own, type.other);
        from.set(ZMQ_SNDHWM, mark);
        to.set(ZMQ_RCVHWM, mark);
        from.connect(to.bind(endpoint()));
        tally arrived(each * thread_count);
        in_many_threads(thread_count * 2, [&](int index) {
            const auto sender = static_cast<std::uint64_t>(index);
            if (index < thread_count) {
                for (std::uint64_t number = sender * each; number < (sender + 1) * each; ++number)
                    ASSERT_GE(from.send(numbered(number, size_of(number))), 0);
                return;
            }
            std::string body;
            for (to.set(ZMQ_RCVTIMEO, 20); !arrived.complete();)
                if (to.try_receive(body))
                    arrived.add(body);
        });
        EXPECT_EQ(arrived.count(), each * thread_count);
    }
}

// Requests of many threads through one CLIENT; many threads serve them with one SERVER. Replies may come to
// any thread of the client's.
TEST_P(Shared, ClientAndServerWithThreadsOnBothSides) {
    const std::uint64_t each = scaled(1000);
    api_socket server(context, ZMQ_SERVER), client(context, ZMQ_CLIENT);
    client.connect(server.bind(endpoint()));
    tally answered(each * thread_count);
    server.set(ZMQ_RCVTIMEO, 20);
    const auto serve = [&] {
        while (!answered.complete()) {
            zmq_msg_t request;
            zmq_msg_init(&request);
            if (zmq_msg_recv(&request, server.get(), 0) >= 0) {
                EXPECT_NE(zmq_msg_routing_id(&request), 0U);
                EXPECT_GE(zmq_msg_send(&request, server.get(), 0), 0);
            }
            zmq_msg_close(&request);
        }
    };
    in_many_threads(thread_count * 2, [&](int index) {
        if (index >= thread_count)
            return serve();
        const std::uint64_t first = static_cast<std::uint64_t>(index) * each;
        for (std::uint64_t number = first; number < first + each; ++number) {
            ASSERT_GE(client.send(numbered(number, size_of(number))), 0);
            answered.add(client.receive());
        }
    });
}

// Threads that send, receive and poll meet in both ends of one pair of sockets.
TEST_P(Shared, BothWaysWithPollers) {
    for (const int type : {ZMQ_CHANNEL, ZMQ_PAIR, ZMQ_DEALER})
        both_ways(type);
}

void Shared::both_ways(int type) {
    const std::uint64_t each = scaled(300);
    api_socket one = shared_socket(context, type), two = shared_socket(context, type);
    for (api_socket *end : {&one, &two}) {
        end->set(ZMQ_SNDHWM, 5);
        end->set(ZMQ_RCVHWM, 5);
    }
    two.connect(one.bind(endpoint()));
    tally forth(each * 2), back(each * 2);
    const auto send = [&](api_socket &end, int half) {
        const std::uint64_t first = static_cast<std::uint64_t>(half) * each;
        for (std::uint64_t number = first; number < first + each; ++number)
            ASSERT_GE(end.send(numbered(number)), 0);
    };
    const auto poll = [](api_socket &end, tally &arrived) {
        void *poller = zmq_poller_new();
        EXPECT_EQ(zmq_poller_add(poller, end.get(), nullptr, ZMQ_POLLIN), 0);
        std::string body;
        while (!arrived.complete()) {
            zmq_poller_event_t event;
            if (zmq_poller_wait(poller, &event, 20) == 0 && end.try_receive(body, ZMQ_DONTWAIT))
                arrived.add(body);
        }
        zmq_poller_destroy(&poller);
    };
    const auto poll_items = [](api_socket &end, tally &arrived) {
        std::string body;
        while (!arrived.complete()) {
            zmq_pollitem_t item{end.get(), 0, ZMQ_POLLIN, 0};
            if (zmq_poll(&item, 1, 20) == 1 && end.try_receive(body, ZMQ_DONTWAIT))
                arrived.add(body);
        }
    };
    in_many_threads(8, [&](int index) {
        api_socket &end = index % 2 == 0 ? one : two;
        tally &arrived = index % 2 == 0 ? back : forth;
        index < 4 ? send(end, index / 2) : index < 6 ? poll(end, arrived) : poll_items(end, arrived);
    });
    EXPECT_EQ(forth.count(), each * 2);
    EXPECT_EQ(back.count(), each * 2);
}

// Many threads send to many groups while members come and go, and threads of one DISH share its messages.
TEST_P(Shared, RadioWithMembersThatComeAndGo) {
    api_socket radio(context, ZMQ_RADIO), dish(context, ZMQ_DISH);
    const std::string where = radio.bind(endpoint());
    dish.connect(where);
    dish.set(ZMQ_RCVTIMEO, 5);
    std::atomic<bool> over = false;
    std::atomic<std::uint64_t> heard = 0;
    const auto send = [&] {
        for (std::uint64_t number = 0; !over; ++number) {
            zmq_msg_t message;
            const std::string body = numbered(number, size_of(number));
            zmq_msg_init_buffer(&message, body.data(), body.size());
            EXPECT_EQ(zmq_msg_set_group(&message, number % 2 == 0 ? "even" : "a group that is odd"), 0);
            EXPECT_GE(zmq_msg_send(&message, radio.get(), 0), 0);
        }
    };
    const auto listen = [&] {
        while (!over) {
            zmq_msg_t message;
            zmq_msg_init(&message);
            if (zmq_msg_recv(&message, dish.get(), 0) >= 0) {
                const std::string body(static_cast<char *>(zmq_msg_data(&message)), zmq_msg_size(&message));
                EXPECT_TRUE(is_whole(body));
                EXPECT_STREQ(zmq_msg_group(&message),
                             number_of(body) % 2 == 0 ? "even" : "a group that is odd");
                ++heard;
            }
            zmq_msg_close(&message);
        }
    };
    const auto change = [&] {
        for (std::uint64_t round = 0; round < scaled(30); ++round) {
            EXPECT_EQ(zmq_join(dish.get(), "even"), 0);
            EXPECT_EQ(zmq_join(dish.get(), "a group that is odd"), 0);
            api_socket visitor(context, ZMQ_DISH);
            visitor.connect(where);
            EXPECT_EQ(zmq_join(visitor.get(), "even"), 0);
            const std::uint64_t before = heard;
            EXPECT_TRUE(eventually([&] { return heard > before + 10; }));
            EXPECT_EQ(zmq_leave(dish.get(), "even"), 0);
            EXPECT_EQ(zmq_leave(dish.get(), "a group that is odd"), 0);
        }
        over = true;
    };
    in_many_threads(5, [&](int index) { index < 2 ? send() : index == 2 ? change() : listen(); });
}

// A sender that finds nobody to send to is woken by a connect in another thread.
TEST_P(Shared, ConnectingEndsTheWaitOfOthers) {
    for (std::uint64_t round = 0; round < scaled(60); ++round) {
        api_socket from(context, ZMQ_SCATTER), to(context, ZMQ_GATHER);
        const std::string where = to.bind(endpoint());
        in_many_threads(4, [&](int index) {
            if (index == 0)
                from.connect(where);
            else if (index < 3)
                EXPECT_GE(from.send("x"), 0);
            else
                EXPECT_EQ(to.receive() + to.receive(), "xx");
        });
    }
}

// Who is blocked in a socket hears of the context's end, and of the socket's.
TEST_P(Shared, EndsReachEverybody) {
    for (std::uint64_t round = 0; round < scaled(40); ++round) {
        api_context own;
        const type_pair type =
            std::array<type_pair, 2>{{{ZMQ_CLIENT, ZMQ_SERVER}, {ZMQ_PUSH, ZMQ_PULL}}}[round / 2 % 2];
        api_socket client = shared_socket(own, type.one), server = shared_socket(own, type.other);
        client.connect(server.bind(endpoint()));
        void *const handle = server.get();
        const bool shutdown = round % 2 == 0;
        std::atomic<int> waiting = 0;
        in_many_threads(5, [&](int index) {
            std::string body;
            if (index == 0) {
                // All are in the call, or about to be; a closed socket may only be met by those that wait in
                // it.
                EXPECT_TRUE(eventually([&] { return waiting == 4; }));
                std::this_thread::sleep_for(std::chrono::milliseconds(shutdown ? 0 : 100));
                shutdown ? static_cast<void>(zmq_ctx_shutdown(own.get())) : server.close();
                return;
            }
            ++waiting;
            char byte;
            EXPECT_EQ(zmq_recv(handle, &byte, 1, 0), -1);
            EXPECT_EQ(errno, shutdown ? ETERM : ENOTSOCK);
        });
    }
}

// A thread sleeps in poll(2) on the descriptors of its pollers, which share a socket.
TEST_P(Shared, PollersWithDescriptors) {
    const std::uint64_t messages = scaled(2000);
    api_socket from(context, ZMQ_CLIENT), to(context, ZMQ_SERVER);
    from.connect(to.bind(endpoint()));
    tally arrived(messages);
    in_many_threads(4, [&](int index) {
        if (index == 0) {
            for (std::uint64_t number = 0; number < messages; ++number)
                ASSERT_GE(from.send(numbered(number)), 0);
            return;
        }
        void *poller = zmq_poller_new();
        zmq_fd_t descriptor = -1;
        EXPECT_EQ(zmq_poller_add(poller, to.get(), nullptr, ZMQ_POLLIN), 0);
        EXPECT_EQ(zmq_poller_fd(poller, &descriptor), 0);
        std::string body;
        while (!arrived.complete()) {
            pollfd watched{descriptor, POLLIN, 0};
            if (::poll(&watched, 1, 20) != 1)
                continue;
            zmq_poller_event_t event;
            while (zmq_poller_wait(poller, &event, 0) == 0)
                if (to.try_receive(body, ZMQ_DONTWAIT))
                    arrived.add(body);
            EXPECT_EQ(errno, EAGAIN);
        }
        EXPECT_EQ(zmq_poller_destroy(&poller), 0);
    });
}

INSTANTIATE_TEST_SUITE_P(Over, Shared, testing::Values("inproc", "tcp", "ipc"), name_of_transport);

} // namespace
} // namespace zlink::stress
