// SPDX-License-Identifier: MPL-2.0
#include "patterns/pull.hpp"

#include <cerrno>

namespace zlink::patterns {

bool pull::attach(pipe_end &end) {
    incoming_.add(end);
    return true;
}

void pull::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
}

void pull::on_events(pipe_end &end, std::uint32_t events) {
    incoming_.on_events(end, events);
}

int pull::choose_target(const outgoing_frame &, const message_address &, route &) {
    return ENOTSUP;
}

source pull::choose_source(asking, incoming_frame &) {
    return incoming_.choose();
}

bool pull::can_send() {
    return false;
}

} // namespace zlink::patterns
