// SPDX-License-Identifier: MPL-2.0
#include "common/round_trips.hpp"

namespace bench {
namespace {

double half_trip_us(std::vector<std::int64_t> &trips_ns, std::size_t rank, std::int64_t cost_ns) {
    const auto place = trips_ns.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(trips_ns.begin(), place, trips_ns.end());
    return static_cast<double>(std::max<std::int64_t>(*place - cost_ns, 1)) / 2 / 1000;
}

} // namespace

void summarize_trips(std::vector<std::int64_t> trips_ns, meeting &shared) {
    const std::int64_t cost_ns = clock_cost_ns();
    const std::size_t count = trips_ns.size();
    shared.median_us = half_trip_us(trips_ns, count / 2, cost_ns);
    shared.p99_us = half_trip_us(trips_ns, std::min(count - 1, count * 99 / 100), cost_ns);
}

} // namespace bench
