// SPDX-License-Identifier: MPL-2.0
#pragma once

#include "common/clock.hpp"

#include <cstdint>

namespace bench::scale {

// The time a receiver measures: from the end of its warm-up for run_ms.
class stopwatch {
  public:
    explicit stopwatch(std::int64_t run_ms)
        : run_ns_(run_ms * ns_per_ms), begin_(now_ns()), start_(begin_ + run_ns_ / 5) {}

    // Called now and then with the count so far; false when the time is over.
    bool goes_on(std::uint64_t count) {
        const std::int64_t now = now_ns();
        if (!measuring_ && now >= start_) {
            measuring_ = true;
            start_ = now;
            first_ = count;
        }
        last_ = count;
        end_ = now;
        return !measuring_ || now < start_ + run_ns_;
    }
    [[nodiscard]] double rate() const {
        return static_cast<double>(last_ - first_) * 1e9 / static_cast<double>(end_ - start_);
    }

  private:
    std::int64_t run_ns_;
    std::int64_t begin_;
    std::int64_t start_;
    std::int64_t end_ = 0;
    bool measuring_ = false;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;
};

} // namespace bench::scale
