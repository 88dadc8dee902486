// SPDX-License-Identifier: MPL-2.0
// No message allocates by itself, from zmq_send to zmq_recv. Every allocation of the process is counted, in
// the sending, the receiving and the I/O threads. In the end there are none.
#include <gtest/gtest.h>
#include <zmq.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <thread>

#include "unit/capi/memory_hooks.hpp"

// The sanitizers bring their own malloc.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include "own_malloc.hpp"

using zlink::tests::hooks;

namespace {

class Allocations : public testing::TestWithParam<const char *> {
  protected:
    void SetUp() override {
        for (void *end : {to_, from_}) {
            const int mark = 1000;
            const int patience_ms = 200; // so that the reader sees the end
            ASSERT_EQ(zmq_setsockopt(end, ZMQ_RCVTIMEO, &patience_ms, sizeof patience_ms), 0);
            ASSERT_EQ(zmq_setsockopt(end, end == to_ ? ZMQ_RCVHWM : ZMQ_SNDHWM, &mark, sizeof mark), 0);
        }
        ASSERT_EQ(zmq_bind(to_, GetParam()), 0);
        std::array<char, 256> where{};
        std::size_t size = where.size();
        ASSERT_EQ(zmq_getsockopt(to_, ZMQ_LAST_ENDPOINT, where.data(), &size), 0);
        ASSERT_EQ(zmq_connect(from_, where.data()), 0);
    }
    void TearDown() override {
        zmq_close(from_);
        zmq_close(to_);
        zmq_ctx_term(context_);
    }

    // Rounds, until one allocates nothing: before that the pools fill, as the queues reach the depth that
    // this machine's scheduling gives them. Something allocated per message, or per wakeup, would be there in
    // every round.
    template <class Send, class Receive> void expect_none_in_the_end(Send send, Receive receive) {
        constexpr int messages = 20000;
        constexpr int most_rounds = 50;
        std::atomic<long> received{0};
        std::atomic<bool> done{false};
        std::thread reader([&] {
            while (!done.load())
                if (receive(to_) == 64)
                    received.fetch_add(1);
        });
        long sent = 0;
        long in_round = -1;
        for (int round = 0; round < most_rounds && in_round != 0; ++round) {
            hooks.allocations.store(0);
            hooks.counting.store(true);
            for (int count = 0; count < messages; ++count, ++sent)
                ASSERT_EQ(send(from_), 64);
            while (received.load() != sent)
                std::this_thread::yield();
            hooks.counting.store(false);
            in_round = hooks.allocations.load();
        }
        done.store(true);
        reader.join();
        EXPECT_EQ(in_round, 0);
    }

  private:
    void *context_ = zmq_ctx_new();
    void *to_ = zmq_socket(context_, ZMQ_PULL);
    void *from_ = zmq_socket(context_, ZMQ_PUSH);
};

TEST_P(Allocations, BuffersSentAndReceived) {
    expect_none_in_the_end(
        [](void *socket) {
            const std::array<char, 64> body{};
            return zmq_send(socket, body.data(), body.size(), 0);
        },
        [](void *socket) {
            std::array<char, 64> body;
            return zmq_recv(socket, body.data(), body.size(), 0);
        });
}

TEST_P(Allocations, MessagesSentAndReceived) {
    expect_none_in_the_end(
        [](void *socket) {
            zmq_msg_t message;
            zmq_msg_init_size(&message, 64);
            return zmq_msg_send(&message, socket, 0);
        },
        [](void *socket) {
            zmq_msg_t message;
            zmq_msg_init(&message);
            const int size = zmq_msg_recv(&message, socket, 0);
            zmq_msg_close(&message);
            return size;
        });
}

// The count itself is right.
TEST(AllocationCount, SeesBothKinds) {
    hooks.counting.store(true);
    void *volatile by_malloc = std::malloc(10);
    auto *volatile by_new = new int(1);
    hooks.counting.store(false);
    std::free(by_malloc);
    delete by_new;
    EXPECT_EQ(hooks.allocations.exchange(0), 2);
}

INSTANTIATE_TEST_SUITE_P(Api, Allocations,
                         testing::Values("inproc://allocations", "tcp://127.0.0.1:*", "ipc://*"),
                         [](const testing::TestParamInfo<const char *> &instance) {
                             const std::string endpoint = instance.param;
                             return endpoint.substr(0, endpoint.find(':'));
                         });

} // namespace
#endif
