// SPDX-License-Identifier: MPL-2.0
#include "connections/socket_link.hpp"

namespace zlink::connections {

static_assert(counters::closings == closed_reasons);

namespace {

// Null: it has no count of its own.
counters::counter *count_of(counters::handshake_counts &counts, failed_part part) noexcept {
    switch (part) {
    case failed_part::tls:
        return &counts.tls;
    case failed_part::curve:
        return &counts.curve;
    case failed_part::zap:
        return &counts.zap;
    case failed_part::mechanism:
        return &counts.mechanism;
    case failed_part::other:
        break;
    }
    return nullptr;
}

void count_failure(counters::handshake_counts &counts, counters::counter &kind,
                   std::uint32_t value) noexcept {
    kind.add_shared();
    if (counters::counter *const part = count_of(counts, meaning_of(value).part))
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
        return counts.handshakes.done.add_shared();
    case event_kind::handshake_failed_no_detail:
        return counts.handshakes.failed.add_shared();
    case event_kind::handshake_failed_protocol:
        return count_failure(counts.handshakes, counts.handshakes.protocol, value);
    case event_kind::handshake_failed_auth:
        return count_failure(counts.handshakes, counts.handshakes.auth, value);
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
