// SPDX-License-Identifier: MPL-2.0
#include "base/lasting.hpp"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace zlink {
namespace {

std::atomic<int> objects{0};
struct counted {
    counted() { ++objects; }
    ~counted() { --objects; }
};

TEST(lasting, threads_that_come_at_once_get_one_object) {
    std::vector<counted *> found(8);
    std::vector<std::thread> threads;
    for (auto &one : found)
        threads.emplace_back([&one] { one = &lasting<counted>(); });
    for (auto &one : threads)
        one.join();
    for (const counted *one : found)
        EXPECT_EQ(one, found[0]);
    EXPECT_EQ(objects, 1);
}

std::atomic<bool> has_begun{false};
std::atomic<bool> may_end{false};
struct slow {
    slow() {
        has_begun = true;
        while (!may_end)
            std::this_thread::yield();
    }
};

// A lock that the thread held would stay locked in the child.
TEST(lasting, a_child_makes_its_own_while_a_thread_of_the_parent_is_at_it) {
    std::thread other([] { (void)lasting<slow>(); });
    while (!has_begun)
        std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0) {
        ::alarm(20); // ends a child that waits
        may_end = true;
        (void)lasting<slow>();
        ::_exit(0);
    }
    may_end = true;
    other.join();
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

} // namespace
} // namespace zlink
