// SPDX-License-Identifier: MPL-2.0
#include "common/report.hpp"

#include "common/clock.hpp"

#include <cstdio>

namespace bench {

void report(const settings &wanted, std::string_view pattern, std::string_view metric, double value) {
    const int digits = metric == "throughput" ? 1 : 4;
    std::printf("RESULT,%s,%.*s,%s,%zu,%.*s,%.*f\n", wanted.label.c_str(), static_cast<int>(pattern.size()),
                pattern.data(), wanted.transport_name.c_str(), wanted.size_bytes,
                static_cast<int>(metric.size()), metric.data(), digits, value);
    std::fflush(stdout);
}

void report_library(std::string_view label, std::string_view file, std::string_view version,
                    std::string_view sha256) {
    std::printf("LIBRARY,%.*s,%.*s,%.*s,%.*s\n", static_cast<int>(label.size()), label.data(),
                static_cast<int>(file.size()), file.data(), static_cast<int>(version.size()), version.data(),
                static_cast<int>(sha256.size()), sha256.data());
    std::fflush(stdout);
}

void report_clock(std::string_view label) {
    std::fprintf(stderr, "CLOCK,%.*s,%lld\n", static_cast<int>(label.size()), label.data(),
                 static_cast<long long>(clock_step_ns()));
}

void warn_if_short(const settings &wanted, std::string_view pattern, std::string_view metric,
                   std::int64_t took_ns) {
    // The interval includes one wakeup of the receiver, which can take 0.1 ms: a tenth of this.
    constexpr std::int64_t shortest_ns = ns_per_ms;
    if (took_ns >= shortest_ns)
        return;
    std::fprintf(stderr,
                 "WARNING,%s,%.*s,%s,%zu,%.*s,%.3f ms is too short for the clock: send more messages\n",
                 wanted.label.c_str(), static_cast<int>(pattern.size()), pattern.data(),
                 wanted.transport_name.c_str(), wanted.size_bytes, static_cast<int>(metric.size()),
                 metric.data(), static_cast<double>(took_ns) / 1e6);
}

} // namespace bench
