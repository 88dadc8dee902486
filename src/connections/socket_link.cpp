// SPDX-License-Identifier: MPL-2.0
#include "connections/socket_link.hpp"

namespace zlink::connections {

static_assert(counters::closings == closed_reasons);

void socket_link::count(event_kind kind) noexcept {
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
        return counts.handshakes_failed_protocol.add_shared();
    case event_kind::handshake_failed_auth:
        return counts.handshakes_failed_auth.add_shared();
    default:
        return;
    }
}

} // namespace zlink::connections
