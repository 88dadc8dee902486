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
    if ((events & pipe_event::readable) != 0)
        incoming_.wake(end);
    if ((events & pipe_event::peer_closed) != 0)
        incoming_.peer_closed(end);
}

int pull::choose_target(const outgoing_frame &, const message_address &, route &) {
    return ENOTSUP;
}

int pull::receive(incoming_frame &frame) {
    const pipe_end *from = incoming_.read(frame);
    host_.cached.in = cached_source::always(incoming_.only());
    return from != nullptr ? 0 : EAGAIN;
}

bool pull::can_send() {
    return false;
}

bool pull::can_receive() {
    return incoming_.readable();
}

} // namespace zlink::patterns
