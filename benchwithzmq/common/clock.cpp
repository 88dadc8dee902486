// SPDX-License-Identifier: MPL-2.0
#include "common/clock.hpp"

#include <algorithm>
#include <array>

namespace bench {

std::int64_t clock_cost_ns() {
    std::array<std::int64_t, 1001> costs{};
    std::int64_t before = now_ns();
    for (std::int64_t &cost : costs) {
        const std::int64_t after = now_ns();
        cost = after - before;
        before = after;
    }
    std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
    return costs[costs.size() / 2];
}

void sleep_ms(int milliseconds) {
    timespec time{milliseconds / 1000, (milliseconds % 1000) * ns_per_ms};
    nanosleep(&time, nullptr);
}

} // namespace bench
