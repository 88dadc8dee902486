// SPDX-License-Identifier: MPL-2.0
#include "patterns/rep.hpp"

#include "base/error.hpp"
#include "patterns/greeting.hpp"

namespace zlink::patterns {

bool rep::attach(pipe_end &end) {
    probe(end, options_);
    incoming_.add(end);
    return true;
}

void rep::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
    if (asker_ == &end)
        asker_ = nullptr;
    if (requester_ == &end) {
        requester_ = nullptr;
        state_ = state::waiting;
    }
}

void rep::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::readable) != 0)
        incoming_.wake(end);
    if ((events & pipe_event::peer_closed) == 0)
        return;
    if (asker_ == &end)
        asker_ = nullptr;
    if (state_ == state::waiting)
        incoming_.peer_closed(end);
    else
        incoming_.wake(end); // the look for the next request finds its end
}

int rep::receive(incoming_frame &frame) {
    switch (state_) {
    case state::owing:
    case state::replying:
        return errc::wrong_state;
    case state::waiting:
        if (!find_request())
            return EAGAIN;
        break;
    case state::request_found:
    case state::receiving:
        break;
    }
    if (incoming_.read(frame) == nullptr)
        return EAGAIN;
    state_ = frame.more() ? state::receiving : state::owing;
    if (!frame.more())
        requester_ = nullptr;
    return 0;
}

bool rep::can_receive() {
    return state_ == state::request_found || state_ == state::receiving ||
           (state_ == state::waiting && find_request());
}

bool rep::find_request() {
    if (incoming_.readable() && incoming_.take_delimiter()) [[likely]] {
        envelope_.clear();
        sizes_.clear();
        return begin(incoming_.current());
    }
    return read_envelope();
}

// Reads on behind the next delimiter, and keeps the envelope before it. Very many frames take several calls,
// between which the queue is in the message. A message without a delimiter is dropped.
bool rep::read_envelope() {
    incoming_frame frame;
    for (std::uint64_t left = most_passed_over; incoming_.go_on(left);) {
        if (!incoming_.in_message()) {
            envelope_.clear();
            sizes_.clear();
        }
        pipe_end *const from = incoming_.read(frame);
        if (from == nullptr)
            break;
        const bool delimiter = frame.more() && frame.size == 0;
        if (!delimiter)
            keep(frame);
        frame.drop();
        if (delimiter)
            return begin(*from);
    }
    return false;
}

bool rep::begin(pipe_end &from) noexcept {
    requester_ = &from;
    asker_ = from.peer_closed() ? nullptr : &from;
    state_ = state::request_found;
    return true;
}

void rep::keep(const incoming_frame &frame) {
    envelope_.append(reinterpret_cast<const char *>(frame.data), frame.size);
    sizes_.push_back(frame.size);
}

int rep::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    if (state_ != state::owing)
        return errc::wrong_state;
    chosen.to = asker_ != nullptr && !asker_->out().full() ? asker_ : nullptr;
    chosen.flags = route_flag::delimited;
    if (!sizes_.empty()) {
        frame_envelope();
        chosen.envelope = envelope_frames_;
    }
    if (first.more())
        chosen.flags |= route_flag::reports_end;
    state_ = first.more() ? state::replying : state::waiting;
    return 0;
}

void rep::frame_envelope() {
    envelope_frames_.clear();
    const auto *data = reinterpret_cast<const std::uint8_t *>(envelope_.data());
    for (const std::size_t size : sizes_) {
        envelope_frames_.push_back({data, size, frame_flag::more, nullptr});
        data += size;
    }
}

bool rep::can_send() {
    return state_ == state::owing || state_ == state::replying;
}

} // namespace zlink::patterns
