// SPDX-License-Identifier: MPL-2.0
#include "patterns/push.hpp"

namespace zlink::patterns {

bool push::attach(pipe_end &end) {
    outgoing_.add(end);
    return true;
}

void push::detach(pipe_end &end) noexcept {
    outgoing_.remove(end);
}

void push::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::writable) != 0)
        outgoing_.wake(end);
    if ((events & pipe_event::peer_closed) != 0) {
        outgoing_.remove(end);
        host_.finished(end);
    }
}

int push::choose_target(const outgoing_frame &, const message_address &, route &chosen) {
    return outgoing_.choose(chosen);
}

source push::choose_source(asking, incoming_frame &) {
    return source::none(ENOTSUP);
}

bool push::can_send() {
    return outgoing_.writable();
}

} // namespace zlink::patterns
