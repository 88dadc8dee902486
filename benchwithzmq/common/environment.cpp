// SPDX-License-Identifier: MPL-2.0
#include "common/environment.hpp"

#include "common/fail.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace bench {
namespace {

constexpr std::array<std::string_view, 18> known_names{
    "BENCH_BODY_OFFSET",   "BENCH_BUSY_MEMORY",  "BENCH_DEBUG",      "BENCH_HOLD_MEMORY_MIB",
    "BENCH_HWM",           "BENCH_IO_THREADS",   "BENCH_LAT_COUNT",  "BENCH_MECHANISM",
    "BENCH_MSG_COUNT",     "BENCH_MSG_SIZES",    "BENCH_NO_TASKSET", "BENCH_PEER_LIBRARY",
    "BENCH_RCVBUF",        "BENCH_RUN_MS",       "BENCH_SNDBUF",     "BENCH_TRANSPORTS",
    "BENCH_TWO_PROCESSES", "BENCH_WARMUP_COUNT",
};

// Returns the Levenshtein distance: how many letters have to be put in, taken out or replaced.
std::size_t edit_distance(std::string_view one, std::string_view other) {
    std::vector<std::size_t> row(other.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < one.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < other.size(); ++j) {
            const std::size_t replaced = diagonal + (one[i] == other[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string_view nearest_to(std::string_view name) {
    return *std::min_element(known_names.begin(), known_names.end(),
                             [name](std::string_view one, std::string_view other) {
                                 return edit_distance(name, one) < edit_distance(name, other);
                             });
}

} // namespace

void refuse_unknown_environment() {
    for (char **entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string name(text.substr(0, text.find('=')));
        if (!name.starts_with("BENCH_") ||
            std::find(known_names.begin(), known_names.end(), name) != known_names.end())
            continue;
        fail("there is no setting %s; did you mean %s?", name.c_str(), std::string(nearest_to(name)).c_str());
    }
}

} // namespace bench
