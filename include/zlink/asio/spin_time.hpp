// SPDX-License-Identifier: MPL-2.0
// spin_time: for how long a wait looks again and again before it sleeps.
//
// - Rule. A spin without success halves the next one: a loaded machine has better use for the time. At last
//   only every 2nd, 4th, and finally 64th wait spins, for the whole time. After a success a spin may take
//   twice as long as that one did.
// - Threads. One at a time.
#pragma once

#include <algorithm>
#include <chrono>

#include "zlink/asio/config.hpp"

namespace zlink::asio {
inline namespace ZLINK_ASIO_FLAVOUR {
namespace detail {

class spin_time {
  public:
    using time = std::chrono::nanoseconds;

    explicit spin_time(time most = time(0)) noexcept : most_(most), next_(most) {}

    // Returns how long the next wait spins. 0: it does not.
    [[nodiscard]] time next() noexcept {
        if (next_ >= shortest || most_.count() == 0)
            return next_;
        if (++skipped_ < skips_)
            return time(0);
        skipped_ = 0;
        return most_;
    }
    void lost() noexcept {
        next_ /= 2;
        if (next_ < shortest)
            skips_ = std::min(2 * skips_, most_skips);
    }
    void won(time waited) noexcept {
        next_ = std::min(std::max(2 * waited, least_won), most_);
        skips_ = 1;
    }

  private:
    static constexpr time shortest = std::chrono::microseconds(4);
    static constexpr time least_won = std::chrono::microseconds(16); // answers take longer now and then
    static constexpr int most_skips = 64;

    time most_;
    time next_;
    int skipped_ = 0; // waits since the last spin
    int skips_ = 1;
};

} // namespace detail
} // namespace ZLINK_ASIO_FLAVOUR
} // namespace zlink::asio
