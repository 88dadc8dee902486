// SPDX-License-Identifier: MPL-2.0
#include "patterns/scatter.hpp"

namespace zlink::patterns {

bool scatter::attach(pipe_end &end) {
    outgoing_.add(end);
    return true;
}

void scatter::detach(pipe_end &end) noexcept {
    outgoing_.remove(end);
}

void scatter::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::writable) != 0)
        outgoing_.wake(end);
    if ((events & pipe_event::peer_closed) != 0) {
        outgoing_.remove(end);
        host_.finished(end);
    }
}

int scatter::send(const outgoing_frame &frame) {
    return frame.more() ? EINVAL : outgoing_.write(frame);
}

int scatter::receive(incoming_frame &) {
    return ENOTSUP;
}

} // namespace zlink::patterns
