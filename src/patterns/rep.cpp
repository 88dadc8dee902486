// SPDX-License-Identifier: MPL-2.0
#include "patterns/rep.hpp"

#include <cerrno>
#include <utility>

#include "base/error.hpp"
#include "patterns/greeting.hpp"

namespace zlink::patterns {

namespace {
// In an end's mark: it is read in its turn. Another end has its routing id: it is not read, or what comes is
// dropped because it had the id before.
constexpr std::uint64_t known = 1;
constexpr std::uint64_t ignored = 2;
constexpr std::uint64_t dropped = 3;
} // namespace

bool rep::attach(pipe_end &end) {
    probe(end, options_);
    // A connection that is not there yet: whose pipe it is, is told by an event.
    const bool waits =
        end.traits.local && end.notes.routing_id.empty() && end.peer() == nullptr && end.prepare_wait_data();
    if (!waits)
        identify(end);
    return true;
}

void rep::identify(pipe_end &end) {
    if (end.notes.routing_id.empty() && end.peer() != nullptr)
        end.notes.routing_id = end.peer()->routing_id();
    if (!end.notes.routing_id.empty()) {
        pipe_end *const old = table_.find(end.notes.routing_id);
        if (old != nullptr && !options_.pattern.router_handover) {
            end.notes.mark = ignored;
            return;
        }
        if (old != nullptr)
            take_over(*old, end);
        table_.insert(end.notes.routing_id, &end);
    }
    incoming_.add(end);
    end.notes.mark = known;
}

// A reply that is owed goes to who has the id now, as with libzmq.
void rep::take_over(pipe_end &old, pipe_end &fresh) noexcept {
    forget(old);
    host_.lose(old);
    if (asker_ == &old)
        asker_ = &fresh;
    if (host_.receiving_from() == &old)
        replaced_ = &old;
    else
        mute(old);
}

// A connection stays, as with libzmq: a peer that connected again would take the id back, and so on for ever.
void rep::mute(pipe_end &end) noexcept {
    incoming_.remove(end);
    end.notes.mark = dropped;
    if (end.traits.in_process() || end.peer_closed())
        host_.finished(end);
    else
        drop_all(end);
}

void rep::on_ignored(pipe_end &end, std::uint32_t events) noexcept {
    if (end.notes.mark == dropped && (events & pipe_event::readable) != 0)
        drop_all(end);
    if ((events & pipe_event::peer_closed) != 0)
        host_.finished(end);
}

// The id is free.
void rep::forget(pipe_end &end) noexcept {
    if (!end.notes.routing_id.empty() && table_.find(end.notes.routing_id) == &end)
        table_.erase(end.notes.routing_id);
}

void rep::detach(pipe_end &end) noexcept {
    if (replaced_ == &end)
        replaced_ = nullptr;
    settle();
    if (state_ == state::requested && host_.receiving.from == &end)
        state_ = state::waiting;
    incoming_.remove(end);
    forget(end);
    if (asker_ == &end)
        asker_ = nullptr;
}

void rep::on_events(pipe_end &end, std::uint32_t events) {
    settle();
    if (end.interest.finished())
        return;
    constexpr std::uint32_t introduction = pipe_event::identified | pipe_event::readable;
    if (end.notes.mark == 0 && (events & introduction) != 0)
        identify(end);
    if (end.notes.mark == ignored || end.notes.mark == dropped)
        return on_ignored(end, events);
    if ((events & pipe_event::readable) != 0)
        incoming_.wake(end);
    if ((events & pipe_event::peer_closed) == 0)
        return;
    forget(end);
    if (asker_ == &end)
        asker_ = nullptr;
    if (!incoming_.contains(end))
        return host_.finished(end);
    if (state_ == state::waiting)
        incoming_.peer_closed(end);
    else
        incoming_.wake(end); // the look for the next request finds its end
}

// A request whose last frame was received is owed a reply.
void rep::settle() noexcept {
    if (host_.receiving.at != incoming_message::stage::none)
        return;
    if (state_ == state::requested)
        state_ = state::owing;
    if (replaced_ != nullptr) [[unlikely]]
        if (pipe_end &old = *std::exchange(replaced_, nullptr); !old.peer_closed())
            mute(old); // who has gone meanwhile is read to the end, as with libzmq
}

source rep::choose_source(asking why, incoming_frame &) {
    if (state_ == state::waiting && replaced_ == nullptr) [[likely]]
        return why == asking::to_receive ? choose<asking::to_receive>() : look();
    return settle_and_choose(why);
}

[[gnu::noinline]] source rep::settle_and_choose(asking why) {
    settle();
    return state_ == state::passing ? choose_past_dropped(why) : choose_settled(why);
}

// As the state is now.
source rep::choose_settled(asking why) {
    if (state_ != state::waiting)
        return source::none(errc::wrong_state);
    return why == asking::to_receive ? choose<asking::to_receive>() : look();
}

// A function of its own keeps the receive short.
[[gnu::noinline]] source rep::look() {
    return choose<asking::to_look>();
}

// For a thread that waits for a request.
template <asking Why> source rep::choose() {
    const source chosen = incoming_.choose();
    if (chosen.error() != 0)
        return chosen;
    envelope_.clear();
    sizes_.clear();
    if (!chosen.from->in().delimiter_is_next()) [[unlikely]] {
        if constexpr (Why == asking::to_look)
            begin_look(*chosen.from);
        return chosen.treated(source_flag::inspects);
    }
    begin(*chosen.from);
    return chosen.treated(source_flag::delimited);
}

// The message may have no envelope. libzmq has read its first frame then: if that is all, the turn has
// passed.
void rep::begin_look(pipe_end &from) noexcept {
    state_ = state::passing;
    if (from.in().next_has_more())
        incoming_.hold_turn();
}

// A look has dropped messages; see fair_queue.
source rep::choose_past_dropped(asking why) {
    if (why == asking::to_look) {
        const auto seen =
            incoming_.look_past_dropped([](pipe_end &end) { return end.in().delimiter_is_next(); });
        if (seen != fair_queue::seen::unclear)
            return seen == fair_queue::seen::good ? source::only_told() : source::none(EAGAIN);
    }
    incoming_.settle_held();
    state_ = state::waiting;
    return choose_settled(why);
}

// Keeps the envelope, up to the delimiter. A message without a delimiter is dropped.
verdict rep::inspect_incoming(pipe_end &from, incoming_frame &frame) {
    if (frame.more() && frame.size == 0) {
        incoming_.go_on();
        begin(from);
        return verdict::begins;
    }
    keep(frame);
    return verdict::pass_over;
}

void rep::begin(pipe_end &from) noexcept {
    asker_ = from.peer_closed() ? nullptr : &from;
    state_ = state::requested;
}

void rep::keep(const incoming_frame &frame) {
    envelope_.append(reinterpret_cast<const char *>(frame.data), frame.size);
    sizes_.push_back(frame.size);
}

int rep::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    settle();
    if (state_ != state::owing)
        return errc::wrong_state;
    chosen.to = asker_ != nullptr && !asker_->out().full() ? asker_ : nullptr;
    chosen.flags = route_flag::delimited;
    if (!sizes_.empty()) {
        frame_envelope();
        chosen.envelope = envelope_frames_;
        chosen.set(route_flag::enveloped);
    }
    if (first.more())
        chosen.set(route_flag::reports_end);
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
    settle();
    return state_ == state::owing || state_ == state::replying;
}

} // namespace zlink::patterns
