// SPDX-License-Identifier: MPL-2.0
// The two sides of `zlink bench`, each for a thread of its own. A side that sends numbers its messages and
// writes into each when it was due. The times are of CLOCK_MONOTONIC, so that one-way latency is for the
// processes of one machine.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "common/endpoints.hpp"
#include "common/latency_histogram.hpp"

namespace cli {

struct bench_pattern {
    const char *name;
    int client, server; // socket types
    bool round_trip;    // the server sends each message back
};

const std::vector<std::string> &pattern_names();
const bench_pattern &find_pattern(const std::string &name);

struct bench_task {
    const bench_pattern *pattern{nullptr};
    std::uint64_t size{64};
    double rate{0}; // messages a second; 0: as many as go
    double seconds{5}, warm_up{0.2}, timeout{10};
    std::uint64_t count{0}; // 0: as many as `seconds` allow
    // Set by a side that has failed, for the other one.
    std::atomic<bool> abandoned{false};
    bool is_over_udp{false};
    std::uint32_t peer{0};           // of a PEER that has connected: the number of the server
    std::string address{};           // of the server, for a DGRAM
    std::atomic<bool> served{false}; // the server, a thread of this process, has heard of the end
};

struct bench_result {
    std::uint64_t messages{0}, bytes{0}, late{0}; // late: sent more than 1 ms after they were due
    std::uint64_t lost{0};                        // sent and not received
    double seconds{0};
    bool has_latency{false};
    latency_histogram latency;
};

// Sends until the end, and the word that it was the end. Of a round trip it has the result, of other patterns
// the server.
bench_result run_bench_client(socket &used, bench_task &task);
bench_result run_bench_server(socket &used, bench_task &task);

} // namespace cli
