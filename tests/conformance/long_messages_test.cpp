// SPDX-License-Identifier: MPL-2.0
// A call works for some milliseconds at most while a peer sends messages of very many frames that the socket
// has no use for.
#include "bare_peer.hpp"

#include <ctime>

namespace zlink::conformance {
namespace {

constexpr int messages = 4;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t shrink = 16; // so much slower is everything
constexpr int most_work_ms = 40;   // of one call
#else
constexpr std::size_t shrink = 1;
constexpr int most_work_ms = 10;
#endif

// Returns the processor time of one thread. The time of other programs does not count.
int processor_ms() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<int>(now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
}

int receive(socket &from) {
    return zmq_recv(from.handle(), nullptr, 0, ZMQ_DONTWAIT);
}
int send(socket &to) {
    return zmq_send(to.handle(), "x", 1, ZMQ_DONTWAIT);
}
void subscribe(socket &sub) {
    sub.set(ZMQ_SUBSCRIBE, "wanted");
}
void join(socket &dish) {
    EXPECT_EQ(zmq_join(dish.handle(), "wanted"), 0);
}
void ask(socket &req) {
    req.set(ZMQ_REQ_CORRELATE, 1);
    EXPECT_EQ(req.send("question"), 0);
}
void nothing(socket &) {}

// A message: `first`, `frame` so many times, `last`. `expected`: what the call returns.
struct long_message {
    const char *name;
    int type;
    const char *peer;
    std::size_t frames;
    std::string first, frame, last;
    void (*prepare)(socket &);
    int (*call)(socket &);
    int expected;
};

constexpr std::size_t many = 16'000'000;
const long_message rows[] = {
    {"SUB", ZMQ_SUB, "PUB", many, "", "\1\0"s, "\0\0"s, subscribe, receive, -1},
    {"DISH", ZMQ_DISH, "RADIO", many, "", "\1\1g"s, "\0\0"s, join, receive, -1},
    {"REP", ZMQ_REP, "REQ", many / 4, "", "\1\1e"s, "\0\0"s, nothing, receive, -1},
    {"REQ", ZMQ_REQ, "REP", many, "\1\4none\1\0"s, "\1\1x"s, "\0\0"s, ask, receive, -1},
    {"CLIENT", ZMQ_CLIENT, "SERVER", many, "", "\1\0"s, "\0\0"s, nothing, receive, -1},
    {"SERVER", ZMQ_SERVER, "CLIENT", many, "", "\1\0"s, "\0\0"s, nothing, receive, -1},
    {"GATHER", ZMQ_GATHER, "SCATTER", many, "", "\1\0"s, "\0\0"s, nothing, receive, -1},
    {"PUB", ZMQ_PUB, "SUB", many / 8, "", "\1\2\1x"s, "\0\2\1x"s, nothing, send, 1},
};

class LongMessages : public ::testing::TestWithParam<long_message> {
  protected:
    LongMessages() : longwinded(owner, GetParam().type) {
        longwinded.set(ZMQ_RCVHWM, 1);
        EXPECT_EQ(longwinded.bind("tcp://127.0.0.1:*"), 0);
        peer = std::make_unique<bare_peer>(longwinded.last_endpoint());
        peer->shake_hands(GetParam().peer);
        GetParam().prepare(longwinded);
        sender = std::thread([this] { pour(); });
    }
    ~LongMessages() override {
        over = true;
        peer->hang_up();
        sender.join();
    }
    void pour() {
        const long_message &sent = GetParam();
        constexpr std::size_t frames_at_once = 16384;
        std::string part;
        for (std::size_t count = 0; count < frames_at_once; ++count)
            part += sent.frame;
        while (!over) {
            if (!peer->pour(sent.first))
                return;
            for (std::size_t count = 0; count < sent.frames / shrink; count += frames_at_once)
                if (!peer->pour(part))
                    return;
            if (!peer->pour(sent.last))
                return;
            ++poured;
        }
    }

    context owner;
    socket longwinded;
    std::unique_ptr<bare_peer> peer;
    std::thread sender;
    std::atomic<bool> over = false;
    std::atomic<int> poured = 0;
};

// The mark lets a message in when the one before was taken. So as many as were poured, but for two, are gone.
TEST_P(LongMessages, AreDroppedInParts) {
    int long_calls = 0;
    std::string times;
    EXPECT_TRUE(eventually([&] {
        const int before = processor_ms();
        EXPECT_EQ(GetParam().call(longwinded), GetParam().expected);
        if (const int took = processor_ms() - before; took > most_work_ms) {
            ++long_calls;
            times += " " + std::to_string(took);
        }
        return poured >= messages + 2;
    }));
    EXPECT_LE(long_calls, messages / 4) << "took ms:" << times;
}
INSTANTIATE_TEST_SUITE_P(of, LongMessages, ::testing::ValuesIn(rows),
                         [](const ::testing::TestParamInfo<long_message> &row) { return row.param.name; });

} // namespace
} // namespace zlink::conformance
