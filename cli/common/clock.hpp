// SPDX-License-Identifier: MPL-2.0
// Times of CLOCK_MONOTONIC, which all processes of a machine share.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace cli {

using clock = std::chrono::steady_clock;

inline std::uint64_t now_ns() {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now().time_since_epoch()).count());
}

// Thirty years at most, so that sums do not overflow.
inline std::uint64_t seconds_to_ns(double seconds) {
    return static_cast<std::uint64_t>(std::min(seconds, 1e9) * 1e9);
}

// For zmq_poll: milliseconds until `then`, rounded up, at most a day; 0 if it is over, -1 if there is no such
// time (0).
inline long until_ms(std::uint64_t then_ns, std::uint64_t now) {
    if (then_ns == 0)
        return -1;
    constexpr std::uint64_t day_ms = 86'400'000;
    return then_ns <= now
               ? 0
               : static_cast<long>(std::min<std::uint64_t>((then_ns - now + 999'999) / 1'000'000, day_ms));
}

} // namespace cli
