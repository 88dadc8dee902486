// SPDX-License-Identifier: MPL-2.0
// snapshot: the counters of a region at one moment, read while its owner goes on. Other programs' regions are
// read by the table of fields that stands in them, so that a later version can be read too.
//
// Threads: any; a snapshot is a value. Ownership: none of the region. Errors: errno numbers. A region that is
// no region, or is broken, gives EPROTO, and never a read outside of it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace zlink::counters {

// Whose values they are. A peer is one side of a pipe.
enum class subject_kind : std::uint8_t { context, io_thread, socket, peer };

struct subject_values {
    subject_kind kind = subject_kind::context;
    std::uint64_t id = 0;
    std::uint64_t parent = 0; // of a peer: its socket's id; else 0
    std::vector<std::pair<std::string, std::uint64_t>> numbers;
    std::vector<std::pair<std::string, std::string>> texts;

    [[nodiscard]] std::uint64_t number(const char *name) const noexcept; // 0: there is none
    [[nodiscard]] const std::string &text(const char *name) const noexcept;
};

struct snapshot {
    std::uint32_t pid = 0;
    std::uint64_t started_ns = 0; // CLOCK_REALTIME
    std::string program;
    // The context first, then its I/O threads, and each socket with its peers.
    std::vector<subject_values> subjects;
};

[[nodiscard]] result<snapshot> take_snapshot(std::span<const std::byte> region);
// Reads a region by a descriptor that is open for reading.
[[nodiscard]] result<snapshot> take_snapshot(int descriptor);

// Leaves the socket and its peers alone.
void keep_socket(snapshot &taken, std::uint64_t id) noexcept;

// Processes that have contexts, as far as this one may look into them.
[[nodiscard]] std::vector<int> processes_with_counters();
// ESRCH: there is no such process. EACCES: it may not be looked into. ENODATA: it has no counters.
[[nodiscard]] result<std::vector<snapshot>> snapshots_of(int pid);
[[nodiscard]] result<snapshot> snapshot_of_file(const std::string &path);
// Adds the processor time of the I/O threads of a process that runs, as the system knows it: the value
// `busy`.
void add_busy_times(snapshot &taken, int pid);

// Contexts with all that belongs to them, as one JSON text.
[[nodiscard]] std::string to_json(std::span<const snapshot> contexts);
// The list of peers of the one socket that is in the snapshot.
[[nodiscard]] std::string peers_to_json(const snapshot &of_socket);

} // namespace zlink::counters
