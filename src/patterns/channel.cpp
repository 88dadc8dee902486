// SPDX-License-Identifier: MPL-2.0
#include "patterns/channel.hpp"

namespace zlink::patterns {

bool channel::attach(pipe_end &end) {
    if (end_ != nullptr && !end_->interest.finished())
        return false;
    incoming_.add(end);
    end_ = target_ = &end;
    return true;
}

void channel::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
    if (&end == end_)
        end_ = target_ = nullptr;
}

void channel::on_events(pipe_end &end, std::uint32_t events) {
    if (&end != end_)
        return;
    if ((events & pipe_event::peer_closed) != 0)
        target_ = nullptr;
    else if ((events & pipe_event::writable) != 0 && !end.peer_closed())
        target_ = end_;
    incoming_.on_events(end, events);
}

int channel::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    if (first.more())
        return EINVAL;
    if (!can_send()) [[unlikely]]
        return EAGAIN;
    chosen.to = target_;
    return 0;
}

source channel::choose_source(asking, incoming_frame &) {
    return incoming_.choose().treated(source_flag::one_frame | source_flag::held);
}

bool channel::can_send() {
    if (target_ == nullptr)
        return false;
    if (has_room(*target_)) [[likely]]
        return true;
    target_ = nullptr;
    return false;
}

} // namespace zlink::patterns
