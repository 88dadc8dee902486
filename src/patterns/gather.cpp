// SPDX-License-Identifier: MPL-2.0
#include "patterns/gather.hpp"

#include <cerrno>

namespace zlink::patterns {

bool gather::attach(pipe_end &end) {
    incoming_.add(end);
    return true;
}

void gather::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
}

void gather::on_events(pipe_end &end, std::uint32_t events) {
    incoming_.on_events(end, events);
}

int gather::choose_target(const outgoing_frame &, const message_address &, route &) {
    return ENOTSUP;
}

source gather::choose_source(asking, incoming_frame &) {
    return incoming_.choose().treated(source_flag::one_frame | source_flag::held);
}

} // namespace zlink::patterns
