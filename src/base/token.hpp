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
            state_.notify_one();
    }
    // Gives it back. A thread that waits for it takes it before this call returns, or up to `most_patience`
    // later. For a thread that would take it again at once, again and again.
    void unlock_to_waiter() noexcept {
        if (state_.exchange(unowned, std::memory_order_seq_cst) == awaited) [[unlikely]]
            let_waiter_in();
    }

  private:
    static constexpr std::chrono::milliseconds most_patience{1};
    enum state : std::uint32_t { unowned, owned, awaited };

    // Whoever had to wait leaves it `awaited`: there may be others.
    [[gnu::noinline, gnu::cold]] void lock_later() noexcept {
        while (state_.exchange(awaited, std::memory_order_acquire) != unowned)
            state_.wait(awaited, std::memory_order_relaxed);
    }

    [[gnu::noinline, gnu::cold]] void let_waiter_in() noexcept {
        state_.notify_one();
        const auto enough = std::chrono::steady_clock::now() + most_patience;
        while (state_.load(std::memory_order_relaxed) == unowned && std::chrono::steady_clock::now() < enough)
            std::this_thread::yield(); // and no sleep, which would be a point of cancellation
    }

    std::atomic<std::uint32_t> state_{unowned};
};

} // namespace zlink
