// SPDX-License-Identifier: MPL-2.0
// zws_terms: what the two ends of a connection agreed on in the opening handshake of WebSocket.
//
// Threads: a value. RFC 45 (ZWS 2.0) has no greeting of ZMTP: the subprotocol says what it would say.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "transport/ws/ws_frame.hpp"

namespace zlink::transport {

struct zws_terms {
    ws_side side = ws_side::client; // the own one
    std::string mechanism = "NULL";
    // With the subprotocol "ZWS2.0" alone there are no commands of a mechanism. The first message of each
    // side is its routing id.
    bool bare = false;
    std::string_view peer_type;    // of the peer's socket, which it does not tell if the terms are bare
    std::string routing_id;        // own, for bare terms
    std::int64_t max_message = -1; // ZMQ_MAXMSGSIZE

    // Returns true if the messages are encrypted, so that a command cannot be put among them.
    [[nodiscard]] bool seals() const noexcept { return mechanism == "CURVE"; }
    // Returns how many commands of the peer the handshake of the mechanism has.
    [[nodiscard]] int handshake_commands() const noexcept { return bare ? 0 : mechanism == "NULL" ? 1 : 2; }
};

// How far a step came.
struct zws_progress {
    std::size_t used = 0; // bytes of the input
    std::size_t made = 0; // bytes of the output
};

// The greeting of ZMTP: 64 bytes.
inline constexpr std::size_t zmtp_greeting_size = 64;

// A frame of ZMTP: two flags of its first byte, and the header with a size of eight bytes.
inline constexpr std::uint8_t zmtp_large = 2;
inline constexpr std::uint8_t zmtp_command = 4;
inline constexpr std::size_t zmtp_large_header = 9;

} // namespace zlink::transport
