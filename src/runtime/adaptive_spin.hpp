// SPDX-License-Identifier: MPL-2.0
// adaptive spin: a look at what a thread waits for, over and over, before it sleeps: a wakeup takes longer
// than most answers.
//
// Threads: one at a time, as its owner. It adapts: a spin that ended in vain makes the next one shorter,
// until there is none but a try every 2, 4, 8 and at last every 64 sleeps; with one processor there is never
// any. Two that answer each other are soon at it again after one of them was held up, and those that have no
// dialogue lose little. Units: microseconds.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace zlink::runtime {

class adaptive_spin {
  public:
    // Looks until `arrived` says so or the time is over. Returns what it said last. `look_closely` comes
    // before some of the looks: it costs a system call.
    template <class Arrived, class LookClosely> bool spin(Arrived &&arrived, LookClosely &&look_closely) {
        const std::uint32_t limit_us = next_limit();
        if (limit_us == 0)
            return false;
        const auto begin = std::chrono::steady_clock::now();
        const auto end = begin + std::chrono::microseconds(limit_us);
        std::uint32_t looks = 0;
        for (auto now = begin; now < end; now = std::chrono::steady_clock::now()) {
            if (++looks % looks_between == 0)
                look_closely();
            if (arrived()) {
                won(now - begin);
                return true;
            }
        }
        lost();
        return false;
    }

  private:
    static constexpr std::uint32_t longest_us = 40;
    static constexpr std::uint32_t least_won_us = 16; // answers take longer now and then
    static constexpr std::uint32_t shortest_us = 4;
    static constexpr std::uint32_t looks_between = 16; // about half a microsecond
    static constexpr std::uint32_t most_pauses = 64;   // sleeps without a look, when looking is in vain

    // The time that ZLINK_SPIN_US sets; negative: adaptive; 0 with one processor.
    static std::int64_t fixed_us() noexcept;

    std::uint32_t next_limit() noexcept {
        static const std::int64_t fixed = fixed_us();
        if (fixed >= 0)
            return static_cast<std::uint32_t>(fixed);
        if (limit_us_ >= shortest_us)
            return limit_us_;
        if (++paused_ < pauses_)
            return 0;
        paused_ = 0;
        limit_us_ = shortest_us;
        return longest_us;
    }
    void lost() noexcept {
        limit_us_ /= 2;
        if (limit_us_ < shortest_us)
            pauses_ = std::min(pauses_ * 2, most_pauses);
    }
    // The next one may take twice as long as this one did.
    void won(std::chrono::steady_clock::duration waited) noexcept {
        const auto waited_us = std::chrono::duration_cast<std::chrono::microseconds>(waited).count();
        limit_us_ = std::clamp(static_cast<std::uint32_t>(waited_us) * 2, least_won_us, longest_us);
        pauses_ = 1;
    }

    std::uint32_t limit_us_ = longest_us;
    std::uint32_t paused_ = 0;
    std::uint32_t pauses_ = 1;
};

} // namespace zlink::runtime
