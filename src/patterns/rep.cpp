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
    writer_.lose(end);
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
    writer_.lose(end);
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
    incoming_frame frame;
    for (std::uint64_t passed = 0; pipe_end *from = incoming_.read(frame); ++passed) {
        if (read_envelope(frame))
            return begin(*from);
        if (passed == most_passed_over) {
            from->remind();
            break;
        }
    }
    return false;
}

bool rep::begin(pipe_end &from) noexcept {
    requester_ = &from;
    asker_ = from.peer_closed() ? nullptr : &from;
    state_ = state::request_found;
    return true;
}

// From the first frame of a message on. Returns false if it has no envelope; it was dropped then.
bool rep::read_envelope(incoming_frame &frame) {
    envelope_.clear();
    sizes_.clear();
    do {
        const bool more = frame.more();
        const bool delimiter = more && frame.size == 0;
        if (!delimiter)
            keep(frame);
        frame.drop();
        if (delimiter || !more)
            return delimiter;
    } while (incoming_.read(frame) != nullptr);
    return false;
}

void rep::keep(const incoming_frame &frame) {
    envelope_.append(reinterpret_cast<const char *>(frame.data), frame.size);
    sizes_.push_back(frame.size);
}

int rep::send(const outgoing_frame &frame) {
    if (state_ != state::owing && state_ != state::replying)
        return errc::wrong_state;
    const int code = state_ == state::owing ? write_first(frame) : writer_.write(frame);
    if (code != 0) {
        state_ = state::owing; // the whole reply may be tried again
        return code;
    }
    state_ = frame.more() ? state::replying : state::waiting;
    return 0;
}

// With the envelope before it.
int rep::write_first(const outgoing_frame &frame) noexcept {
    writer_.aim(asker_ != nullptr && !asker_->out().full() ? asker_ : nullptr);
    const auto *data = reinterpret_cast<const std::uint8_t *>(envelope_.data());
    for (const std::size_t size : sizes_) {
        if (const int code = writer_.write({data, size, frame_flag::more, nullptr}))
            return code;
        data += size;
    }
    return writer_.write_delimited(frame);
}

bool rep::can_send() {
    return state_ == state::owing || state_ == state::replying;
}

} // namespace zlink::patterns
