// SPDX-License-Identifier: MPL-2.0
// Event loops that wait for ZLINK_LOOP_FD: none sleeps while something is there, whoever reads the streams.
#include <poll.h>

#include <random>

#include "stress/api_tools.hpp"
#include "zlink/options.h"

namespace zlink::stress {
namespace {

class EventLoop : public testing::TestWithParam<const char *> {
  protected:
    api_context context;
    [[nodiscard]] static std::string endpoint() { return wildcard(GetParam()); }
};

int ask(const api_socket &asked, int option) {
    int value = -1;
    std::size_t size = sizeof value;
    EXPECT_EQ(zmq_getsockopt(asked.get(), option, &value, &size), 0) << zmq_strerror(errno);
    return value;
}

// Returns false if nothing came for ten seconds.
bool wait(const api_socket &waited) {
    while ((ask(waited, ZLINK_LOOP_EVENTS) & ZMQ_POLLIN) == 0) {
        pollfd watched{ask(waited, ZLINK_LOOP_FD), POLLIN, 0};
        if (::poll(&watched, 1, 10'000) != 1)
            return false;
    }
    return true;
}

// Now and then so long that the streams go back to the I/O threads.
class pause {
  public:
    explicit pause(unsigned seed) : random_(seed) {}
    void take() {
        const unsigned kind = random_() % 64;
        if (kind == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(random_() % 30));
        else if (kind < 8)
            std::this_thread::sleep_for(std::chrono::microseconds(random_() % 300));
    }

  private:
    std::minstd_rand random_;
};

// Each of some clients has a loop of its own. The server answers in one loop.
void converse(const api_context &context, const std::string &endpoint, int clients, std::uint64_t trips) {
    api_socket server(context, ZMQ_ROUTER);
    const std::string place = server.bind(endpoint);
    std::vector<std::thread> all;
    for (int index = 0; index < clients; ++index)
        all.emplace_back([&, index] {
            pause now_and_then(static_cast<unsigned>(index) + 1);
            api_socket client(context, ZMQ_DEALER);
            client.connect(place);
            for (std::uint64_t number = 0; number < trips; ++number) {
                now_and_then.take();
                const std::string body = numbered(number, number % 50 == 0 ? 20'000 : 64);
                ASSERT_GE(client.send(body), 0);
                ASSERT_TRUE(wait(client)) << "no answer to " << number;
                ASSERT_EQ(client.receive(ZMQ_DONTWAIT), body);
            }
        });
    pause now_and_then(99);
    for (std::uint64_t left = trips * static_cast<std::uint64_t>(clients); left != 0;) {
        if (!wait(server)) {
            ADD_FAILURE() << left << " questions are left";
            break;
        }
        now_and_then.take();
        for (std::string id; left != 0 && server.try_receive(id, ZMQ_DONTWAIT); --left) {
            const std::string body = server.receive(ZMQ_DONTWAIT);
            server.send(id, ZMQ_SNDMORE);
            server.send(body);
        }
    }
    for (std::thread &one : all)
        one.join();
}

TEST_P(EventLoop, NoQuestionAndNoAnswerWaits) {
    converse(context, endpoint(), 1, scaled(3000));
    converse(context, endpoint(), 3, scaled(700));
}

TEST_P(EventLoop, NorOverManyConnections) {
    converse(context, endpoint(), 8, scaled(250));
}

// Connections end and come again while the loop waits.
TEST_P(EventLoop, NoMessageOfANewConnectionWaits) {
    api_socket pull(context, ZMQ_PULL);
    const std::string place = pull.bind(endpoint());
    const std::uint64_t rounds = scaled(150);
    std::thread sends([&] {
        pause now_and_then(7);
        for (std::uint64_t round = 0; round < rounds; ++round) {
            api_socket push(context, ZMQ_PUSH);
            push.set(ZMQ_LINGER, -1);
            push.connect(place);
            for (std::uint64_t number = 0; number < 3; ++number) {
                now_and_then.take();
                push.send(numbered(round * 3 + number));
            }
        }
    });
    std::vector<bool> seen(rounds * 3);
    for (std::uint64_t got = 0; got < rounds * 3; ++got) {
        if (!wait(pull)) {
            ADD_FAILURE() << got << " of " << rounds * 3 << " messages came";
            break;
        }
        const std::uint64_t number = number_of(pull.receive(ZMQ_DONTWAIT));
        ASSERT_LT(number, seen.size());
        EXPECT_FALSE(seen[number]);
        seen[number] = true;
    }
    sends.join();
}

INSTANTIATE_TEST_SUITE_P(Over, EventLoop, testing::Values("inproc", "tcp", "ipc"), name_of_transport);

} // namespace
} // namespace zlink::stress
