// SPDX-License-Identifier: MPL-2.0
#include "patterns/stream.hpp"

namespace zlink::patterns {

bool stream::attach(pipe_end &end) {
    if (find(end.notes.routing_id) !=
        nullptr) // CONNECT_ROUTING_ID of another connection: this one gets an id of its own
        end.notes.routing_id.clear();
    identify(end);
    return true;
}

// Behind an id without MORE a frame is expected as well; it goes to nobody.
int stream::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    chosen.flags = route_flag::takes_first | route_flag::raw;
    if (!first.more())
        return 0;
    pipe_end *end = find({reinterpret_cast<const char *>(first.data), first.size});
    if (end == nullptr)
        return EHOSTUNREACH;
    if (!has_room(*end))
        return EAGAIN;
    chosen.to = end;
    return 0;
}

} // namespace zlink::patterns
