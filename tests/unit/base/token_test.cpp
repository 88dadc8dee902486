// SPDX-License-Identifier: MPL-2.0
#include "base/token.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

namespace zlink {
namespace {

TEST(Token, IsOneThreads) {
    token lock;
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

// Whoever finds it taken sleeps, and is woken; nothing of what is done under it is lost.
TEST(Token, ThreadsWaitForEachOther) {
    constexpr int rounds = 20'000;
    token lock;
    int count = 0; // guarded
    std::array<std::thread, 4> threads;
    for (std::thread &thread : threads)
        thread = std::thread([&] {
            for (int round = 0; round < rounds; ++round) {
                const std::lock_guard held(lock);
                ++count;
                if (round % 64 == 0)
                    std::this_thread::yield(); // others find it taken
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(count, rounds * static_cast<int>(threads.size()));
}

TEST(Token, OneThatSleepsIsWoken) {
    token lock;
    lock.lock();
    std::thread waiting([&] {
        lock.lock();
        lock.unlock();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    lock.unlock();
    waiting.join();
}

} // namespace
} // namespace zlink
