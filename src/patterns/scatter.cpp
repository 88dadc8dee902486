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

int scatter::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    return first.more() ? EINVAL : outgoing_.choose(chosen);
}

source scatter::choose_source(asking, incoming_frame &) {
    return source::none(ENOTSUP);
}

} // namespace zlink::patterns
