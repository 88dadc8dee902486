// SPDX-License-Identifier: MPL-2.0
// The lines a benchmark program prints.
//
//   stdout: RESULT,<library>,<PATTERN>,<transport>,<size>,<metric>,<value>
//           metric: throughput (messages/s; REQREP: round trips/s), latency (median, us), latency_p99 (us)
//   stderr: LIBRARY,<library>,<file>,<version>
#pragma once

#include "common/settings.hpp"

#include <string_view>

namespace bench {

void report(const settings &wanted, std::string_view pattern, std::string_view metric, double value);
void report_library(std::string_view label, std::string_view file, std::string_view version);

} // namespace bench
