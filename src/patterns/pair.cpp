// SPDX-License-Identifier: MPL-2.0
#include "patterns/pair.hpp"

namespace zlink::patterns {

bool pair::attach(pipe_end &end) {
    if (end_ != nullptr)
        return false;
    end_ = target_ = source_ = &end;
    return true;
}

void pair::detach(pipe_end &end) noexcept {
    if (&end != end_)
        return;
    end_ = target_ = source_ = nullptr;
    host_.receiving.lose(end);
}

void pair::on_events(pipe_end &end, std::uint32_t events) {
    if (&end != end_)
        return;
    if ((events & pipe_event::readable) != 0)
        source_ = end_;
    if ((events & pipe_event::writable) != 0 && !end.peer_closed())
        target_ = end_;
    if ((events & pipe_event::peer_closed) != 0) {
        target_ = nullptr;
        source_ = end_;
        if (!end.in().has_message())
            rest();
    }
}

int pair::choose_target(const outgoing_frame &, const message_address &, route &chosen) {
    if (!pair::can_send()) [[unlikely]]
        return EAGAIN;
    chosen.to = target_;
    chosen.flags = route_flag::stays | route_flag::ends_with_peer;
    return 0;
}

source pair::choose_source(asking, incoming_frame &) {
    while (source_ != nullptr)
        [[likely]] {
            if (source_->in().has_message()) [[likely]] {
                return {source_, source_flag::stays};
            }
            rest();
        }
    return source::none(EAGAIN);
}

bool pair::can_send() {
    if (target_ == nullptr)
        return false;
    if (has_room(*target_)) [[likely]]
        return true;
    target_ = nullptr;
    return false;
}

// Nothing was found.
void pair::rest() noexcept {
    pipe_end &end = *end_;
    if (end.peer_closed()) {
        end_ = source_ = nullptr;
        host_.finished(end);
    } else if (end.prepare_wait_data()) {
        source_ = nullptr;
    }
}

} // namespace zlink::patterns
