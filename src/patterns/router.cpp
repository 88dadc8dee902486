// SPDX-License-Identifier: MPL-2.0
#include "patterns/router.hpp"

#include "patterns/greeting.hpp"

namespace zlink::patterns {

namespace {
// In an end's mark: another one has its id. It was reported as finished, whatever is heard of it still; or it
// stays as long as its connection, and what comes is dropped.
constexpr std::uint64_t disconnected = 1;
constexpr std::uint64_t muted = 2;
// Its peer is gone, and there is something to read. It counts in departing_.
constexpr std::uint64_t departing = 3;
} // namespace

router::router(pattern_host &host, const socket_options &options) noexcept
    : pattern(host, options), incoming_(host), next_id_(static_cast<std::uint32_t>(random_seed())) {}

bool router::attach(pipe_end &end) {
    if (!options_.pattern.router_raw) // to whom an empty message means something else
        probe(end, options_);
    // A connection that is not there yet: whose pipe it is, and what comes through it, is told by an event.
    const bool waits =
        end.traits.local && end.notes.routing_id.empty() && end.peer() == nullptr && end.prepare_wait_data();
    const bool named_before = end.traits.local && !end.notes.routing_id.empty();
    if (!waits)
        identify(end);
    if (named_before && end.traits.in_process() && end.peer() != nullptr)
        let_id_wait(end);
    return true;
}

void router::detach(pipe_end &end) noexcept {
    forget(end);
    leave(end);
    (void)take_id(end);
    incoming_.remove(end);
    if (replaced_ == &end)
        replaced_ = nullptr;
    if (found_ == &end)
        found_ = nullptr;
}

std::optional<std::uint64_t> router::owes_from(const pipe_end &end) noexcept {
    return owed_if(found_ == &end || host_.receiving_from() == &end);
}

void router::on_events(pipe_end &end, std::uint32_t events) {
    if (end.notes.mark == disconnected)
        return;
    if (end.notes.mark == muted)
        return on_muted(end, events);
    constexpr std::uint32_t introduction = pipe_event::identified | pipe_event::readable;
    if (end.notes.routing_id.empty() && (events & introduction) != 0)
        identify(end);
    else if ((events & pipe_event::identified) != 0 && !end.traits.in_process())
        let_id_wait(end);
    if ((events & pipe_event::readable) != 0)
        incoming_.wake(end);
    if ((events & pipe_event::writable) != 0 && write_ring::contains(end))
        writable_.activate(end);
    if ((events & pipe_event::peer_closed) == 0)
        return;
    const bool wrote = write_ring::contains(end);
    forget(end);
    if (!incoming_.contains(end))
        host_.finished(end);
    else if (found_ != nullptr || host_.receiving_from() == &end)
        incoming_.wake(end); // the look for the next message finds its end, so the turns are libzmq's
    else
        incoming_.peer_closed(end);
    if (wrote && !end.interest.finished()) {
        end.notes.mark = departing;
        ++departing_;
    }
}

// The end counts in departing_ no more.
void router::leave(pipe_end &end) noexcept {
    if (end.notes.mark != departing)
        return;
    end.notes.mark = 0;
    --departing_;
}

// libzmq passes over one message when the turn of a new peer comes: its id, if its name was known before. So
// the turns go on by one. An inproc peer sends the id if it was bound before.
void router::let_id_wait(pipe_end &end) noexcept {
    if (!shows_routing_ids(options_) || end.notes.turn_note || !end.traits.local || !incoming_.contains(end))
        return;
    end.notes.turn_note = true;
    ++ids_waiting_;
    incoming_.wake(end);
}

bool router::take_id(pipe_end &end) noexcept {
    const bool waits = std::exchange(end.notes.turn_note, false);
    ids_waiting_ -= waits ? 1U : 0U;
    return waits;
}

void router::pass_ids() {
    incoming_.pass_over([this](pipe_end &end) { return take_id(end); });
}

void router::on_muted(pipe_end &end, std::uint32_t events) noexcept {
    if ((events & pipe_event::readable) != 0)
        drop_all(end);
    if ((events & pipe_event::peer_closed) == 0)
        return;
    end.notes.mark = disconnected;
    host_.finished(end);
}

// From here on the end has an id. When it is somebody else's too, the end is ignored.
void router::identify(pipe_end &end) {
    if (end.notes.routing_id.empty() && end.peer() != nullptr)
        end.notes.routing_id = end.peer()->routing_id();
    if (end.notes.routing_id.empty())
        make_up_id(end);
    else if (options_.pattern.router_handover)
        take_over(end);
    if (table_.find(end.notes.routing_id) != nullptr)
        return;
    writable_.add(end);
    incoming_.add(end);
    table_.insert(end.notes.routing_id, &end);
}

// Zero and four bytes of a count. Peers may use such ids too.
void router::make_up_id(pipe_end &end) {
    do {
        const std::uint32_t number = next_id_++;
        end.notes.routing_id.assign(1, '\0');
        for (unsigned shift = 32; shift != 0; shift -= 8)
            end.notes.routing_id.push_back(static_cast<char>(number >> (shift - 8)));
    } while (table_.find(end.notes.routing_id) != nullptr);
}

// ZMQ_ROUTER_HANDOVER: who had this id loses it, but for the message that is being received or that
// a look has found. A connection stays, as with libzmq: a peer that connected again would take the id
// back, and so on for ever.
void router::take_over(pipe_end &end) {
    pipe_end *old = table_.find(end.notes.routing_id);
    if (old != nullptr)
        retire(*old);
    else if (departing_ != 0)
        rename_departing(end);
}

// Who had the id has gone, and left something to read. That message is not taken for one of the new peer.
void router::rename_departing(const pipe_end &fresh) {
    incoming_.for_each([&](pipe_end &old) {
        if (old.notes.mark != departing || old.notes.routing_id != fresh.notes.routing_id)
            return;
        if (replaced_ == nullptr && owes_from(old))
            replaced_ = &old;
        else
            make_up_id(old);
    });
}

void router::retire(pipe_end &old) noexcept {
    forget(old);
    if (replaced_ == nullptr && owes_from(old))
        replaced_ = &old;
    else
        disconnect(old);
}

void router::disconnect(pipe_end &end) noexcept {
    leave(end);
    incoming_.remove(end);
    if (found_ == &end)
        found_ = nullptr;
    const bool stays = !end.traits.in_process() && !end.peer_closed();
    end.notes.mark = stays ? muted : disconnected;
    stays ? drop_all(end) : host_.finished(end);
}

// Nothing is sent to this end any more.
void router::forget(pipe_end &end) noexcept {
    if (!write_ring::contains(end))
        return;
    table_.erase(end.notes.routing_id);
    writable_.remove(end);
    host_.lose(end);
}

// Between messages: is somebody to be disconnected? A peer that lost its id and has gone meanwhile is read to
// the end, as with libzmq, under another id.
void router::settle() {
    if (replaced_ == nullptr || found_ == replaced_ || host_.receiving.at != incoming_message::stage::none)
        return;
    pipe_end &old = *std::exchange(replaced_, nullptr);
    if (!incoming_.contains(old))
        return;
    if (!old.peer_closed() || is_raw(options_))
        return disconnect(old);
    make_up_id(old);
    if (old.notes.mark != departing) {
        old.notes.mark = departing;
        ++departing_;
    }
}

// The id of the end whose message is next comes before that message.
source router::choose_source(asking why, incoming_frame &made) {
    if (replaced_ != nullptr) [[unlikely]]
        settle();
    if (ids_waiting_ != 0 && found_ == nullptr) [[unlikely]]
        pass_ids();
    const source chosen = incoming_.choose().with(source_flag::made);
    if (chosen.error() != 0)
        return chosen;
    if (why == asking::to_look) {
        keep_choice(*chosen.from);
        return chosen;
    }
    found_ = nullptr;
    const std::string &id = chosen.from->notes.routing_id;
    made = {reinterpret_cast<const std::uint8_t *>(id.data()),
            id.size(),
            nullptr,
            frame_flag::more,
            false,
            chosen.from->peer()};
    return chosen;
}

// libzmq reads the message that is next when a program asks for ZMQ_EVENTS. If the message has one frame, the
// turns go on then.
void router::keep_choice(pipe_end &next) noexcept {
    found_ = &next;
    if (!next.in().next_has_more())
        incoming_.settle_next();
}

result<pattern::peer_state> router::state_of(std::string_view routing_id) {
    pipe_end *end = table_.find(routing_id);
    if (end == nullptr)
        return error{EHOSTUNREACH};
    return peer_state{host_.receiving_from() == end || end->in().has_message(), has_room(*end)};
}

void router::end_connection(pipe_end &end, bool told) noexcept {
    if (told)
        retire(end); // its worker ends by what it reads
    else
        hang_up(end);
}

void router::hang_up(pipe_end &end) noexcept {
    forget(end);
    leave(end);
    incoming_.remove(end);
    if (found_ == &end)
        found_ = nullptr;
    end.notes.mark = disconnected;
    host_.finished(end);
}

// The first frame names the peer that the others go to. An id without anything behind it goes to nobody.
int router::choose_target(const outgoing_frame &first, const message_address &, route &chosen) {
    chosen.flags = route_flag::takes_first;
    if (!first.more()) {
        chosen.set(route_flag::asks_again);
        return 0;
    }
    pipe_end *end = table_.find({reinterpret_cast<const char *>(first.data), first.size});
    if (options_.pattern.router_mandatory) {
        if (end == nullptr)
            return EHOSTUNREACH;
        if (!has_room(*end))
            return EAGAIN;
    } else if (end == nullptr) {
        host_.count_drop(counters::drop_reason::unroutable);
    } else if (end->out().stays_full()) {
        host_.count_full(*end);
        end = nullptr;
    }
    chosen.to = end;
    if (options_.pattern.router_raw)
        chosen.set(route_flag::raw);
    return 0;
}

// A peer that is gone counts as having room until its last message was read, as with libzmq. A send to it
// then gives EHOSTUNREACH.
bool router::can_send() {
    return !options_.pattern.router_mandatory || departing_ != 0 || find_room(writable_);
}

} // namespace zlink::patterns
