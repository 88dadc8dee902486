// SPDX-License-Identifier: MPL-2.0
// The protocol's rules for socket types: their names in metadata, which types fit together, and whose READY
// carries an identity.
//
// Threads: pure functions over a constant table.
#pragma once

#include "base/socket_type.hpp"

#include <cstdint>
#include <string_view>

namespace zlink::zmtp {

// The name in metadata ("DEALER"). Empty for what speaks no ZMTP: STREAM, DGRAM, and a number that is no
// type.
std::string_view socket_type_name(socket_type type) noexcept;
// The name of a socket type byte of ZMTP 2.0 (PAIR to XSUB). Empty for others.
std::string_view socket_type_name_v2(std::uint8_t type) noexcept;
// Whether a socket of type `own` may talk to a peer that calls itself `peer_name`. Compares with case.
bool may_talk(socket_type own, std::string_view peer_name) noexcept;
// Whether READY carries Identity.
bool sends_identity(socket_type type) noexcept;

} // namespace zlink::zmtp
