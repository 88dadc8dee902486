// SPDX-License-Identifier: MPL-2.0
// The values of a context's options and the one table of them.
//
// Threads: the owner locks. Invariant: a refused set changes nothing. Errors: EINVAL for an unknown number, a
// wrong size or a value out of range, as libzmq gives it.
#pragma once

#include "base/result.hpp"
#include "base/socket_options.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <span>
#include <string>

namespace zlink::core {

struct context_options {
    int io_threads = 1;
    int max_sockets = 1023;
    int max_message_size = std::numeric_limits<int>::max(); // bytes
    int thread_priority = -1;                               // -1: as the system does
    int thread_sched_policy = -1;
    std::set<int> thread_affinity_cpus; // empty: all
    std::string thread_name_prefix;     // up to 16 bytes; set as an int it is the number in digits
    bool zero_copy_receive = true;
    bool ipv6 = false;                // default of new sockets
    bool blocky = true;               // false: new sockets linger 0 ms
    std::uint64_t send_byte_mark = 0; // of new sockets
    std::uint64_t receive_byte_mark = 0;
};

result<void> set_context_option(context_options &options, int id, int value);
result<int> get_context_option(const context_options &options, int id);

// The _ext forms: ints, texts, and counts of 64 bits. The getter returns the size written.
result<void> set_context_option(context_options &options, int id, std::span<const std::byte> value);
result<std::size_t> get_context_option(const context_options &options, int id, std::span<std::byte> out);

// Returns the options that a new socket of that type starts with.
[[nodiscard]] socket_options new_socket_options(const context_options &context, socket_type type);

} // namespace zlink::core
