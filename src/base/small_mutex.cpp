// SPDX-License-Identifier: MPL-2.0
#include "base/small_mutex.hpp"

#include <chrono>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "base/brief_yield.hpp"

namespace zlink {
namespace {
constexpr int most_looks = 64;
constexpr int most_yields = 4;
} // namespace

// Most owners give the mutex back sooner than a sleep begins. A thread that had to sleep leaves it `awaited`:
// there may be others.
[[gnu::cold]] void small_mutex::lock_later() noexcept {
    for (int looks = 0; looks < most_looks + most_yields; ++looks) {
        if (state_.load(std::memory_order_relaxed) == unowned && try_lock())
            return;
        if (looks >= most_looks)
            brief_yield(); // the owner may be ready to run
    }
    while (state_.exchange(awaited, std::memory_order_acquire) != unowned)
        syscall(SYS_futex, &state_, FUTEX_WAIT_PRIVATE, awaited, nullptr, nullptr, 0);
}

[[gnu::cold]] void small_mutex::wake_one() noexcept {
    syscall(SYS_futex, &state_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

[[gnu::cold]] void small_mutex::let_waiter_in() noexcept {
    wake_one();
    const auto enough = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    while (state_.load(std::memory_order_relaxed) == unowned && std::chrono::steady_clock::now() < enough)
        std::this_thread::yield(); // and no sleep, which would be a point of cancellation
}

} // namespace zlink
