// SPDX-License-Identifier: MPL-2.0
#include "common/report.hpp"

#include <cstdio>

namespace bench {

void report(const settings &wanted, std::string_view pattern, std::string_view metric, double value) {
    const int digits = metric == "throughput" ? 1 : 4;
    std::printf("RESULT,%s,%.*s,%s,%zu,%.*s,%.*f\n", wanted.label.c_str(), static_cast<int>(pattern.size()),
                pattern.data(), wanted.transport_name.c_str(), wanted.size_bytes,
                static_cast<int>(metric.size()), metric.data(), digits, value);
    std::fflush(stdout);
}

void report_library(std::string_view label, std::string_view file, std::string_view version) {
    std::fprintf(stderr, "LIBRARY,%.*s,%.*s,%.*s\n", static_cast<int>(label.size()), label.data(),
                 static_cast<int>(file.size()), file.data(), static_cast<int>(version.size()),
                 version.data());
}

} // namespace bench
