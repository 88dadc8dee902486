// SPDX-License-Identifier: MPL-2.0
#include "common/clock.hpp"

#include <algorithm>
#include <array>

namespace bench {
namespace {

using differences = std::array<std::int64_t, 1001>;

differences differences_of_readings() {
    differences taken{};
    std::int64_t before = now_ns();
    for (std::int64_t &difference : taken) {
        const std::int64_t after = now_ns();
        difference = after - before;
        before = after;
    }
    std::sort(taken.begin(), taken.end());
    return taken;
}

} // namespace

std::int64_t clock_cost_ns() {
    return differences_of_readings()[differences{}.size() / 2];
}

std::int64_t clock_step_ns() {
    const differences sorted = differences_of_readings();
    const auto *const smallest = std::upper_bound(sorted.begin(), sorted.end(), 0);
    const std::int64_t cost_ns = sorted[sorted.size() / 2];
    return smallest == sorted.end() ? cost_ns : std::max(*smallest, cost_ns);
}

void sleep_us(int microseconds) {
    timespec time{microseconds / 1'000'000, (microseconds % 1'000'000) * 1000L};
    nanosleep(&time, nullptr);
}

void sleep_ms(int milliseconds) {
    sleep_us(milliseconds * 1000);
}

} // namespace bench
