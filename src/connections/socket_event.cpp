// SPDX-License-Identifier: MPL-2.0
#include "connections/socket_event.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/error.hpp"

namespace zlink::connections {
namespace {

using zmtp::handshake_failure;

// ZMQ_PROTOCOL_ERROR_ZMTP_... and _ZAP_...
constexpr std::uint32_t unspecified = 0x10000000;

struct failure_row {
    handshake_failure failure;
    std::uint32_t error;
    failure_meaning meaning;
};
using enum failed_part;
constexpr failure_meaning wrong_metadata{other, "invalid metadata"};
constexpr failure_meaning breach{other, "the peer breaks the protocol"};
constexpr auto protocol_errors = std::to_array<failure_row>({
    {handshake_failure::unexpected_command, 0x10000001, {other, "unexpected command"}},
    {handshake_failure::replayed_number, 0x10000002, {curve, "invalid sequence"}},
    {handshake_failure::wrong_key_exchange, 0x10000003, {curve, "key exchange"}},
    {handshake_failure::malformed_command, 0x10000011, {other, "malformed command"}},
    {handshake_failure::malformed_hello, 0x10000013, {other, "malformed HELLO"}},
    {handshake_failure::malformed_initiate, 0x10000014, {other, "malformed INITIATE"}},
    {handshake_failure::malformed_ready, 0x10000016, {other, "malformed READY"}},
    {handshake_failure::malformed_welcome, 0x10000017, {other, "malformed WELCOME"}},
    {handshake_failure::malformed_metadata, 0x10000018, wrong_metadata},
    {handshake_failure::missing_socket_type, 0x10000018, wrong_metadata},
    {handshake_failure::socket_type_mismatch, 0x10000018, wrong_metadata},
    {handshake_failure::bad_routing_id, 0x10000018, wrong_metadata},
    {handshake_failure::malformed_frame, unspecified, breach},
    {handshake_failure::oversize, unspecified, breach},
    {handshake_failure::cryptographic, 0x11000001, {curve, "cryptographic failure"}},
    {handshake_failure::mechanism_mismatch, 0x11000002, {mechanism, "the mechanisms differ"}},
    {handshake_failure::malformed_reply, 0x20000001, {zap, "malformed reply of the ZAP handler"}},
    {handshake_failure::wrong_reply_id, 0x20000002, {zap, "wrong request id of the ZAP handler"}},
    {handshake_failure::wrong_reply_version, 0x20000003, {zap, "wrong version of the ZAP handler"}},
    {handshake_failure::wrong_reply_status, 0x20000004, {zap, "invalid status code of the ZAP handler"}},
    {handshake_failure::malformed_reply_facts, 0x20000005, {zap, "invalid metadata of the ZAP handler"}},
});

struct status_row {
    std::string_view reason;
    std::uint32_t status;
    std::string_view text;
};
// The status of a ZAP handler comes as the reason of ERROR.
constexpr auto statuses = std::to_array<status_row>({
    {"300", 300, "the ZAP handler has a temporary failure"},
    {"400", 400, "the ZAP handler refuses the peer"},
    {"500", 500, "the ZAP handler has an internal failure"},
});

// ZLINK_TLS_FAILED_..., and those of other layers behind them. error_text() has their texts.
constexpr std::uint32_t first_of_tls = 10102;
constexpr std::uint32_t first_behind_tls = 10120;

event_detail detail_of_error(std::string_view reason) noexcept {
    for (const status_row &row : statuses)
        if (row.reason == reason)
            return {event_kind::handshake_failed_auth, row.status};
    return {event_kind::handshake_failed_protocol, unspecified};
}

} // namespace

failure_meaning meaning_of(std::uint32_t value) noexcept {
    if (value >= first_of_tls && value < unspecified)
        return {value < first_behind_tls ? tls : other, error_text(static_cast<int>(value))};
    if (const auto *row = std::ranges::find(statuses, value, &status_row::status); row != statuses.end())
        return {zap, row->text};
    const auto *row = std::ranges::find(protocol_errors, value, &failure_row::error);
    return row != protocol_errors.end() ? row->meaning : failure_meaning{};
}

event_detail detail_of(const zmtp::handshake &failed) noexcept {
    const handshake_failure why = failed.failure();
    if (why == handshake_failure::error_from_peer)
        return detail_of_error(failed.peer().error_reason);
    if (why == handshake_failure::refused)
        return {event_kind::handshake_failed_auth, static_cast<std::uint32_t>(failed.peer().refused_status)};
    if (why == handshake_failure::no_authenticator)
        return {event_kind::handshake_failed_no_detail, EFAULT}; // as libzmq gives it
    const auto *row = std::ranges::find(protocol_errors, why, &failure_row::failure);
    return row != protocol_errors.end() ? event_detail{event_kind::handshake_failed_protocol, row->error}
                                        : event_detail{event_kind::handshake_failed_no_detail, EPROTO};
}

closed_reason reason_of(const transport::opening_failure &why) noexcept {
    if (why.fault != transport::opening_fault::connection)
        return closed_reason::handshake_failed;
    if (why.value == ENOMEM)
        return closed_reason::no_memory;
    return why.value == EAGAIN ? closed_reason::handshake_timeout : closed_reason::handshake_failed;
}

event_detail detail_of(const transport::opening_failure &why) noexcept {
    switch (why.fault) {
    case transport::opening_fault::none:
        return {event_kind::handshake_failed_no_detail, EPIPE};
    case transport::opening_fault::connection:
        return {event_kind::handshake_failed_no_detail, why.value};
    case transport::opening_fault::protocol:
        return {event_kind::handshake_failed_protocol, why.value};
    case transport::opening_fault::authentication:
        return {event_kind::handshake_failed_auth, why.value};
    }
    return {event_kind::handshake_failed_no_detail, EPIPE};
}

} // namespace zlink::connections
