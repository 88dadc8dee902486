// SPDX-License-Identifier: MPL-2.0
// The credentials that a mechanism has checked by the application (ZAP, RFC 27), and the result.
//
// Threads: values. The credentials belong to the mechanism; how the question reaches an authenticator is not
// known here.
#pragma once

#include "zmtp/command.hpp"
#include "zmtp/handshake_failure.hpp"

#include <string>
#include <vector>

namespace zlink::zmtp {

struct authentication {
    std::vector<std::string> credentials; // of the peer, as the mechanism's part of a ZAP request
    bool optional = false;                // where there is no authenticator, the peer is accepted
};

inline constexpr int status_accepted = 200;
inline constexpr int status_temporary = 300; // the peer is not told, and may try again
inline constexpr int status_denied = 400;
inline constexpr int status_internal = 500;

struct verdict {
    handshake_failure failure = handshake_failure::none; // refused: the status says how
    int status = status_accepted;
    std::vector<property> vouched; // what the authenticator says of the peer, "User-Id" first
};

} // namespace zlink::zmtp
