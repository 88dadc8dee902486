// SPDX-License-Identifier: MPL-2.0
#include "base/brief_yield.hpp"

#include <algorithm>
#include <ctime>
#include <sched.h>

namespace zlink {
namespace {

constinit yield_limits limits;

std::int64_t time_of(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

[[gnu::cold, gnu::noinline]] void measured_yield() noexcept {
    const std::int64_t before = time_of(CLOCK_MONOTONIC);
    const std::int64_t process_before = time_of(CLOCK_PROCESS_CPUTIME_ID);
    sched_yield();
    const std::int64_t took = time_of(CLOCK_MONOTONIC) - before;
    const std::int64_t of_process = time_of(CLOCK_PROCESS_CPUTIME_ID) - process_before;
    limits.measured(took, of_process, time_of(CLOCK_MONOTONIC_COARSE));
}

} // namespace

// If another thread of the process ran for most of the time, it was well spent.
void yield_limits::measured(std::int64_t took, std::int64_t of_process, std::int64_t now) noexcept {
    if (took < long_yield || of_process * 4 >= took * 3) {
        to_measure_.fetch_sub(1, std::memory_order_relaxed);
        pause_.store(shortest_pause, std::memory_order_relaxed);
        return;
    }
    const std::int64_t pause = pause_.load(std::memory_order_relaxed);
    left_out_until_.store(now + pause, std::memory_order_relaxed);
    pause_.store(std::min(pause * 2, longest_pause), std::memory_order_relaxed);
    suspect();
}

void brief_yield() noexcept {
    const std::int64_t before = time_of(CLOCK_MONOTONIC_COARSE);
    if (limits.leaves_out(before))
        return;
    if (limits.measures()) [[unlikely]]
        return measured_yield();
    sched_yield();
    if (time_of(CLOCK_MONOTONIC_COARSE) != before) [[unlikely]]
        limits.suspect();
}

} // namespace zlink
