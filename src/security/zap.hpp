// SPDX-License-Identifier: MPL-2.0
// ZAP (RFC 27): the request to the application's authenticator, and its reply. Frames as they follow the
// empty delimiter.
//
// Threads: pure functions.
#pragma once

#include "zmtp/authentication.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::security::zap {

inline constexpr std::string_view endpoint_name = "zeromq.zap.01"; // of inproc
// Limits for a handler's reply. A longer reply is malformed, and not read further.
inline constexpr std::size_t reply_frames = 6;

struct request {
    std::string_view domain;
    std::string_view address; // of the peer
    std::string_view routing_id;
    std::string_view mechanism;
    std::span<const std::string> credentials;
};

// Returns the frames of a request, the credentials last. They are views of what was given.
[[nodiscard]] std::vector<std::string_view> encode_request(std::string_view request_id, const request &about);

// Returns the verdict of the reply to that request. Anything but acceptance has a failure.
[[nodiscard]] zmtp::verdict decode_reply(std::string_view request_id, std::span<const std::string> frames);

} // namespace zlink::security::zap
