// SPDX-License-Identifier: MPL-2.0
#include "base/small_mutex.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>

namespace zlink {
namespace {

TEST(SmallMutex, IsOneThreads) {
    small_mutex lock;
    EXPECT_TRUE(lock.try_lock());
    EXPECT_FALSE(lock.try_lock());
    lock.unlock();
    EXPECT_TRUE(lock.try_lock());
    lock.unlock();
}

// Whoever finds it taken sleeps, and is woken; nothing of what is done under it is lost.
TEST(SmallMutex, ThreadsWaitForEachOther) {
    constexpr int rounds = 20'000;
    small_mutex lock;
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

TEST(SmallMutex, OneThatSleepsIsWoken) {
    small_mutex lock;
    lock.lock();
    std::thread waiting([&] {
        lock.lock();
        lock.unlock();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    lock.unlock();
    waiting.join();
}

// A thread works under the mutex, gives way to one that waits, and takes it again at once, again and again.
TEST(SmallMutex, OneThatWaitsGetsItsTurn) {
    constexpr int waits = 20;
    constexpr std::uint64_t few =
        1000; // turns of the other one, which otherwise has tens of thousands in one wait
    small_mutex lock;
    std::atomic<std::uint64_t> turns{0};
    std::atomic<bool> over{false};
    std::thread busy([&] {
        while (!over) {
            lock.lock();
            ++turns;
            const auto done = std::chrono::steady_clock::now() + std::chrono::microseconds(200);
            while (std::chrono::steady_clock::now() < done) {
            }
            lock.unlock_to_waiter();
        }
    });
    std::uint64_t most = 0;
    for (int wait = 0; wait < waits; ++wait) {
        for (const std::uint64_t before = turns; turns < before + 3;)
            std::this_thread::yield(); // the other one is at work
        const std::uint64_t before = turns;
        lock.lock();
        most = std::max(most, turns - before);
        lock.unlock();
    }
    over = true;
    busy.join();
    EXPECT_LE(most, few);
}

} // namespace
} // namespace zlink
