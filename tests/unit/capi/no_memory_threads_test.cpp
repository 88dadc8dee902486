// SPDX-License-Identifier: MPL-2.0
// Want of memory in the library's own threads. One of their allocations fails, between the first connection
// and the end of the context; each does so in turn. Whatever it was for, the sockets find each other
// afterwards, messages pass, contexts end, and no descriptor is left.
#include <gtest/gtest.h>
#include <zmq.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "unit/capi/memory_hooks.hpp"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

using zlink::tests::hooks;

constexpr long most_allocations = 2000;
// Each takes a millisecond. All together take less than the time limit of a handshake, so an unread
// connection is not mistaken for a lost one.
constexpr int attempts = 10000;
constexpr std::size_t large_bytes = 100'000;

long open_descriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}

// A lookup that nobody waits for any more may end a little later.
bool descriptors_come_to(long wanted) {
    for (int attempt = 0; attempt < attempts; ++attempt) {
        if (open_descriptors() == wanted)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

struct scenario {
    const char *name;
    int sender;
    int receiver;
    const char *endpoint;
    bool sealed = false;
    bool by_name = false; // the address of the peer has to be looked up
};

// A sender and a receiver, each in a context of its own.
class two_ends {
  public:
    explicit two_ends(const scenario &tested) : tested_(tested) {
        constexpr int soon_ms = 1;
        set(receiver_, ZMQ_RCVTIMEO, soon_ms);
        set(sender_, ZMQ_RECONNECT_IVL, soon_ms);
        if (tested.sealed)
            seal();
        if (tested.receiver == ZMQ_SUB)
            zmq_setsockopt(receiver_, ZMQ_SUBSCRIBE, "", 0);
        EXPECT_EQ(zmq_bind(receiver_, tested.endpoint), 0);
        std::array<char, 256> where{};
        std::size_t size = where.size();
        EXPECT_EQ(zmq_getsockopt(receiver_, ZMQ_LAST_ENDPOINT, where.data(), &size), 0);
        std::string peer = where.data();
        if (tested.by_name)
            peer.replace(peer.find("127.0.0.1"), 9, "localhost");
        EXPECT_EQ(zmq_connect(sender_, peer.c_str()), 0);
    }
    ~two_ends() {
        // Its messages go out, or are lost with a connection: it ends in any case, as long as there is a
        // peer.
        zmq_close(sender_);
        EXPECT_EQ(zmq_ctx_term(senders_), 0);
        zmq_close(receiver_);
        EXPECT_EQ(zmq_ctx_term(receivers_), 0);
    }
    two_ends(const two_ends &) = delete;

    // A lost connection may take messages along.
    [[nodiscard]] bool passes(std::size_t size) {
        const std::string body(size, 'b');
        std::string received(size, ' ');
        for (int attempt = 0; attempt < attempts; ++attempt) {
            if (zmq_send(sender_, body.data(), size, ZMQ_DONTWAIT) < 0 && errno != EAGAIN)
                return false;
            while (zmq_recv(receiver_, received.data(), size, 0) >= 0)
                if (received == body)
                    return true;
        }
        return false;
    }

  private:
    static void set(void *socket, int option, int value) {
        EXPECT_EQ(zmq_setsockopt(socket, option, &value, sizeof value), 0);
    }
    void seal() {
        std::array<char, 41> open{};
        std::array<char, 41> secret{};
        EXPECT_EQ(zmq_curve_keypair(open.data(), secret.data()), 0);
        set(receiver_, ZMQ_CURVE_SERVER, 1);
        EXPECT_EQ(zmq_setsockopt(receiver_, ZMQ_CURVE_SECRETKEY, secret.data(), secret.size()), 0);
        EXPECT_EQ(zmq_setsockopt(sender_, ZMQ_CURVE_SERVERKEY, open.data(), open.size()), 0);
        EXPECT_EQ(zmq_setsockopt(sender_, ZMQ_CURVE_PUBLICKEY, open.data(), open.size()), 0);
        EXPECT_EQ(zmq_setsockopt(sender_, ZMQ_CURVE_SECRETKEY, secret.data(), secret.size()), 0);
    }

    const scenario &tested_;
    void *senders_ = zmq_ctx_new();
    void *receivers_ = zmq_ctx_new();
    void *sender_ = zmq_socket(senders_, tested_.sender);
    void *receiver_ = zmq_socket(receivers_, tested_.receiver);
};

void connect_and_send(const scenario &tested, long allocation) {
    zlink::tests::own_thread = true;
    SCOPED_TRACE(allocation);
    two_ends ends(tested);
    ASSERT_TRUE(ends.passes(1));
    ASSERT_TRUE(ends.passes(large_bytes));
}

class NoMemoryInThreads : public testing::TestWithParam<scenario> {
  protected:
    void SetUp() override { zlink::tests::own_thread = true; }
    void TearDown() override { zlink::tests::own_thread = false; }
};

TEST_P(NoMemoryInThreads, LosesAConnectionAtMost) {
    const long before = open_descriptors();
    bool failed = true;
    for (long allocation = 0; failed; ++allocation) {
        ASSERT_LT(allocation, most_allocations);
        hooks.before_failure.store(allocation);
        // On a thread of its own: the descriptor of the thread's sleeps goes with it.
        std::thread(connect_and_send, std::cref(GetParam()), allocation).join();
        failed = hooks.before_failure.exchange(-1) < 0;
        ASSERT_FALSE(HasFailure()) << "allocation " << allocation;
        ASSERT_TRUE(descriptors_come_to(before)) << "allocation " << allocation;
    }
}

constexpr std::array scenarios{
    scenario{"pushPullTcp", ZMQ_PUSH, ZMQ_PULL, "tcp://127.0.0.1:*"},
    scenario{"pushPullIpc", ZMQ_PUSH, ZMQ_PULL, "ipc://*"},
    scenario{"pubSubTcp", ZMQ_PUB, ZMQ_SUB, "tcp://127.0.0.1:*"},
    scenario{.name = "sealedTcp",
             .sender = ZMQ_PUSH,
             .receiver = ZMQ_PULL,
             .endpoint = "tcp://127.0.0.1:*",
             .sealed = true},
    scenario{.name = "byName",
             .sender = ZMQ_PUSH,
             .receiver = ZMQ_PULL,
             .endpoint = "tcp://127.0.0.1:*",
             .by_name = true},
};
INSTANTIATE_TEST_SUITE_P(Each, NoMemoryInThreads, testing::ValuesIn(scenarios),
                         [](const auto &tested) { return tested.param.name; });

} // namespace

#endif
