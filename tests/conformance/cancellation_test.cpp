// SPDX-License-Identifier: MPL-2.0
// pthread_cancel(3): a thread ends where it waits, without harm to the process, the socket or a message.
// There is no comparison: libzmq's threads end there, too, but now and then its socket is of no use
// afterwards.
#include "draft_rig.hpp"

#include <pthread.h>

// After a cancellation the thread sanitizer ignores atomics and locks of the thread that unwinds its stack.
// It then reports work that is done under them.
#ifdef __SANITIZE_THREAD__
#define ZLINK_WITHOUT_THREAD_SANITIZER() GTEST_SKIP() << "the thread sanitizer does not follow cancellation"
#else
#define ZLINK_WITHOUT_THREAD_SANITIZER() static_cast<void>(0)
#endif

namespace zlink::conformance {
namespace {

// A thread of the system's, which a std::thread's end is not made for.
class cancellable {
  public:
    explicit cancellable(std::function<void()> work) : work_(std::move(work)) {
        EXPECT_EQ(pthread_create(
                      &thread_, nullptr,
                      [](void *self) -> void * {
                          static_cast<cancellable *>(self)->work_();
                          return nullptr;
                      },
                      this),
                  0);
    }
    cancellable(const cancellable &) = delete;
    // Returns true if the thread did not come back by itself.
    [[nodiscard]] bool cancel() {
        EXPECT_EQ(pthread_cancel(thread_), 0);
        return comes_back_cancelled();
    }
    [[nodiscard]] bool comes_back_cancelled() {
        void *result = nullptr;
        EXPECT_EQ(pthread_join(thread_, &result), 0);
        return result == PTHREAD_CANCELED;
    }

  private:
    std::function<void()> work_;
    pthread_t thread_{};
};

class cancellation : public transport_test {};

// Wherever it meets a thread that receives, what comes is received in order, and all of it.
TEST_P(cancellation, of_a_thread_that_receives_loses_no_message) {
    ZLINK_WITHOUT_THREAD_SANITIZER();
    constexpr int messages = 20'000;
    socket pull(owner, ZMQ_PULL);
    socket push = connected(ZMQ_PUSH, bind(pull));
    std::thread sender([&push] {
        for (int number = 0; number < messages; ++number) {
            EXPECT_EQ(zmq_send(push.handle(), &number, sizeof number, 0), int{sizeof number});
            if (number % 64 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    });
    int expected = 0;
    const auto receive_all = [&] {
        for (int number = 0; expected < messages; ++expected) {
            ASSERT_EQ(zmq_recv(pull.handle(), &number, sizeof number, 0), int{sizeof number});
            ASSERT_EQ(number, expected);
        }
    };
    while (expected < messages) {
        cancellable reader(receive_all);
        std::this_thread::sleep_for(std::chrono::microseconds(300));
        (void)reader.cancel();
        if (HasFailure())
            break;
    }
    sender.join();
}

// Whatever it waits with: what there is goes on working.
TEST_P(cancellation, of_a_thread_that_waits_leaves_its_sockets_in_order) {
    ZLINK_WITHOUT_THREAD_SANITIZER();
    socket used(owner, ZMQ_PAIR);
    used.set(ZMQ_SNDHWM, 10);
    socket other = connected(ZMQ_PAIR, bind(used));
    other.set(ZMQ_RCVHWM, 10);
    socket idle(owner, ZMQ_PAIR);
    EXPECT_EQ(idle.bind(unused_endpoint("inproc")), 0);
    const std::vector<std::function<void()>> waits{
        [&] { used.receive(); },
        [&] {
            char byte = 0;
            zmq_recv(used.handle(), &byte, 1, 0);
        },
        [&] { (void)used.ready(ZMQ_POLLIN); },
        [&] {
            zmq_pollitem_t items[] = {{used.handle(), 0, ZMQ_POLLIN, 0}, {idle.handle(), 0, ZMQ_POLLIN, 0}};
            zmq_poll(items, 2, -1);
        },
        [&] {
            const auto destroy = [](void *made) { zmq_poller_destroy(&made); };
            const std::unique_ptr<void, decltype(destroy)> poller(zmq_poller_new(), destroy);
            zmq_poller_add(poller.get(), used.handle(), nullptr, ZMQ_POLLIN);
            zmq_poller_event_t event;
            zmq_poller_wait(poller.get(), &event, -1);
        },
        [&] { zmq_proxy(used.handle(), idle.handle(), nullptr); },
        [&] {
            while (used.send(std::string(100'000, 'x')) == 0) {
            }
        },
    };
    for (std::size_t index = 0; index < waits.size(); ++index) {
        cancellable waiting(waits[index]);
        std::this_thread::sleep_for(std::chrono::milliseconds(quiet_ms));
        EXPECT_TRUE(waiting.cancel()) << index;
        EXPECT_EQ(other.send("a"), 0);
        EXPECT_EQ(used.receive(), "a") << index;
    }
    EXPECT_EQ(other.receive().size(), 100'000U);
}

ZLINK_OVER_EVERY_TRANSPORT(cancellation);

// One of many that wait in a socket leaves it to the others.
TEST(cancellation_once, of_one_of_many_leaves_a_shared_socket_to_the_others) {
    ZLINK_WITHOUT_THREAD_SANITIZER();
    context shared;
    socket server(shared, ZMQ_SERVER);
    socket client(shared, ZMQ_CLIENT);
    ASSERT_EQ(server.bind("inproc://shared"), 0);
    ASSERT_EQ(client.connect("inproc://shared"), 0);
    cancellable first([&server] {
        message got;
        (void)got.receive(server);
    });
    std::string body;
    std::thread second([&] {
        message got;
        EXPECT_EQ(got.receive(server), 0);
        body = got.body();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(quiet_ms));
    EXPECT_TRUE(first.cancel());
    EXPECT_EQ(message("a").send(client), 0);
    second.join();
    EXPECT_EQ(body, "a");
}

// A call that does not wait is done whole: it is not for a thread that is to end to leave a socket half
// closed.
TEST(cancellation_once, is_put_off_by_what_does_not_wait) {
    context shared;
    bool done = false;
    cancellable worker([&] {
        pthread_cancel(pthread_self());
        {
            socket bound(shared, ZMQ_PULL);
            EXPECT_EQ(bound.bind("tcp://127.0.0.1:*"), 0);
            socket connected(shared, ZMQ_PUSH);
            EXPECT_EQ(connected.connect(bound.last_endpoint()), 0);
            EXPECT_EQ(connected.send("a"), 0);
        }
        done = true;
    });
    EXPECT_FALSE(worker.comes_back_cancelled());
    EXPECT_TRUE(done);
}

// A thread that has slept on a stream gives everything back when it ends, cancelled or not.
TEST(cancellation_once, just_before_a_thread_ends_is_nothing) {
    context shared;
    socket pull(shared, ZMQ_PULL);
    EXPECT_EQ(pull.bind("tcp://127.0.0.1:*"), 0);
    socket push(shared, ZMQ_PUSH);
    EXPECT_EQ(push.connect(pull.last_endpoint()), 0);
    cancellable worker([&] {
        for (int round = 0; round < 3; ++round) { // until the stream is the thread's own
            EXPECT_EQ(push.send("a"), 0);
            EXPECT_EQ(pull.receive(), "a");
            EXPECT_FALSE(pull.ready(ZMQ_POLLIN, quiet_ms));
        }
        pthread_cancel(pthread_self());
    });
    EXPECT_FALSE(worker.comes_back_cancelled());
}

} // namespace
} // namespace zlink::conformance
