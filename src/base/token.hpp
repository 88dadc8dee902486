// SPDX-License-Identifier: MPL-2.0
// token: a lock (BasicLockable, Lockable) that is nearly always free: to take it and to give it back is one
// instruction each and no call, where std::mutex calls the C library for both, four times for a message.
//
// Threads: any. Who finds it taken sleeps (std::atomic::wait). Order: what was done under it before is seen;
// unlock() is seq_cst, so that notify_one() does not look for sleepers before the lock is seen to be free.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace zlink {

class token {
  public:
    [[nodiscard]] bool try_lock() noexcept {
        std::uint32_t found = unowned;
        return state_.compare_exchange_strong(found, owned, std::memory_order_acquire,
                                              std::memory_order_relaxed);
    }
    void lock() noexcept {
        if (!try_lock()) [[unlikely]]
            lock_later();
    }
    void unlock() noexcept {
        if (state_.exchange(unowned, std::memory_order_seq_cst) == awaited) [[unlikely]]
            wake_one();
    }

  private:
    static constexpr std::chrono::milliseconds most_patience{10};
    enum state : std::uint32_t { unowned, owned, awaited };

    // Whoever had to wait leaves it `awaited`: there may be others. A thread that was woken twice without
    // success starves: another thread takes the token again and again.
    [[gnu::noinline, gnu::cold]] void lock_later() noexcept {
        int wakes = 0;
        while (state_.exchange(awaited, std::memory_order_acquire) != unowned) {
            if (++wakes == 3)
                starving_.fetch_add(1, std::memory_order_relaxed);
            state_.wait(awaited, std::memory_order_relaxed);
        }
        if (wakes >= 3)
            starving_.fetch_sub(1, std::memory_order_relaxed);
    }
    // A thread that starves has the token before the calling thread goes on, unless it does not run for so
    // long.
    [[gnu::noinline, gnu::cold]] void wake_one() noexcept {
        state_.notify_one();
        if (starving_.load(std::memory_order_relaxed) == 0) [[likely]]
            return;
        const auto enough = std::chrono::steady_clock::now() + most_patience;
        while (state_.load(std::memory_order_relaxed) == unowned && std::chrono::steady_clock::now() < enough)
            std::this_thread::yield(); // and no sleep, which would be a point of cancellation
    }

    std::atomic<std::uint32_t> state_{unowned};
    std::atomic<std::uint32_t> starving_{0}; // threads; a hint
};

} // namespace zlink
