// SPDX-License-Identifier: MPL-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <iterator>

namespace bench::scale {

// The time, in microseconds, that a part (0.5: half) of the sorted times, in nanoseconds, does not exceed.
template <class Times> [[nodiscard]] double percentile_us(const Times &sorted_ns, double part) {
    const double rank = std::ceil(part * static_cast<double>(std::size(sorted_ns)));
    return static_cast<double>(sorted_ns[static_cast<std::size_t>(rank) - 1]) / 1e3;
}

} // namespace bench::scale
