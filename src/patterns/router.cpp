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
    catch_up();
    if (!options_.pattern.router_raw) // to whom an empty message means something else
        probe(end, options_);
    // A connection that is not there yet: whose pipe it is, and what comes through it, is told by an event.
    const bool waits =
        end.local && end.routing_id.empty() && end.peer() == nullptr && end.prepare_wait_data();
    const bool named_before = end.local && !end.routing_id.empty();
    if (!waits)
        identify(end);
    if (named_before && end.in_process && end.peer() != nullptr)
        let_id_wait(end);
    return true;
}

void router::detach(pipe_end &end) noexcept {
    catch_up();
    forget(end);
    leave(end);
    (void)take_id(end);
    incoming_.remove(end);
    if (replaced_ == &end)
        replaced_ = nullptr;
    if (announced_ == &end)
        announced_ = nullptr;
    if (found_ == &end)
        found_ = nullptr;
}

std::optional<std::uint64_t> router::owes_from(const pipe_end &end) noexcept {
    catch_up();
    return owed_if(announced_ == &end || found_ == &end || incoming_.in_message_of(end));
}

void router::on_events(pipe_end &end, std::uint32_t events) {
    catch_up();
    if (end.mark == disconnected)
        return;
    if (end.mark == muted)
        return on_muted(end, events);
    constexpr std::uint32_t introduction = pipe_event::identified | pipe_event::readable;
    if (end.routing_id.empty() && (events & introduction) != 0)
        identify(end);
    else if ((events & pipe_event::identified) != 0 && !end.in_process)
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
    else if (announced_ == &end || found_ != nullptr)
        incoming_.wake(end); // the look for the next message finds its end, so the turns are libzmq's
    else
        incoming_.peer_closed(end);
    if (wrote && !end.finished) {
        end.mark = departing;
        ++departing_;
    }
}

// The end counts in departing_ no more.
void router::leave(pipe_end &end) noexcept {
    if (end.mark != departing)
        return;
    end.mark = 0;
    --departing_;
}

// With libzmq the id of a peer whose name was known before comes as a message of its own, which is passed
// over when its turn comes. So the turns go on by one. An inproc peer sends it if it was bound before.
void router::let_id_wait(pipe_end &end) noexcept {
    if (!shows_routing_ids(options_) || end.turn_note || !end.local || !incoming_.contains(end))
        return;
    end.turn_note = true;
    ++ids_waiting_;
    incoming_.wake(end);
}

bool router::take_id(pipe_end &end) noexcept {
    const bool waits = std::exchange(end.turn_note, false);
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
    end.mark = disconnected;
    host_.finished(end);
}

// From here on the end has an id. When it is somebody else's too, the end is ignored.
void router::identify(pipe_end &end) {
    if (end.routing_id.empty() && end.peer() != nullptr)
        end.routing_id = end.peer()->routing_id();
    if (end.routing_id.empty())
        make_up_id(end);
    else if (options_.pattern.router_handover)
        take_over(end);
    if (table_.find(end.routing_id) != nullptr)
        return;
    writable_.add(end);
    incoming_.add(end);
    table_.insert(end.routing_id, &end);
}

// Zero and four bytes of a count. Peers may use such ids too.
void router::make_up_id(pipe_end &end) {
    do {
        const std::uint32_t number = next_id_++;
        end.routing_id.assign(1, '\0');
        for (unsigned shift = 32; shift != 0; shift -= 8)
            end.routing_id.push_back(static_cast<char>(number >> (shift - 8)));
    } while (table_.find(end.routing_id) != nullptr);
}

// ZMQ_ROUTER_HANDOVER: who had this id loses it, but for the message that is being received or that
// can_receive() has found. A connection stays, as with libzmq: a peer that connected again would take the id
// back, and so on for ever.
void router::take_over(pipe_end &end) {
    pipe_end *old = table_.find(end.routing_id);
    if (old != nullptr)
        retire(*old);
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
    const bool stays = !end.in_process && !end.peer_closed();
    end.mark = stays ? muted : disconnected;
    stays ? drop_all(end) : host_.finished(end);
}

// Nothing is sent to this end any more.
void router::forget(pipe_end &end) noexcept {
    if (!write_ring::contains(end))
        return;
    table_.erase(end.routing_id);
    writable_.remove(end);
    host_.lose(end);
}

// Between messages: is somebody to be disconnected?
void router::settle() noexcept {
    if (replaced_ == nullptr || announced_ != nullptr || found_ == replaced_ || incoming_.in_message())
        return;
    pipe_end &old = *std::exchange(replaced_, nullptr);
    if (incoming_.contains(old))
        disconnect(old);
}

// Looks whether an id was received on the cached route, and closes that route.
void router::catch_up() noexcept {
    cached_source &way = host_.cached.in;
    pipe_end *const end = way.withdraw();
    if (end == nullptr)
        return;
    announced_ = end->in().read_messages() == way.messages ? end : nullptr;
    if (announced_ != nullptr)
        return;
    if (std::exchange(first_is_next_, false))
        incoming_.begin_again();
    else
        incoming_.pass();
}

int router::receive(incoming_frame &frame) {
    catch_up();
    if (announced_ == nullptr && !incoming_.in_message())
        return announce(frame);
    announced_ = nullptr; // it is still the current one
    if (incoming_.read(frame) == nullptr)
        return EAGAIN;
    if (std::exchange(first_is_next_, false)) [[unlikely]]
        incoming_.begin_again();
    return 0;
}

// The id of the end whose message is next.
int router::announce(incoming_frame &frame) {
    if (replaced_ != nullptr) [[unlikely]]
        settle();
    if (ids_waiting_ != 0 && found_ == nullptr) [[unlikely]]
        pass_ids();
    if (!incoming_.readable())
        return EAGAIN;
    announced_ = &incoming_.current();
    found_ = nullptr;
    const std::string &id = announced_->routing_id;
    frame = {reinterpret_cast<const std::uint8_t *>(id.data()),
             id.size(),
             nullptr,
             frame_flag::more,
             false,
             announced_->peer()};
    host_.cached.in.named = incoming_.only();
    host_.cached.in.pass_id(announced_, announced_->in().read_messages());
    return 0;
}

bool router::can_receive() {
    catch_up();
    if (announced_ != nullptr)
        return true;
    settle();
    if (ids_waiting_ != 0 && found_ == nullptr) [[unlikely]]
        pass_ids();
    if (!incoming_.readable())
        return false;
    if (!incoming_.in_message())
        found_ = &incoming_.current();
    choose_next();
    return true;
}

// Decides which end is read after the message that is found now, if that message has one frame. libzmq reads
// such a message when a program asks for ZMQ_EVENTS. Ends that become active later come after all that are
// active now. So only the last active end needs a note.
void router::choose_next() noexcept {
    if (!incoming_.in_message())
        first_is_next_ |= incoming_.at_last() && !incoming_.current().in().next_has_more();
}

result<pattern::peer_state> router::state_of(std::string_view routing_id) {
    catch_up();
    pipe_end *end = table_.find(routing_id);
    if (end == nullptr)
        return error{EHOSTUNREACH};
    return peer_state{announced_ == end || end->in().has_message(), has_room(*end)};
}

void router::end_connection(pipe_end &end, bool told) noexcept {
    catch_up();
    if (told)
        retire(end); // its worker ends by what it reads
    else
        hang_up(end);
}

void router::hang_up(pipe_end &end) noexcept {
    forget(end);
    leave(end);
    incoming_.remove(end);
    if (announced_ == &end)
        announced_ = nullptr;
    if (found_ == &end)
        found_ = nullptr;
    end.mark = disconnected;
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
    } else if (end != nullptr && end->out().stays_full()) {
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
