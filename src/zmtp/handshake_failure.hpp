// SPDX-License-Identifier: MPL-2.0
// Why a handshake failed. A value; printable.
#pragma once

#include <cstdint>
#include <string_view>

namespace zlink::zmtp {

enum class handshake_failure : std::uint8_t {
    none,
    bad_signature,        // the first bytes belong to no version of ZMTP
    version_refused,      // an old peer, and the mechanism wants 3.x
    mechanism_mismatch,   // the greetings name different mechanisms
    malformed_frame,      // a header that breaks the rules of its version
    malformed_command,    // a command whose lengths do not add up
    unexpected_command,   // a command, or a message, that does not belong at this step
    missing_socket_type,  // metadata without Socket-Type
    socket_type_mismatch, // a socket type that may not talk to ours
    bad_routing_id,       // a routing id of more than 255 bytes
    oversize,             // a handshake frame above max_handshake_frame
    error_from_peer,      // the peer sent ERROR
    malformed_hello,      // commands of PLAIN and CURVE that are not what they have to be
    malformed_welcome,
    malformed_initiate,
    malformed_ready,
    malformed_metadata,    // properties whose lengths do not add up
    replayed_number,       // of a command, that does not rise
    cryptographic,         // a box that does not open: another key, or forged
    wrong_key_exchange,    // keys that do not belong together
    refused,               // by the authenticator
    no_authenticator,      // there is none, and there has to be
    malformed_reply,       // of the authenticator: too few or too many frames
    wrong_reply_id,        // it answers another request
    wrong_reply_version,   // not 1.0
    wrong_reply_status,    // none of 200, 300, 400 and 500
    malformed_reply_facts, // its metadata
};

std::string_view to_string(handshake_failure failure) noexcept;
// Returns true if the peer did what the protocol does not allow. It may be right, and refused for another
// reason, otherwise.
bool is_breach(handshake_failure failure) noexcept;

} // namespace zlink::zmtp
