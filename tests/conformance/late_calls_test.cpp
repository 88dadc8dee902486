// SPDX-License-Identifier: MPL-2.0
// Calls after the library's own destructors of the thread. They come from atexit handlers, and from
// destructors of statics and of thread-local objects that are older than the library's.
#include <future>

#include <sys/eventfd.h>

#include "rig.hpp"

namespace zlink::conformance {

namespace {

// Calls a function when the thread's older thread-local objects are destroyed.
struct last_word {
    std::function<void()> call;
    ~last_word() {
        if (call)
            call();
    }
};

// Runs `call` as the last thing of a new thread, after the library's destructors there.
std::thread run_late(std::function<void()> call) {
    return std::thread([call = std::move(call)]() mutable {
        thread_local last_word late; // made before all that the library has in this thread
        late.call = std::move(call);
        const int raised = ::eventfd(1, EFD_CLOEXEC);
        zmq_pollitem_t items[2] = {{nullptr, raised, ZMQ_POLLIN, 0}, {nullptr, raised, ZMQ_POLLPRI, 0}};
        EXPECT_EQ(zmq_poll(items, 1, 0), 1);
        EXPECT_EQ(zmq_poll(items + 1, 1, 1), 0) << "it slept";
        ::close(raised);
    });
}

} // namespace

TEST(late_calls, poll_works_with_descriptors_and_sockets) {
    context owner;
    socket from(owner, ZMQ_PUSH);
    socket to(owner, ZMQ_PULL);
    ASSERT_EQ(to.bind("inproc://late"), 0);
    ASSERT_EQ(from.connect("inproc://late"), 0);
    ASSERT_EQ(from.send("here"), 0);
    run_late([&] {
        for (int round = 0; round < 3; ++round) {
            std::vector<int> raised;
            std::vector<zmq_pollitem_t> items{{to.handle(), 0, ZMQ_POLLIN, 0}};
            for (int count = 0; count < 100; ++count) {
                raised.push_back(::eventfd(1, EFD_CLOEXEC));
                items.push_back({nullptr, raised.back(), ZMQ_POLLIN, 0});
            }
            EXPECT_EQ(zmq_poll(items.data(), static_cast<int>(items.size()), patience_ms), 101);
            EXPECT_EQ(zmq_poll(nullptr, 0, 1), 0);
            for (const int one : raised)
                ::close(one);
        }
        EXPECT_EQ(to.receive(), "here");
    }).join();
}

TEST(late_calls, a_thread_sleeps_in_a_place_of_its_own) {
    context owner;
    socket to_late(owner, ZMQ_PUSH);
    socket late(owner, ZMQ_PULL);
    socket to_young(owner, ZMQ_PUSH);
    socket young(owner, ZMQ_PULL);
    ASSERT_EQ(late.bind("inproc://late"), 0);
    ASSERT_EQ(to_late.connect("inproc://late"), 0);
    ASSERT_EQ(young.bind("inproc://young"), 0);
    ASSERT_EQ(to_young.connect("inproc://young"), 0);
    std::promise<void> destroyed;
    std::promise<void> slept;
    std::thread ending = run_late([&] {
        destroyed.set_value();
        slept.get_future().wait(); // the other thread has taken what this one gave back
        EXPECT_EQ(late.receive(), "late");
    });
    destroyed.get_future().wait();
    std::thread fresh([&] {
        zmq_poll(nullptr, 0, 1);
        slept.set_value();
        EXPECT_EQ(young.receive(), "young");
    });
    zmq_poll(nullptr, 0, quiet_ms); // both sleep
    EXPECT_EQ(to_young.send("young"), 0);
    fresh.join();
    zmq_poll(nullptr, 0, quiet_ms);
    EXPECT_EQ(to_late.send("late"), 0);
    ending.join();
}

} // namespace zlink::conformance
