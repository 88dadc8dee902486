// SPDX-License-Identifier: MPL-2.0
// The lines that a benchmark program prints.
//
//   stdout: LIBRARY,<library>,<file>,<version>,<SHA-256 of the file>
//           RESULT,<library>,<PATTERN>,<transport>,<size>,<metric>,<value>
//           metric: throughput (messages/s; REQREP: round trips/s), latency (median, us), latency_p99 (us)
//   stderr: CLOCK,<library>,<step of the clock in ns>
//           WARNING,<library>,<PATTERN>,<transport>,<size>,<metric>,<text without a comma>
#pragma once

#include "common/settings.hpp"

#include <cstdint>
#include <string_view>

namespace bench {

void report(const settings &wanted, std::string_view pattern, std::string_view metric, double value);
void report_library(std::string_view label, std::string_view file, std::string_view version,
                    std::string_view sha256);
void report_clock(std::string_view label);

// Warns when a rate comes from an interval that is too short for its clock.
void warn_if_short(const settings &wanted, std::string_view pattern, std::string_view metric,
                   std::int64_t took_ns);

} // namespace bench
