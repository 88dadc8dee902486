// SPDX-License-Identifier: MPL-2.0
#include "patterns/client.hpp"

namespace zlink::patterns {

bool client::attach(pipe_end &end) {
    incoming_.add(end);
    outgoing_.add(end);
    return true;
}

void client::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
    outgoing_.remove(end);
}

void client::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::writable) != 0)
        outgoing_.wake(end);
    if ((events & pipe_event::peer_closed) != 0)
        outgoing_.remove(end);
    incoming_.on_events(end, events);
}

int client::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    return first.more() ? EINVAL : outgoing_.choose(chosen);
}

source client::choose_source(asking, incoming_frame &) {
    return incoming_.choose().treated(source_flag::one_frame | source_flag::held);
}

} // namespace zlink::patterns
