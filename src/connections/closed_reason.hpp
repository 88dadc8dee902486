// SPDX-License-Identifier: MPL-2.0
// Why a connection ended, or did not come to be. Counted per socket, printable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zlink::connections {

enum class closed_reason : std::uint8_t {
    local,             // the socket, its unbind or disconnect
    peer,              // the peer closed, or the system lost the connection
    handshake_failed,  // not ZMTP, not a legal peer, or it refused us
    handshake_timeout, // HANDSHAKE_IVL
    malformed,         // a frame or command that breaks the protocol
    oversize,          // MAXMSGSIZE
    heartbeat,         // silence
    filtered,          // an accept filter
    no_memory,         // for what the peer announced
    accept_failed,     // no descriptors, or the system refused
    connect_failed,    // refused, unreachable, or the name is unknown
    over_limit,        // MAX_PEERS
    count_of_reasons
};

constexpr std::size_t closed_reasons = static_cast<std::size_t>(closed_reason::count_of_reasons);

constexpr std::string_view to_string(closed_reason reason) noexcept {
    switch (reason) {
    case closed_reason::local:
        return "local";
    case closed_reason::peer:
        return "peer";
    case closed_reason::handshake_failed:
        return "handshake failed";
    case closed_reason::handshake_timeout:
        return "handshake timeout";
    case closed_reason::malformed:
        return "malformed";
    case closed_reason::oversize:
        return "oversize";
    case closed_reason::heartbeat:
        return "heartbeat";
    case closed_reason::filtered:
        return "filtered";
    case closed_reason::no_memory:
        return "no memory";
    case closed_reason::accept_failed:
        return "accept failed";
    case closed_reason::connect_failed:
        return "connect failed";
    case closed_reason::over_limit:
        return "over limit";
    case closed_reason::count_of_reasons:
        break;
    }
    return "";
}

} // namespace zlink::connections
