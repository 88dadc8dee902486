// SPDX-License-Identifier: MPL-2.0
// The monotonic clock in nanoseconds, the cost of reading it, and its step.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <ctime>

namespace bench {

[[nodiscard]] inline std::int64_t now_ns() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline constexpr std::int64_t ns_per_ms = 1'000'000;

// The median time of one now_ns() call; subtracted from measurements that consist of little else.
[[nodiscard]] std::int64_t clock_cost_ns();

// Returns the least time that can be told apart: the smallest difference between two readings, or the cost of
// a reading if that is more.
[[nodiscard]] std::int64_t clock_step_ns();

void sleep_us(int microseconds);
void sleep_ms(int milliseconds);

} // namespace bench
