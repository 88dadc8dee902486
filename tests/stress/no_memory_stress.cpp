// SPDX-License-Identifier: MPL-2.0
// Want of memory at random. Allocations of the library fail, in calls of the API and in its own threads,
// under random programs and raw peers. No program aborts, hangs, or leaks; a seed repeats it as far as
// threads allow.
#include <gtest/gtest.h>
#include <zmq.h>

#include <malloc.h>

#include <random>

#include "stress/api_tools.hpp"

// The sanitizers bring their own malloc.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace zlink::tests {

static std::atomic<std::uint32_t> one_in{0}; // allocations that fail: one in so many; 0: none
static thread_local bool spared = false;     // the test's own work
static thread_local std::uint32_t dice = 0;

static bool allows_allocation() noexcept {
    const std::uint32_t rate = one_in.load(std::memory_order_relaxed);
    if (spared || rate == 0)
        return true;
    dice = dice * 1664525 + 1013904223;
    return (dice >> 8) % rate != 0;
}

} // namespace zlink::tests

#include "own_malloc.hpp"

namespace zlink::stress {
namespace {

using tests::dice;
using tests::one_in;
using tests::spared;

constexpr int most_sockets = 8;
constexpr int steps = 150;
constexpr std::array types{ZMQ_PAIR,   ZMQ_PUB,  ZMQ_SUB,  ZMQ_REQ,  ZMQ_REP,  ZMQ_DEALER,
                           ZMQ_ROUTER, ZMQ_PULL, ZMQ_PUSH, ZMQ_XPUB, ZMQ_XSUB, ZMQ_STREAM};

// A call of the library, whose allocations may fail.
template <class Call> auto call(Call &&make) {
    spared = false;
    const auto result = make();
    spared = true;
    return result;
}

class program {
  public:
    explicit program(std::uint32_t seed) : random_(seed) {
        dice = seed;
        context_ = zmq_ctx_new();
    }
    ~program() {
        for (void *&open : sockets_)
            close(open);
        while (context_ != nullptr && call([&] { return zmq_ctx_term(context_); }) != 0 && errno == EINTR) {
        }
    }
    program(const program &) = delete;

    void step() {
        void *&some = sockets_[below(most_sockets)];
        if (some == nullptr)
            return open(some);
        switch (below(12)) {
        case 0:
            return below(3) == 0 ? close(some) : receive(some);
        case 1:
            return bind(some);
        case 2:
        case 3:
            return connect(some);
        case 4:
            return monitor(some);
        case 5:
            return topic(some);
        case 6:
            return meet_peer();
        case 7:
        case 8:
            return receive(some);
        case 9:
            return poll();
        default:
            return send(some);
        }
    }

  private:
    std::size_t below(std::size_t limit) { return random_() % limit; }

    void open(void *&place) {
        const int type = types[below(types.size())];
        place = call([&] { return zmq_socket(context_, type); });
        if (place == nullptr) {
            EXPECT_TRUE(errno == ENOMEM || errno == EMFILE) << zmq_strerror(errno);
            return;
        }
        const int soon_ms = 1;
        for (const int option : {ZMQ_RCVTIMEO, ZMQ_SNDTIMEO, ZMQ_RECONNECT_IVL, ZMQ_LINGER})
            call([&] { return zmq_setsockopt(place, option, &soon_ms, sizeof soon_ms); });
        static const std::string hello(300, 'h');
        if (below(4) == 0)
            call([&] { return zmq_setsockopt(place, ZMQ_HELLO_MSG, hello.data(), hello.size()); });
    }
    void close(void *&place) {
        if (place == nullptr)
            return;
        EXPECT_EQ(call([&] { return zmq_close(place); }), 0);
        place = nullptr;
    }
    void bind(void *some) {
        static constexpr std::array where{"inproc://here", "inproc://there", "tcp://127.0.0.1:*", "ipc://*"};
        const char *endpoint = where[below(where.size())];
        if (call([&] { return zmq_bind(some, endpoint); }) != 0)
            return;
        std::array<char, 256> text{};
        std::size_t size = text.size();
        if (call([&] { return zmq_getsockopt(some, ZMQ_LAST_ENDPOINT, text.data(), &size); }) == 0)
            endpoints_.emplace_back(text.data());
    }
    void connect(void *some) {
        const std::string endpoint =
            endpoints_.empty() ? "inproc://here" : endpoints_[below(endpoints_.size())];
        call([&] { return zmq_connect(some, endpoint.c_str()); });
        if (below(4) == 0)
            call([&] { return zmq_disconnect(some, endpoint.c_str()); });
    }
    void monitor(void *some) {
        const char *endpoint = below(3) == 0 ? nullptr : "inproc://monitor";
        call([&] { return zmq_socket_monitor(some, endpoint, ZMQ_EVENT_ALL); });
    }
    void topic(void *some) {
        const std::string text(below(40), 't');
        const int option = below(3) == 0 ? ZMQ_UNSUBSCRIBE : ZMQ_SUBSCRIBE;
        call([&] { return zmq_setsockopt(some, option, text.data(), text.size()); });
    }
    void send(void *some) {
        static constexpr std::array<std::size_t, 5> sizes{0, 1, 50, 3000, 60'000};
        static const std::string body(60'000, 'b');
        const std::size_t size = sizes[below(sizes.size())];
        const int more = below(3) == 0 ? ZMQ_SNDMORE : 0;
        call([&] { return zmq_send(some, body.data(), size, more | ZMQ_DONTWAIT); });
    }
    void receive(void *some) {
        for (int count = 0; count < 4; ++count)
            call([&] {
                zmq_msg_t message;
                zmq_msg_init(&message);
                const int got = zmq_msg_recv(&message, some, ZMQ_DONTWAIT);
                zmq_msg_close(&message);
                return got;
            });
    }
    void poll() {
        std::array<zmq_pollitem_t, most_sockets> items{};
        int count = 0;
        for (void *open : sockets_)
            if (open != nullptr)
                items[static_cast<std::size_t>(count++)] = {open, 0, ZMQ_POLLIN | ZMQ_POLLOUT, 0};
        call([&] { return zmq_poll(items.data(), count, 1); });
    }
    // Says that it is one type or another, and then a message or a command, whole or not.
    void meet_peer() {
        for (const std::string &endpoint : endpoints_) {
            if (!endpoint.starts_with("tcp:") || below(2) == 0)
                continue;
            const raw_peer peer(endpoint);
            static const std::array<std::string, 4> names{"PUSH", "SUB", "DEALER", "PAIR"};
            const std::string sent = zmtp_opening(names[below(names.size())]) + zmtp_frame("\1topic") +
                                     zmtp_frame(std::string(below(20'000), 'p'), below(2) == 0);
            peer.send(sent.substr(0, sent.size() - below(40)));
        }
    }

    std::mt19937 random_;
    void *context_;
    std::array<void *, most_sockets> sockets_{};
    std::vector<std::string> endpoints_;
};

std::size_t run(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE(seed);
        one_in.store(5 + seed % 60);
        {
            program random(seed);
            for (int step = 0; step < steps; ++step)
                random.step();
        }
        one_in.store(0);
    }
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

TEST(NoMemoryAtRandom, EndsNothingButCalls) {
    spared = true;
    const auto count = static_cast<std::uint32_t>(scaled(60));
    run(1, 60); // what is made once and kept: the memory of 128 closed sockets too
    const std::size_t before = run(1000, count);
    EXPECT_LT(run(1000 + count, 3 * count), before + 512 * 1024) << "something leaks";
    spared = false;
}

} // namespace
} // namespace zlink::stress

#endif
