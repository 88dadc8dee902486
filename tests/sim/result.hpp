// SPDX-License-Identifier: MPL-2.0
// The result of one run, in memory that it shares with the process that started it.
#pragma once

#include <array>
#include <cstdint>

namespace sim {

struct run_result {
    std::uint64_t trace_hash;
    std::uint64_t points;
    std::int64_t simulated_ns;
    std::int64_t connection_ns; // the lives of all connections together
    std::uint64_t messages;
    bool done;
    std::array<char, 400> finding; // empty: none
    std::array<char, 200> about;   // the scenario
};

// Where this process puts it; null in a process that is no run.
extern run_result *result_of_run;

[[noreturn]] void end_with_finding(const char *text) noexcept;
[[noreturn]] void end_run() noexcept;

} // namespace sim
