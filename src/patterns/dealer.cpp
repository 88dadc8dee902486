// SPDX-License-Identifier: MPL-2.0
#include "patterns/dealer.hpp"

#include "patterns/greeting.hpp"

namespace zlink::patterns {

bool dealer::attach(pipe_end &end) {
    probe(end, options_);
    incoming_.add(end);
    outgoing_.add(end);
    return true;
}

void dealer::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
    outgoing_.remove(end);
}

void dealer::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::writable) != 0)
        outgoing_.wake(end);
    if ((events & pipe_event::peer_closed) != 0 && outgoing_.keep_turn(end))
        incoming_.look_at(end);
    else
        incoming_.on_events(end, events);
}

int dealer::choose_target(const outgoing_frame &, const message_address &, route &chosen) {
    return outgoing_.choose(chosen);
}

source dealer::choose_source(asking, incoming_frame &) {
    return incoming_.choose();
}

bool dealer::can_send() {
    return outgoing_.writable();
}

} // namespace zlink::patterns
