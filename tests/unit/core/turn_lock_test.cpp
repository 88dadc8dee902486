// SPDX-License-Identifier: MPL-2.0
#include "core/turn_lock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace zlink::core {
namespace {

template <class Work> void in_threads(int count, Work work) {
    std::vector<std::thread> all;
    for (int index = 0; index < count; ++index)
        all.emplace_back(work);
    for (std::thread &one : all)
        one.join();
}

class TurnLock : public testing::Test {
  protected:
    static void SetUpTestSuite() { enable_asymmetric_fence(); }
    turn_lock lock;
};

TEST_F(TurnLock, OneThreadAtATimeIsIn) {
    std::uint64_t count = 0; // no atomic: the lock is what is tested
    constexpr std::uint64_t each = 200'000;
    in_threads(4, [&] {
        for (std::uint64_t number = 0; number < each; ++number) {
            ASSERT_TRUE(lock.enter());
            ++count;
            lock.leave();
        }
    });
    EXPECT_EQ(count, 4 * each);
}

// Sleepers are woken: every wait is long enough for a sleep.
TEST_F(TurnLock, WhoeverSleepsIsWoken) {
    int turns = 0;
    in_threads(4, [&] {
        for (int number = 0; number < 100; ++number) {
            ASSERT_TRUE(lock.enter());
            ++turns;
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            lock.leave();
        }
    });
    EXPECT_EQ(turns, 400);
}

// One thread gets the bias again and again, and the others revoke it.
TEST_F(TurnLock, TheBiasedThreadAndOthersAreNeverInTogether) {
    std::uint64_t count = 0;
    constexpr std::uint64_t each = 100'000;
    std::atomic<bool> over = false;
    std::thread background([&] {
        std::uint64_t turns = 0;
        while (!over || turns == 0) {
            if (lock.try_enter()) {
                ++count;
                ++turns;
                lock.leave();
            }
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
        ASSERT_TRUE(lock.enter());
        count -= turns;
        lock.leave();
    });
    in_threads(3, [&] {
        for (std::uint64_t number = 0; number < each; ++number) {
            ASSERT_TRUE(lock.enter());
            ++count;
            lock.leave();
            if (number % 5000 == 0)
                std::this_thread::sleep_for(std::chrono::milliseconds(1)); // the others come in
        }
    });
    over = true;
    background.join();
    EXPECT_EQ(count, 3 * each);
}

TEST_F(TurnLock, TheBiasedThreadCanCloseIt) {
    for (int number = 0; number < 1000; ++number) {
        ASSERT_TRUE(lock.enter());
        lock.leave();
    }
    ASSERT_TRUE(lock.enter());
    lock.close();
    EXPECT_FALSE(lock.enter());
    std::thread([this] { EXPECT_FALSE(lock.enter()); }).join();
}

TEST_F(TurnLock, TryEnterDoesNotWait) {
    EXPECT_TRUE(lock.try_enter());
    std::thread([this] { EXPECT_FALSE(lock.try_enter()); }).join();
    lock.leave();
    EXPECT_TRUE(lock.try_enter());
}

TEST_F(TurnLock, NobodyEntersAfterTheClose) {
    ASSERT_TRUE(lock.enter());
    std::vector<std::thread> waiting;
    std::atomic<int> begun = 0, refused = 0;
    for (int index = 0; index < 3; ++index)
        waiting.emplace_back([&] {
            ++begun;
            refused += lock.enter() ? 0 : 1;
        });
    while (begun != 3)
        std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20)); // they sleep by now
    lock.close();
    for (std::thread &one : waiting)
        one.join();
    EXPECT_EQ(refused, 3);
    EXPECT_FALSE(lock.enter());
    EXPECT_FALSE(lock.try_enter());
}

TEST_F(TurnLock, LetsAWaitingThreadIn) {
    ASSERT_TRUE(lock.enter());
    lock.let_others_in(); // there is none
    std::atomic<bool> was_in = false;
    std::atomic<bool> begun = false;
    std::thread other([&] {
        begun = true;
        ASSERT_TRUE(lock.enter());
        was_in = true;
        lock.leave();
    });
    while (!begun)
        std::this_thread::yield();
    while (!was_in)
        lock.let_others_in();
    lock.leave();
    other.join();
}

TEST_F(TurnLock, AForkedChildHasItAgain) {
    ASSERT_TRUE(lock.enter());
    lock.reset();
    EXPECT_TRUE(lock.enter());
}

} // namespace
} // namespace zlink::core
