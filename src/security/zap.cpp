// SPDX-License-Identifier: MPL-2.0
#include "security/zap.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace zlink::security::zap {

using zmtp::handshake_failure;

namespace {

constexpr std::string_view version = "1.0";
constexpr std::string_view user_id_property = "User-Id";

// Places of a reply's frames.
constexpr std::size_t version_at = 0;
constexpr std::size_t request_id_at = 1;
constexpr std::size_t status_at = 2; // behind it a text for people
constexpr std::size_t user_id_at = 4;
constexpr std::size_t metadata_at = 5;

struct known_status {
    std::string_view text;
    int status;
};
constexpr std::array<known_status, 4> known_statuses{{
    {"200", zmtp::status_accepted},
    {"300", zmtp::status_temporary},
    {"400", zmtp::status_denied},
    {"500", zmtp::status_internal},
}};

std::optional<int> parse_status(std::string_view text) noexcept {
    const auto *row = std::ranges::find(known_statuses, text, &known_status::text);
    return row != known_statuses.end() ? std::optional(row->status) : std::nullopt;
}

zmtp::verdict failed(handshake_failure why) {
    return {.failure = why, .status = 0, .vouched = {}};
}

} // namespace

std::vector<std::string_view> encode_request(std::string_view request_id, const request &about) {
    std::vector<std::string_view> frames{version,       request_id,       about.domain,
                                         about.address, about.routing_id, about.mechanism};
    frames.insert(frames.end(), about.credentials.begin(), about.credentials.end());
    return frames;
}

zmtp::verdict decode_reply(std::string_view request_id, std::span<const std::string> frames) {
    if (frames.size() != reply_frames)
        return failed(handshake_failure::malformed_reply);
    if (frames[version_at] != version)
        return failed(handshake_failure::wrong_reply_version);
    if (frames[request_id_at] != request_id)
        return failed(handshake_failure::wrong_reply_id);
    const auto status = parse_status(frames[status_at]);
    if (!status)
        return failed(handshake_failure::wrong_reply_status);
    auto facts = zmtp::parse_properties(zmtp::as_bytes(frames[metadata_at]));
    if (!facts)
        return failed(handshake_failure::malformed_reply_facts);
    if (*status != zmtp::status_accepted)
        return {.failure = handshake_failure::refused, .status = *status, .vouched = {}};
    facts->insert(facts->begin(), {std::string(user_id_property), frames[user_id_at]});
    return {.failure = handshake_failure::none, .status = *status, .vouched = std::move(*facts)};
}

} // namespace zlink::security::zap
