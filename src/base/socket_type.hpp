// SPDX-License-Identifier: MPL-2.0
// The kinds of sockets, with the numbers of the C API, and sets of them.
//
// Threads: values. 12 to 20 are the thread-safe and datagram kinds of later versions.
#pragma once

#include "base/enum_set.hpp"

#include <cstdint>

namespace zlink {

enum class socket_type : std::uint8_t {
    pair = 0,
    pub = 1,
    sub = 2,
    req = 3,
    rep = 4,
    dealer = 5,
    router = 6,
    pull = 7,
    push = 8,
    xpub = 9,
    xsub = 10,
    stream = 11,
    server = 12,
    client = 13,
    radio = 14,
    dish = 15,
    gather = 16,
    scatter = 17,
    dgram = 18,
    peer = 19,
    channel = 20,
};

// For columns "applies to" of tables.
using socket_types = enum_set<socket_type>;

} // namespace zlink
