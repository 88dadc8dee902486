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
    if ((events & pipe_event::readable) != 0)
        incoming_.wake(end);
    if ((events & pipe_event::writable) != 0)
        outgoing_.wake(end);
    if ((events & pipe_event::peer_closed) == 0)
        return;
    if (outgoing_.keep_turn(end))
        incoming_.look_at(end);
    else
        incoming_.peer_closed(end);
}

int dealer::choose_target(const outgoing_frame &, const message_address &, route &chosen) {
    return outgoing_.choose(chosen);
}

int dealer::receive(incoming_frame &frame) {
    const pipe_end *from = incoming_.read(frame);
    host_.cached.in = cached_source::always(incoming_.only());
    return from != nullptr ? 0 : EAGAIN;
}

bool dealer::can_send() {
    return outgoing_.writable();
}

bool dealer::can_receive() {
    return incoming_.readable();
}

} // namespace zlink::patterns
