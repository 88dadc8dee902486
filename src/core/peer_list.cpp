// SPDX-License-Identifier: MPL-2.0
#include "core/peer_list.hpp"

#include <cerrno>
#include <new>
#include <thread>
#include <utility>

#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "core/poll_events.hpp"
#include "runtime/shared_mailbox.hpp"

namespace zlink::core {
namespace {

std::shared_ptr<runtime::socket_mailbox> make_box(const socket_traits &traits) {
    if (traits.thread_safe)
        return std::make_shared<runtime::shared_mailbox>();
    return std::make_shared<runtime::socket_mailbox>();
}

// The last word to a socket of this process that asked for one (ZMQ_DISCONNECT_MSG).
void say_disconnect_message(pipe_end &end) noexcept {
    if (!end.traits.in_process() || end.peer_closed() || end.peer() == nullptr)
        return;
    const std::string *word = end.peer()->property(disconnect_property);
    if (word == nullptr)
        return;
    end.out().rollback();
    if (end.out().write({reinterpret_cast<const std::uint8_t *>(word->data()), word->size(), 0, nullptr}))
        end.writer().commit_from_io();
}

// The socket lets go. Where the other side has gone, the sums of the pipe are complete, and are the socket's
// now.
void settle_counts(const pipe_end &end, pipe &of) noexcept {
    counters::pipe_counts *const counts = of.counts();
    if (counts == nullptr)
        return;
    const auto side = &end == &of.first() ? counters::pipe_side::first : counters::pipe_side::second;
    if (end.interest.abandoned())
        counts->settle(side, counters::drop_reason::policy);
    else if (end.peer_closed())
        counts->settle(side, counters::drop_reason::connection_lost);
    else
        counts->leave(side);
}

} // namespace

peer_list::peer_list(inproc_names &names, socket_options options, endpoint_table &endpoints,
                     const std::shared_ptr<counters::context_counts> &counted_by)
    : transfer_state(traits_of(options.type).thread_safe, make_box(traits_of(options.type))),
      traits_(traits_of(options.type)),
      inbox_(std::make_shared<socket_inbox>(
          box_, names,
          std::make_shared<counters::socket_counts>(counted_by, static_cast<int>(options.type)))),
      names_(names), endpoints_(endpoints), options_(std::move(options)), pipes_(traits_, inbox_->groups()) {
    counts = inbox_->counts().get();
    pattern_ = patterns::make_pattern(*this, options_);
    if (mark().shared())
        pipes_.streams().disable(); // who reads and who waits are different threads
    if (traits_.publishes())
        direct_io::leased_streams::thread_publishes();
}

// ---- events

int peer_list::handle_events() {
    if (life_ == life::forked) [[unlikely]]
        return EINTR;
    const uncancelled meanwhile;
    close_routes();
    taken_events_ = watched_ && mark().shared();
    box_->ready.drain();
    if (inbox_->take_news()) {
        if (traits_.publishes())
            direct_io::leased_streams::thread_publishes();
        take_new_pipes();
        life_ = inbox_->terminated() ? life::terminated : life::open;
    }
    close_any_finished();
    pipes_.forget_parted();
    return life_ == life::terminated ? errc::terminated : 0;
}

// With peers the descriptor begins readable: some of them may not have been asked to tell of their next
// message.
int peer_list::watch() {
    pipes_.streams().disable();
    const int descriptor = box_->descriptor();
    if (descriptor < 0)
        return descriptor;
    if (!std::exchange(watched_, true) && !pipes_.empty())
        box_->announce();
    close_routes();
    return descriptor;
}

void peer_list::share(std::shared_ptr<runtime::socket_mailbox> box) noexcept {
    inbox_->move_to(box);
    box_ = std::move(box);
    mark_.share();
    pipes_.streams().disable();
}

void peer_list::handle_events_in_background() {
    if (inbox_->terminated() || check_alive() != errc::terminated)
        return;
    life_ = life::open;
    inbox_->terminate();
}

// A program may wait for the descriptor after a send or a receive, without a look at ZMQ_EVENTS. So the
// descriptor is readable if a message is there, and the next one to come makes it so. Without the cached
// route way, which would pass this by.
void peer_list::rearm(bool in_message) noexcept {
    close_routes();
    if (!in_message && pattern_->arm())
        box_->announce();
}

void peer_list::take_new_pipes() {
    if (!watched_)
        box_->announce(); // once there is a descriptor, these pipes have rung it
    for (new_pipe &fresh : inbox_->take()) {
        const std::shared_ptr<pipe> made = fresh.made;
        pipe_end &end = *fresh.end;
        try {
            if (!fresh.origin.name_endpoint.empty() &&
                !endpoints_.note_connection(fresh.origin.name_endpoint, end)) {
                end.close(0); // it was disconnected meanwhile
                continue;
            }
            attach(std::move(fresh));
        } catch (const std::bad_alloc &) { // this connection is lost, and no other
            endpoints_.forget_end(end);
            abandon(end, -1);
        }
    }
}

void peer_list::on_pipe_event(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::peer_closed) != 0)
        lose(end);
    if (!end.interest.finished())
        pattern_->on_events(end, events);
    count_subscriptions();
}

// Another thread in a call on the socket may wait for what this one has changed.
void peer_list::tell_waiting_threads() noexcept {
    if (mark().shared())
        box_->wake();
}

// ---- pipes

void peer_list::attach(new_pipe fresh) {
    close_routes();
    pipe_end &end = *fresh.end;
    pipes_.add(std::move(fresh));
    const std::uint32_t events = end.attach(*this, box_);
    if (end.traits.in_process())
        end.other().ring(); // as libzmq does when it has read the peer's routing id
    const bool unnamed = end.notes.routing_id.empty();
    if (!pattern_->attach(end))
        return release(end);
    count_subscriptions();
    tell_waiting_threads(); // a connection of ours comes without an event
    if (traits_.wire == wire_form::bare && unnamed)
        options_.routing_id = end.notes.routing_id; // zmq_socket(3): to be asked for after zmq_connect
    if (events != 0)
        on_pipe_event(end, events);
}

void peer_list::detach(pipe_end &end) noexcept {
    lose(end);
    pattern_->detach(end);
}

void peer_list::abandon(pipe_end &end, int linger_ms) {
    detach(end);
    pipes_.contains(&end) ? release(end) : end.close(linger_ms);
}

void peer_list::release(pipe_end &end) {
    close_routes();
    endpoints_.forget_end(end);
    new_pipe held = pipes_.remove(end); // the pipe outlives the call
    say_disconnect_message(end);
    settle_counts(end, *held.made);
    names_.forget_unused(held);
    const int linger_ms = end.interest.abandoned() ? 0 : leave_taking_ms();
    end.traits.in_process() || watched_ ? pipes_.part(std::move(held), linger_ms) : end.close(linger_ms);
}

void peer_list::finished(pipe_end &end) noexcept {
    end.interest.finish();
    close_routes();
    pipes_.note_finished(end);
}

void peer_list::close_finished() {
    pipes_.close_finished([this](pipe_end &end) {
        detach(end);
        release(end);
    });
}

// Discards messages that came from there and were not received, as zmq_disconnect(3) has it. A message that
// the application has begun to receive, or was told of, stays. So does all that an inproc peer has left
// behind: the pattern reports that end as finished when it was read.
void peer_list::let_go(pipe_end &end) {
    close_routes();
    if (end.interest.finished())
        return close_finished();
    if (end.traits.in_process() && end.peer_closed())
        return;
    if (const auto owed = pattern_->owes_from(end)) {
        say_disconnect_message(end);
        end.leave(*owed, leave_taking_ms());
        return on_pipe_event(end, pipe_event::peer_closed);
    }
    detach(end);
    release(end);
}

void peer_list::close() {
    const int linger = leave_taking_ms();
    pipes_.streams().release_lease(); // an event loop's epoll(7) is closed soon
    inbox_->counts()->begin_closing();
    names_.unbind_all(*inbox_);
    for (new_pipe &late : inbox_->close())
        late.end->close(linger);
    for (const auto &[end, pipe] : pipes_.all()) {
        detach(*end);
        say_disconnect_message(*end);
        names_.forget_unused(pipe);
        end->close(linger);
    }
    endpoints_.end_workers(linger); // while the context is there
    pipes_.forget_all();
    // Another thread may be about to queue an end: its node must have come and gone.
    for (; box_->attached != 0; std::this_thread::yield())
        box_->ready.drain();
    box_->announce(); // an event loop that still watches the descriptor looks, and finds the socket gone
}

void peer_list::apply_high_water_marks() noexcept {
    pipes_.set_high_water_marks(options_.send_hwm, options_.receive_hwm);
    pipes_.set_byte_marks(options_.send_byte_mark, options_.receive_byte_mark);
    tell_waiting_threads();
}

// ZMQ_LINGER is for messages. All that these have to send is what they want to receive, which is nothing now.
int peer_list::leave_taking_ms() const noexcept {
    return traits_.only_subscribes() ? 0 : options_.linger_ms;
}

// ---- peers and groups by name

result<int> peer_list::state_of(std::string_view routing_id) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    const auto state = pattern_->state_of(routing_id);
    if (!state)
        return error{state.code()};
    return (state->readable ? poll_in : 0) | (state->writable ? poll_out : 0);
}

result<void> peer_list::join_group(std::string_view group) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    return pattern_->join_group(group);
}

result<void> peer_list::leave_group(std::string_view group) {
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    return pattern_->leave_group(group);
}

} // namespace zlink::core
