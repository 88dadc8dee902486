// SPDX-License-Identifier: MPL-2.0
// mutex: a lock (BasicLockable, Lockable) that is nearly always free: to take it and to give it back is one
// instruction each and no call, where std::mutex calls the C library for both, four times for a message.
//
// Threads: any. A thread that finds it taken looks again, yields at most four times, and then sleeps
// (futex(2)). More yields are harmful: on a loaded machine the scheduler lets a thread that yields again and
// again wait for seconds. Order: lock() acquires what unlock() released.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink {

class small_mutex {
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
    // Gives it back. A thread that waits for it takes it before this call returns, or up to a millisecond
    // later. For a thread that would take it again at once, again and again.
    void unlock_to_waiter() noexcept {
        if (state_.exchange(unowned, std::memory_order_seq_cst) == awaited) [[unlikely]]
            let_waiter_in();
    }

  private:
    enum state : std::uint32_t { unowned, owned, awaited };

    void lock_later() noexcept;
    void wake_one() noexcept;
    void let_waiter_in() noexcept;

    std::atomic<std::uint32_t> state_{unowned};
};

} // namespace zlink
