// SPDX-License-Identifier: MPL-2.0
// The clock of timeouts: monotonic milliseconds. Any thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace zlink::runtime {

using time_ms = std::int64_t;
inline constexpr time_ms never = std::numeric_limits<time_ms>::max();

inline time_ms now_ms() noexcept {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

// The moment at which a timeout is over; negative, or beyond the end of time: never.
inline time_ms deadline_after(std::int64_t timeout_ms) noexcept {
    if (timeout_ms < 0) // and spares the look at the clock
        return never;
    const time_ms now = now_ms();
    return now + std::min<std::int64_t>(timeout_ms, never - now);
}

} // namespace zlink::runtime
