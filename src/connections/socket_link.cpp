// SPDX-License-Identifier: MPL-2.0
#include "connections/socket_link.hpp"

namespace zlink::connections {

static_assert(counters::closings == closed_reasons);

namespace {

// Returns the count for the value of a monitor's event. Null: it has none.
counters::counter *part_that_failed(counters::socket_record &counts, std::uint32_t value) noexcept {
    if (value >= 10102 && value < 10120) // ZLINK_TLS_FAILED_...
        return &counts.handshakes_failed_tls;
    switch (value) {
    case 0x10000002: // ZMQ_PROTOCOL_ERROR_ZMTP_INVALID_SEQUENCE
    case 0x10000003: // ZMQ_PROTOCOL_ERROR_ZMTP_KEY_EXCHANGE
    case 0x11000001: // ZMQ_PROTOCOL_ERROR_ZMTP_CRYPTOGRAPHIC
        return &counts.handshakes_failed_curve;
    case 0x11000002: // ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH
        return &counts.handshakes_failed_mechanism;
    case 300:
    case 400:
    case 500:
        return &counts.handshakes_failed_zap;
    default:
        return value >> 28 == 2 ? &counts.handshakes_failed_zap : nullptr; // ZMQ_PROTOCOL_ERROR_ZAP_...
    }
}

void count_failure(counters::socket_record &counts, counters::counter &kind, std::uint32_t value) noexcept {
    kind.add_shared();
    if (counters::counter *const part = part_that_failed(counts, value))
        part->add_shared();
}

} // namespace

void socket_link::count(event_kind kind, std::uint32_t value) noexcept {
    counters::socket_record &counts = counts_->record();
    switch (kind) {
    case event_kind::connected:
        return counts.connected.add_shared();
    case event_kind::accepted:
        return counts.accepted.add_shared();
    case event_kind::connect_retried:
        return counts.retries.add_shared();
    case event_kind::handshake_succeeded:
        return counts.handshakes.add_shared();
    case event_kind::handshake_failed_no_detail:
        return counts.handshakes_failed.add_shared();
    case event_kind::handshake_failed_protocol:
        return count_failure(counts, counts.handshakes_failed_protocol, value);
    case event_kind::handshake_failed_auth:
        return count_failure(counts, counts.handshakes_failed_auth, value);
    default:
        return;
    }
}

void socket_link::log(const socket_event &event) const noexcept {
    if (!logged_)
        return;
    const counters::socket_record &counts = counts_->record();
    log_event(event, static_cast<socket_type>(counts.type.get()), counts.id.get());
}

} // namespace zlink::connections
