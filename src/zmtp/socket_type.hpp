// SPDX-License-Identifier: MPL-2.0
// Socket types as the protocol knows them: number of the API, name in metadata, legal peers, whether READY
// names the identity.
//
// Threads: pure functions over a constant table.
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::zmtp {

// The numbers of the C API; those up to xsub are also the socket type byte of ZMTP 2.0.
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

// The name in metadata ("DEALER"). Empty for a number that is no socket type, and for STREAM and DGRAM, which
// speak no ZMTP.
std::string_view socket_type_name(int type) noexcept;
// Whether a socket of type `own` may talk to a peer that calls itself `peer_name` (with case).
bool may_talk(int own, std::string_view peer_name) noexcept;
// Whether READY carries Identity.
bool sends_identity(int type) noexcept;

} // namespace zlink::zmtp
