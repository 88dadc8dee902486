// SPDX-License-Identifier: MPL-2.0
#include "patterns/stream.hpp"

namespace zlink::patterns {

bool stream::attach(pipe_end &end) {
    catch_up();
    if (find(end.routing_id) !=
        nullptr) // CONNECT_ROUTING_ID of another connection: this one gets an id of its own
        end.routing_id.clear();
    identify(end);
    return true;
}

// Behind an id without MORE a frame is expected as well; it goes to nobody.
int stream::send(const outgoing_frame &frame) {
    catch_up();
    if (expected_ != expected::id)
        return send_raw(frame);
    pipe_end *end = nullptr;
    if (frame.more()) {
        end = find({reinterpret_cast<const char *>(frame.data), frame.size});
        if (end == nullptr)
            return EHOSTUNREACH;
        if (!has_room(*end))
            return EAGAIN;
    }
    aim(end, expected::raw_frame);
    return 0;
}

} // namespace zlink::patterns
