// SPDX-License-Identifier: MPL-2.0
#include "patterns/req.hpp"

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/random.hpp"
#include "patterns/greeting.hpp"

namespace zlink::patterns {

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
    settle();
    if (state_ == state::replied && host_.receiving.from == &end)
        state_ = state::waiting;
    incoming_.remove(end);
    outgoing_.remove(end);
    if (asked_ == &end) {
        asked_ = nullptr;
        withdrawn_ = !end.peer_closed();
    }
}

void req::on_events(pipe_end &end, std::uint32_t events) {
    settle();
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

bool req::may_begin() noexcept {
    settle();
    return state_ == state::ready || (state_ != state::sending && options_.pattern.request_relaxed);
}

int req::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    if (!may_begin())
        return errc::wrong_state;
    if (!outgoing_.writable()) {
        withdraw();
        return EAGAIN;
    }
    withdraw();
    asked_ = &outgoing_.take();
    withdrawn_ = false;
    chosen.to = asked_;
    chosen.flags = route_flag::delimited;
    if (forget_replies(*asked_)) [[unlikely]]
        chosen.set(route_flag::drops_replies);
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
// peer. The rest of a reply to it is not wanted any more.
void req::withdraw() noexcept {
    host_.receiving.give_up();
    if (state_ == state::passing) [[unlikely]]
        incoming_.settle_held();
    state_ = state::ready;
}

// Messages that are there already are no replies to the request that follows. Returns true if something has
// to be dropped.
bool req::forget_replies(pipe_end &end) noexcept {
    const std::uint64_t depth = end.in().depth();
    end.notes.mark = end.in().read_messages() + depth;
    return depth != 0 || host_.receiving.in_progress();
}

// The first frame of the envelope (ZMQ_REQ_CORRELATE).
const outgoing_frame &req::next_id_frame() noexcept {
    ++next_id_;
    std::memcpy(id_.data(), &next_id_, id_.size());
    id_frame_ = {id_.data(), id_.size(), frame_flag::more, nullptr};
    return id_frame_;
}

// A reply whose last frame was received ends the exchange.
void req::settle() noexcept {
    if (state_ == state::replied && host_.receiving.at == incoming_message::stage::none)
        state_ = state::ready;
}

source req::choose_source(asking why, incoming_frame &) {
    if (state_ == state::waiting) [[likely]]
        return why == asking::to_receive ? choose<asking::to_receive>() : look();
    return settle_and_choose(why);
}

[[gnu::noinline]] source req::settle_and_choose(asking why) {
    settle();
    return state_ == state::passing ? choose_past_dropped(why) : source::none(errc::wrong_state);
}

// A function of its own keeps the receive short.
[[gnu::noinline]] source req::look() {
    return choose<asking::to_look>();
}

// For a thread that waits for the reply.
template <asking Why> source req::choose() {
    const source chosen = incoming_.choose();
    if (chosen.error() != 0)
        return chosen;
    pipe_end &end = *chosen.from;
    envelope_read_ = 0;
    stale_ = is_stale(end);
    if (!stale_ && is_plain_reply(end)) [[likely]] {
        state_ = state::replied;
        return chosen.treated(source_flag::delimited);
    }
    if constexpr (Why == asking::to_look) { // libzmq has read nothing of the message
        state_ = state::passing;
        incoming_.hold_turn();
    }
    return chosen.treated(source_flag::inspects);
}

// A look has dropped messages; see fair_queue.
source req::choose_past_dropped(asking why) {
    if (why == asking::to_look) {
        const auto seen = incoming_.look_past_dropped(
            [this](pipe_end &end) { return !is_stale(end) && is_plain_reply(end); });
        if (seen != fair_queue::seen::unclear)
            return seen == fair_queue::seen::good ? source::only_told() : source::none(EAGAIN);
    }
    incoming_.settle_held();
    state_ = state::waiting;
    return why == asking::to_receive ? choose<asking::to_receive>() : look();
}

// The body comes next when the envelope is right. The option counts as it is now, not as it was for the
// request, which is how libzmq does it.
verdict req::inspect_incoming(pipe_end &from, incoming_frame &frame) {
    if (stale_ || !may_answer(from) || !frame.more())
        return verdict::reject;
    if (options_.pattern.request_correlate && envelope_read_++ == 0)
        return frame.size == id_.size() && std::memcmp(frame.data, id_.data(), id_.size()) == 0
                   ? verdict::pass_over
                   : verdict::reject;
    if (frame.size != 0)
        return verdict::reject;
    incoming_.go_on();
    state_ = state::replied;
    return verdict::begins;
}

bool req::can_send() {
    return state_ == state::sending || (may_begin() && outgoing_.writable());
}

} // namespace zlink::patterns
