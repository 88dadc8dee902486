// SPDX-License-Identifier: MPL-2.0
// Want of memory while endpoints are made: every allocation of a call fails in turn. The call then has done
// nothing: the same call works afterwards, messages pass, and the context ends.
#include <gtest/gtest.h>
#include <zmq.h>

#include <cerrno>
#include <cstdlib>
#include <new>
#include <string>
#include <unistd.h>

// The sanitizers bring their own operators.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
// So many of this thread's allocations succeed before one fails; negative: all.
thread_local long before_failure = -1;
} // namespace

[[gnu::noinline]] void *operator new(std::size_t size) {
    if (before_failure >= 0 && before_failure-- == 0)
        throw std::bad_alloc();
    if (void *memory = std::malloc(size != 0 ? size : 1))
        return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void *memory, std::size_t) noexcept {
    std::free(memory);
}

namespace {

constexpr int most_allocations = 200;

// Calls until no allocation of the call fails any more; the last call succeeds. After a failure there must be
// nothing that `undo` could undo.
template <class Call, class Undo> void with_failures(Call &&call, Undo &&undo) {
    for (int allocation = 0; allocation < most_allocations; ++allocation) {
        before_failure = allocation;
        const int code = call();
        const int error = errno;
        const bool failed = before_failure < 0;
        before_failure = -1;
        if (code == 0)
            return;
        ASSERT_TRUE(failed);
        ASSERT_EQ(error, ENOMEM) << zmq_strerror(error);
        ASSERT_EQ(undo(), -1) << allocation;
    }
    FAIL() << "the call allocates without end";
}

class NoMemory : public testing::TestWithParam<const char *> {
  protected:
    void TearDown() override {
        zmq_close(push_);
        zmq_close(pull_);
        EXPECT_EQ(zmq_ctx_term(context_), 0);
    }
    // This message comes next: no other pipe took one.
    void expect_passing() {
        for (const char body : {'a', 'b', 'c'}) {
            char received = 0;
            ASSERT_EQ(zmq_send(push_, &body, 1, 0), 1);
            ASSERT_EQ(zmq_recv(pull_, &received, 1, 0), 1);
            EXPECT_EQ(received, body);
        }
    }

    const std::string endpoint_ = GetParam() + std::to_string(getpid());
    void *context_ = zmq_ctx_new();
    void *push_ = zmq_socket(context_, ZMQ_PUSH);
    void *pull_ = zmq_socket(context_, ZMQ_PULL);
};

TEST_P(NoMemory, BindThatFailedDidNothing) {
    with_failures([&] { return zmq_bind(pull_, endpoint_.c_str()); },
                  [&] { return zmq_unbind(pull_, endpoint_.c_str()); });
    ASSERT_EQ(zmq_connect(push_, endpoint_.c_str()), 0);
    expect_passing();
}

TEST_P(NoMemory, ConnectThatFailedDidNothing) {
    ASSERT_EQ(zmq_bind(pull_, endpoint_.c_str()), 0);
    with_failures([&] { return zmq_connect(push_, endpoint_.c_str()); },
                  [&] { return zmq_disconnect(push_, endpoint_.c_str()); });
    expect_passing();
}

INSTANTIATE_TEST_SUITE_P(Transports, NoMemory, testing::Values("inproc://no-memory-", "ipc://@no-memory-"),
                         [](const auto &tested) { return std::string(tested.param).substr(0, 3); });

} // namespace

#endif
