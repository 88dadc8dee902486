// SPDX-License-Identifier: MPL-2.0
// socket_event: an event of a socket's connections, as its monitor reports it.
//
// Threads: values. Units: descriptors are numbers that may be used anew by the time somebody reads them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "connections/closed_reason.hpp"
#include "transport/opening.hpp"
#include "zmtp/handshake.hpp"

namespace zlink::connections {

// Numbers of the C API.
enum class event_kind : std::uint32_t {
    connected = 0x0001,       // descriptor
    connect_delayed = 0x0002, // EINPROGRESS
    connect_retried = 0x0004, // ms until the next attempt
    listening = 0x0008,       // descriptor
    bind_failed = 0x0010,     // errno
    accepted = 0x0020,        // descriptor
    accept_failed = 0x0040,   // errno
    closed = 0x0080,          // descriptor, of a listener or of a connection that did not come to be
    disconnected = 0x0200,    // descriptor
    monitor_stopped = 0x0400,
    handshake_failed_no_detail = 0x0800, // errno
    handshake_succeeded = 0x1000,
    handshake_failed_protocol = 0x2000, // ZMQ_PROTOCOL_ERROR_...
    handshake_failed_auth = 0x4000,     // 300, 400 or 500; ZLINK_TLS_FAILED_...
    pipes_stats = 0x10000,              // two values: messages waiting outbound, inbound
};

struct socket_event {
    event_kind kind;
    std::uint32_t value = 0;
    std::string local{};   // endpoints; empty when there is none
    std::string remote{};  // of a connection of ours: the text it was asked for with
    bool outgoing = false; // ours: the remote endpoint names it; otherwise the local one does
    std::optional<std::uint64_t> second_value{};
    std::optional<closed_reason> reason{}; // of an end, for the log
};

struct event_detail {
    event_kind kind;
    std::uint32_t value;
};
// How the failure of a handshake is reported.
[[nodiscard]] event_detail detail_of(const zmtp::handshake &failed) noexcept;
// The part that the value of an event blames: of handshake_failed_protocol or of handshake_failed_auth.
enum class failed_part : std::uint8_t { other, tls, curve, zap, mechanism };
struct failure_meaning {
    failed_part part = failed_part::other; // where the fault lies
    std::string_view text{};               // empty: no such value is known
};
[[nodiscard]] failure_meaning meaning_of(std::uint32_t value) noexcept;
// How the failure of an opening is counted and reported.
[[nodiscard]] closed_reason reason_of(const transport::opening_failure &why) noexcept;
[[nodiscard]] event_detail detail_of(const transport::opening_failure &why) noexcept;

} // namespace zlink::connections
