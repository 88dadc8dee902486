// SPDX-License-Identifier: MPL-2.0
// brief_yield: sched_yield(2) for a thread that expects another thread of the process to be ready to run.
// While other programs compute it does nothing: a yield then lasts for their time slice, which is some
// milliseconds. A thread that sleeps instead is woken within microseconds, since the system prefers it.
//
// Threads: any. The state is the process's: atomics with relaxed order, whose loss costs a yield.
#pragma once

#include <atomic>
#include <cstdint>

namespace zlink {

// Decides which yields are left out. Units: nanoseconds; times of a clock that may be coarse.
class yield_limits {
  public:
    // Returns true if a yield at this time is to be left out.
    [[nodiscard]] bool leaves_out(std::int64_t now) const noexcept {
        return now < left_out_until_.load(std::memory_order_relaxed);
    }
    // Returns true if the next yield is to be measured, see measured().
    [[nodiscard]] bool measures() const noexcept { return to_measure_.load(std::memory_order_relaxed) > 0; }
    // A yield took long enough for the coarse clock to move, which happens to a short one by chance.
    void suspect() noexcept { to_measure_.store(measured_in_a_row, std::memory_order_relaxed); }
    // A yield took so long. The threads of the process had so much processor time meanwhile.
    void measured(std::int64_t took, std::int64_t of_process, std::int64_t now) noexcept;

    static constexpr std::int64_t long_yield = 500'000;
    static constexpr std::int64_t shortest_pause = 128'000'000; // costs 3 % at most, if a time slice is 4 ms
    static constexpr std::int64_t longest_pause = 2'048'000'000;
    static constexpr int measured_in_a_row = 4;

  private:
    std::atomic<std::int64_t> left_out_until_{0};
    std::atomic<std::int64_t> pause_{shortest_pause};
    std::atomic<int> to_measure_{measured_in_a_row};
};

void brief_yield() noexcept;

} // namespace zlink
