// SPDX-License-Identifier: MPL-2.0
// log_rate: how many lines of the log a second may have, for each kind of event. Whoever can make connections
// fail can make lines: they are bounded, and those that are left out are counted.
//
// Threads: any. Units: seconds of a clock that does not go back.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace zlink::connections {

class log_rate {
  public:
    static constexpr std::size_t kinds = 16;
    static constexpr std::uint64_t most_per_second = 100;

    // Is there a line for another event of that kind? If not, it counts as left out.
    [[nodiscard]] bool admits(std::size_t kind, std::uint64_t second) noexcept {
        std::atomic<std::uint64_t> &window = windows_[kind];
        std::uint64_t old = window.load(std::memory_order_relaxed);
        for (;;) {
            const bool same = old / scale == second;
            if (same && old % scale >= most_per_second) {
                leave_out(1);
                return false;
            }
            const std::uint64_t fresh = same ? old + 1 : second * scale + 1;
            if (window.compare_exchange_weak(old, fresh, std::memory_order_relaxed))
                return true;
        }
    }
    // For a line that could not be written.
    void leave_out(std::uint64_t lines) noexcept { left_out_.fetch_add(lines, std::memory_order_relaxed); }
    // How many lines were left out since it was said; at most once a second.
    [[nodiscard]] std::uint64_t take_left_out(std::uint64_t second) noexcept {
        if (left_out_.load(std::memory_order_relaxed) == 0 ||
            said_at_.exchange(second, std::memory_order_relaxed) == second)
            return 0;
        return left_out_.exchange(0, std::memory_order_relaxed);
    }

  private:
    static constexpr std::uint64_t scale = 1024; // of the second, beside a count
    static_assert(most_per_second < scale);

    std::array<std::atomic<std::uint64_t>, kinds> windows_{};
    std::atomic<std::uint64_t> left_out_{0};
    std::atomic<std::uint64_t> said_at_{~std::uint64_t{0}};
};

} // namespace zlink::connections
