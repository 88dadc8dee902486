// SPDX-License-Identifier: MPL-2.0
#include "session/session_event.hpp"

#include <array>
#include <cerrno>
#include <string_view>

namespace zlink::session {
namespace {

// ZMQ_PROTOCOL_ERROR_ZMTP_...
constexpr std::uint32_t unspecified = 0x10000000;
constexpr std::uint32_t unexpected_command = 0x10000001;
constexpr std::uint32_t malformed_command = 0x10000011;
constexpr std::uint32_t invalid_metadata = 0x10000018;
constexpr std::uint32_t mechanism_mismatch = 0x11000002;

struct status_row {
    std::string_view reason;
    std::uint32_t status;
};
// What a ZAP handler decided comes as the reason of ERROR.
constexpr std::array<status_row, 3> statuses{{{"300", 300}, {"400", 400}, {"500", 500}}};

event_detail detail_of_error(std::string_view reason) noexcept {
    for (const status_row &row : statuses)
        if (row.reason == reason)
            return {event_kind::handshake_failed_auth, row.status};
    return {event_kind::handshake_failed_protocol, unspecified};
}

} // namespace

event_detail detail_of(const zmtp::handshake &failed) noexcept {
    using zmtp::handshake_failure;
    switch (failed.failure()) {
    case handshake_failure::mechanism_mismatch:
        return {event_kind::handshake_failed_protocol, mechanism_mismatch};
    case handshake_failure::unexpected_command:
        return {event_kind::handshake_failed_protocol, unexpected_command};
    case handshake_failure::malformed_command:
        return {event_kind::handshake_failed_protocol, malformed_command};
    case handshake_failure::missing_socket_type:
    case handshake_failure::socket_type_mismatch:
    case handshake_failure::bad_routing_id:
        return {event_kind::handshake_failed_protocol, invalid_metadata};
    case handshake_failure::malformed_frame:
    case handshake_failure::oversize:
        return {event_kind::handshake_failed_protocol, unspecified};
    case handshake_failure::error_from_peer:
        return detail_of_error(failed.peer().error_reason);
    case handshake_failure::none:
    case handshake_failure::bad_signature:
    case handshake_failure::version_refused:
        break;
    }
    return {event_kind::handshake_failed_no_detail, EPROTO};
}

} // namespace zlink::session
