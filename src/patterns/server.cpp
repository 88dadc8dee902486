// SPDX-License-Identifier: MPL-2.0
#include "patterns/server.hpp"

namespace zlink::patterns {

bool server::attach(pipe_end &end) {
    do
        end.notes.mark = next_++;
    while (end.notes.mark == 0 || !peers_.emplace(number_of(end), &end).second);
    incoming_.add(end);
    return true;
}

void server::detach(pipe_end &end) noexcept {
    forget(end);
    incoming_.remove(end);
}

void server::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::peer_closed) != 0)
        forget(end);
    incoming_.on_events(end, events);
}

// Nothing is sent to this end any more.
void server::forget(pipe_end &end) noexcept {
    if (numbered(number_of(end)) == &end)
        peers_.erase(number_of(end));
}

std::uint32_t server::number_of(const pipe_end &end) const noexcept {
    return static_cast<std::uint32_t>(end.notes.mark);
}

pipe_end *server::numbered(std::uint32_t number) noexcept {
    const auto found = peers_.find(number);
    return found != peers_.end() ? found->second : nullptr;
}

int server::choose_target(const outgoing_frame &first, const message_address &address, route &chosen) {
    if (first.more())
        return EINVAL;
    pipe_end *end = numbered(address.routing_id);
    if (end == nullptr)
        return EHOSTUNREACH;
    if (!has_room(*end))
        return EAGAIN;
    chosen.to = end;
    return 0;
}

source server::choose_source(asking, incoming_frame &) {
    return incoming_.choose().treated(source_flag::one_frame | source_flag::held);
}

void server::address_from(const pipe_end &end, message_address &address) const noexcept {
    address.routing_id = number_of(end);
}

} // namespace zlink::patterns
