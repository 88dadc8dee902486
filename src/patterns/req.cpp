// SPDX-License-Identifier: MPL-2.0
#include "patterns/req.hpp"

#include <cstring>

#include "base/error.hpp"
#include "base/random.hpp"
#include "patterns/greeting.hpp"

namespace zlink::patterns {

namespace {

// Messages that are there already are no replies to what is going to be asked. Drops `left` frames of them.
// The rest is left to find_reply(), which drops messages up to the count in `mark`.
void discard(pipe_end &end, std::uint64_t left) noexcept {
    incoming_frame frame;
    end.mark = end.in().read_messages() + end.in().depth();
    for (; left != 0 && end.in().read_messages() < end.mark && end.read(frame); --left)
        frame.drop();
}

} // namespace

req::req(pattern_host &host, const socket_options &options) noexcept
    : pattern(host, options), incoming_(host), outgoing_(host),
      next_id_(static_cast<std::uint32_t>(random_seed())) {}

bool req::attach(pipe_end &end) {
    probe(end, options_);
    incoming_.add(end);
    outgoing_.add(end);
    return true;
}

void req::detach(pipe_end &end) noexcept {
    incoming_.remove(end);
    outgoing_.remove(end);
    if (asked_ == &end) {
        asked_ = nullptr;
        withdrawn_ = !end.peer_closed();
    }
    if (replier_ == &end) {
        replier_ = nullptr;
        state_ = state::waiting;
    }
}

void req::on_events(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::readable) != 0)
        incoming_.wake(end);
    if ((events & pipe_event::writable) != 0)
        outgoing_.wake(end);
    if ((events & pipe_event::peer_closed) == 0)
        return;
    const bool kept = outgoing_.keep_turn(end);
    if (state_ != state::waiting)
        incoming_.wake(end); // a look for a reply finds its end
    else if (kept)
        incoming_.look_at(end);
    else
        incoming_.peer_closed(end);
}

bool req::may_begin() const noexcept {
    return state_ == state::ready || (state_ != state::sending && options_.pattern.request_relaxed);
}

int req::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    if (!may_begin())
        return errc::wrong_state;
    if (!outgoing_.writable()) {
        withdraw();
        return EAGAIN;
    }
    begin();
    chosen.to = asked_;
    chosen.flags = route_flag::delimited;
    if (options_.pattern.request_correlate) {
        chosen.envelope = {&next_id_frame(), 1};
        chosen.set(route_flag::enveloped);
    }
    if (first.more())
        chosen.set(route_flag::reports_end);
    state_ = first.more() ? state::sending : state::waiting;
    return 0;
}

// Gives up the request that was sent before (ZMQ_REQ_RELAXED), as libzmq does even if the next one finds no
// peer.
void req::withdraw() {
    incoming_.skip(); // what is left of a reply that nobody wants any more
    replier_ = nullptr;
    state_ = state::ready;
}

// Chooses whom to ask.
void req::begin() {
    withdraw();
    std::uint64_t left = most_passed_over;
    const bool skipped = incoming_.go_on(left);
    asked_ = &outgoing_.take();
    withdrawn_ = false;
    discard(*asked_, skipped ? left : 0);
    looks_closely_ = is_stale(*asked_);
}

// The first frame of the envelope (ZMQ_REQ_CORRELATE).
const outgoing_frame &req::next_id_frame() noexcept {
    ++next_id_;
    std::memcpy(id_.data(), &next_id_, id_.size());
    id_frame_ = {id_.data(), id_.size(), frame_flag::more, nullptr};
    return id_frame_;
}

int req::receive(incoming_frame &frame) {
    switch (state_) {
    case state::ready:
    case state::sending:
        return errc::wrong_state;
    case state::waiting:
        if (!find_reply())
            return EAGAIN;
        break;
    case state::reply_found:
    case state::receiving:
        break;
    }
    if (incoming_.read(frame) == nullptr)
        return EAGAIN;
    state_ = frame.more() ? state::receiving : state::ready;
    if (!frame.more())
        replier_ = nullptr;
    return 0;
}

bool req::can_send() {
    return state_ == state::sending || (may_begin() && outgoing_.writable());
}

bool req::can_receive() {
    return state_ == state::reply_found || state_ == state::receiving ||
           (state_ == state::waiting && find_reply());
}

bool req::find_reply() {
    const bool plain = !looks_closely_ && !options_.pattern.request_correlate;
    if (plain && incoming_.readable() && may_answer(incoming_.current()) && incoming_.take_delimiter())
        [[likely]] {
        replier_ = &incoming_.current();
        state_ = state::reply_found;
        return true;
    }
    incoming_frame frame;
    for (std::uint64_t left = most_passed_over; incoming_.go_on(left) && incoming_.readable();) {
        pipe_end &end = incoming_.current();
        const bool stale = is_stale(end);
        pipe_end *const from = incoming_.read(frame);
        if (from == nullptr)
            break;
        if (accept_envelope(frame, *from) && !stale) {
            replier_ = from;
            state_ = state::reply_found;
            return true;
        }
        incoming_.skip();
    }
    return false;
}

// The frame is the first one of a message. Its body comes next when the envelope is right. The option counts
// as it is now, not as it was for the request, which is how libzmq does it.
bool req::accept_envelope(incoming_frame &frame, const pipe_end &from) {
    bool right = may_answer(from);
    if (right && options_.pattern.request_correlate) {
        right =
            frame.more() && frame.size == id_.size() && std::memcmp(frame.data, id_.data(), id_.size()) == 0;
        frame.drop();
        right = right && incoming_.read(frame) != nullptr;
    }
    frame.drop();
    return right && frame.more() && frame.size == 0;
}

} // namespace zlink::patterns
