// SPDX-License-Identifier: MPL-2.0
#include "core/socket.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <thread>

#include "base/brief_yield.hpp"
#include "base/cancellation.hpp"
#include "base/error.hpp"

namespace zlink::core {
namespace {
constexpr std::size_t delimiter_bytes = 2;
// So long a call that gives up waits for the rest of a body that has begun to arrive in the caller's memory.
constexpr runtime::time_ms patience_for_rest_ms = 50;

runtime::socket_mailbox *make_box(const socket_traits &traits) {
    return traits.thread_safe ? new runtime::shared_mailbox : new runtime::socket_mailbox;
}

// Ends with the thread, too, when that is cancelled.
struct nap {
    ~nap() {
        box.sleeping(false);
        streams.end_wait(watched);
    }
    runtime::socket_mailbox &box;
    direct_io::leased_streams &streams;
    std::span<const pollfd> watched;
};
} // namespace

// ---- life

std::unique_ptr<socket> socket::create(context &owner, socket_options options, int type) {
    options.type = static_cast<socket_type>(type);
    if (type < 0 || type > 255)
        return nullptr;
    std::unique_ptr<socket> made(new socket(owner, std::move(options)));
    made->pattern_ = patterns::make_pattern(*made, made->options_);
    if (made->traits_.thread_safe)
        made->share();
    if (made->traits_.publishes())
        direct_io::leased_streams::thread_publishes();
    return made->pattern_ ? std::move(made) : nullptr;
}

socket::socket(context &owner, socket_options options)
    : traits_(traits_of(options.type)), box_(*make_box(traits_)),
      inbox_(std::make_shared<socket_inbox>(std::shared_ptr<runtime::socket_mailbox>(&box_), owner.names())),
      context_(owner), options_(std::move(options)), pipes_(traits_, inbox_->groups()) {}

socket::~socket() {
    tag_ = 0;
}

void socket::close(socket *open) {
    if (open->forked_) {
        open->tag_ = 0;
        return;
    }
    if (open->shared())
        open->shared_access_->wake_all();
    std::unique_ptr<socket> last(open);
    context &owner = last->context_;
    const int linger = last->leave_taking_ms();
    last->end_monitor();
    owner.names().unbind_all(*last->inbox_);
    for (new_pipe &late : last->inbox_->close())
        late.end->close(linger);
    for (const auto &[end, pipe] : last->pipes_.all()) {
        last->detach(*end);
        say_disconnect_message(*end);
        owner.names().forget_unused(pipe);
        end->close(linger);
    }
    last->endpoints_.end_workers(linger);
    last->pipes_.forget_all();
    // Another thread may be about to queue an end: its node must have come and gone.
    for (; last->box_.attached != 0; std::this_thread::yield())
        last->box_.ready.drain();
    last->box_.announce(); // an event loop that still watches the descriptor looks, and finds the socket gone
    owner.forget(*last);
}

// ---- news

int socket::handle_news() {
    if (forked_) [[unlikely]]
        return EINTR;
    const uncancelled meanwhile;
    close_routes();
    box_.ready.drain();
    if (inbox_->take_news()) {
        if (traits_.publishes())
            direct_io::leased_streams::thread_publishes();
        take_new_pipes();
        ended_ = inbox_->terminated();
        attention_ = ended_;
    }
    if (pipes_.any_finished())
        close_finished();
    return ended_ ? errc::terminated : 0;
}

// A program may wait for the descriptor after a send or a receive, without a look at ZMQ_EVENTS. So the
// descriptor is readable if a message is there, and the next one to come makes it so. Without the cached
// route way, which would pass this by.
void socket::rearm(bool in_message) noexcept {
    close_routes();
    if (!in_message && pattern_->arm())
        box_.announce();
}

void socket::take_new_pipes() {
    if (!watched_)
        box_.announce(); // once there is a descriptor, these pipes have rung it
    for (new_pipe &fresh : inbox_->take()) {
        const std::shared_ptr<pipe> made = fresh.made;
        pipe_end &end = *fresh.end;
        try {
            attach(std::move(fresh));
        } catch (const std::bad_alloc &) { // this connection is lost, and no other
            detach(end);
            pipes_.contains(&end) ? release(end) : end.close();
        }
    }
}

void socket::attach(new_pipe fresh) {
    close_routes();
    pipe_end &end = *fresh.end;
    const bool inproc = end.traits.in_process();
    pipes_.add(std::move(fresh));
    const std::uint32_t events = end.attach(*this, inbox_->shared_box());
    if (inproc)
        end.other().ring(); // as libzmq does when it has read the peer's routing id
    const bool unnamed = end.notes.routing_id.empty();
    if (!pattern_->attach(end))
        return release(end);
    if (shared_access_) // a connection of ours comes without news
        shared_access_->tell();
    if (traits_.wire == wire_form::bare && unnamed)
        options_.routing_id = end.notes.routing_id; // zmq_socket(3): to be asked for after zmq_connect
    if (events != 0)
        on_pipe_event(end, events);
}

void socket::on_pipe_event(pipe_end &end, std::uint32_t events) {
    if ((events & pipe_event::peer_closed) != 0)
        lose(end);
    if (!end.finished())
        pattern_->on_events(end, events);
}

// Nothing of the end is used after it.
void socket::detach(pipe_end &end) noexcept {
    lose(end);
    pattern_->detach(end);
}

void socket::finished(pipe_end &end) noexcept {
    end.finish();
    close_routes();
    pipes_.note_finished(end);
}

// ZMQ_LINGER is for messages. All that these have to send is what they want to receive, which is nothing now.
int socket::leave_taking_ms() const noexcept {
    return traits_.only_subscribes() ? 0 : options_.linger_ms;
}

void socket::close_finished() {
    pipes_.close_finished([this](pipe_end &end) {
        detach(end);
        release(end);
    });
}

void socket::release(pipe_end &end) {
    close_routes();
    endpoints_.forget_end(end);
    new_pipe held = pipes_.remove(end); // the pipe outlives the call
    say_disconnect_message(end);
    context_.names().forget_unused(held);
    const int linger_ms = end.abandoned() ? 0 : leave_taking_ms();
    end.traits.in_process() || watched_ ? pipes_.part(std::move(held), linger_ms) : end.close(linger_ms);
}

// ----
// waiting

// Sleeps on the streams that are this thread's to read, too.
runtime::park_result socket::sleep(runtime::time_ms deadline, bool for_input) {
    runtime::parker &self = runtime::parker::of_this_thread(); // may need memory: first of all
    constexpr std::size_t most = direct_io::leased_streams::most_watched;
    std::array<pollfd, most + 1> watched;
    const std::size_t streams = for_input ? pipes_.streams().begin_wait({watched.data(), most}) : 0;
    const nap until_woken{box_, pipes_.streams(), {watched.data(), streams}};
    box_.sleeping(true);
    if (!box_.ready.empty())
        return runtime::park_result::woken;
    return streams != 0 ? self.park_with({watched.data(), streams + 1}, deadline) : self.park(deadline);
}

int socket::wait(persistence &limits, bool for_input) {
    if (shared_access_) [[unlikely]]
        return wait_for_access(limits);
    pipes_.streams().release_write_lease();
    if (for_input)
        pipes_.streams().read();
    else
        pipes_.streams().release_lease(); // what comes meanwhile is for the I/O threads to take
    if (only_inproc()) // the other thread may be ready to run and have more for us than the one message
        brief_yield();
    if (news())
        return handle_news();
    const auto arrived = [this] { return news(); };
    if (for_input ? spin_.spin(arrived, [this] { pipes_.streams().read(); })
                  : room_spin_.spin(arrived, [] {}))
        return handle_news();
    if (const int interrupted = limits.before_sleep(); interrupted != 0) [[unlikely]]
        return interrupted;
    switch (sleep(limits.deadline(), for_input)) {
    case runtime::park_result::woken:
        return check_alive();
    case runtime::park_result::timed_out:
        return EAGAIN;
    case runtime::park_result::interrupted:
        return EINTR;
    case runtime::park_result::failed: // no descriptor for a sleep on streams
        pipes_.streams().disable();
        return 0;
    }
    return 0;
}

// Before EAGAIN: the program waits for the descriptor now, which must not be readable for news that were
// taken.
int socket::send_nothing(const outgoing_frame &frame) {
    pipes_.streams().release_write_lease();
    box_.clear_descriptor_at_end();
    if (!news())
        return EAGAIN;
    const int ended = handle_news();
    return ended != 0 ? ended : send_frame(*this, *pattern_, frame, patterns::no_address);
}

int socket::send_failed(int code, const outgoing_frame &frame, int flags) {
    if (code != EAGAIN)
        return code;
    if ((flags & dont_wait) != 0 || options_.send_timeout_ms == 0)
        return send_nothing(frame);
    persistence limits(runtime::deadline_after(options_.send_timeout_ms));
    for (;;) {
        if (const int ended = wait(limits, false); ended != 0)
            return ended;
        if (code = send_frame(*this, *pattern_, frame, patterns::no_address); code != EAGAIN)
            return code;
        if (const int over = limits.check(); over != 0)
            return over;
    }
}

// Does for a receive what send_nothing() does.
int socket::receive_nothing(incoming_frame &frame) {
    pipes_.streams().release_write_lease();
    pipes_.streams().look();
    box_.clear_descriptor_at_end();
    if (!news())
        return EAGAIN;
    if (const int ended = handle_news(); ended != 0)
        return ended;
    const int code = receive_frame(*this, *pattern_, frame);
    if (code == 0)
        pipes_.streams().found();
    return code;
}

int socket::receive_failed(int code, incoming_frame &frame, int flags, std::span<std::uint8_t> posted) {
    if (code != EAGAIN)
        return code;
    if (pipes_.any_finished())
        close_finished();
    pipes_.begin_receive();
    if (!waits(flags))
        return receive_nothing(frame);
    receive_offer until_the_end{*this};
    if (posted.size() > large_body)
        until_the_end.make(posted, true);
    code = receive_waiting(frame);
    if (code == EAGAIN && watched_) [[unlikely]]
        code = receive_nothing(frame);
    return code != 0 ? receive_begun(code, frame) : 0;
}

// A call that gives up leaves the caller's memory as it was. So a message whose body came there is received
// after all. The rest of it is waited for, but not for ever: another thread of the process has only to
// publish it, a peer may stop.
int socket::receive_begun(int given_up_for, incoming_frame &frame) {
    if (!pipes_.end_receive())
        return given_up_for;
    const runtime::time_ms deadline = runtime::now_ms() + patience_for_rest_ms;
    for (; runtime::now_ms() < deadline; std::this_thread::yield()) {
        pipes_.streams().read();
        (void)check_alive();
        if (receive_frame(*this, *pattern_, frame) == 0)
            return 0;
    }
    return given_up_for;
}

// A lone stream has to be read, whatever comes: its message is received where it is wanted.
int socket::receive_ahead(incoming_frame &frame, std::span<std::uint8_t> posted) {
    pipes_.begin_receive();
    receive_offer until_the_end{*this};
    if (posted.size() > large_body) [[unlikely]]
        until_the_end.make(posted, false);
    pipes_.streams().read_ahead();
    int code = check_alive();
    if (code == 0) [[likely]]
        code = receive_frame(*this, *pattern_, frame);
    if (code == EAGAIN) [[unlikely]] {
        if (pipes_.any_finished())
            close_finished();
        code = receive_waiting(frame);
    }
    if (code != 0) [[unlikely]]
        code = receive_begun(code, frame);
    if (code == 0)
        receiving.more_follows = frame.more();
    if (!receiving.more_follows && pipes_.streams().lone_and_dry()) [[likely]]
        close_route_in(); // there is nothing to be had by it
    return code;
}

void socket::post_receive(std::span<std::uint8_t> memory, bool waits) noexcept {
    const bool delimited = traits_.takes_turns(); // an empty frame comes first, and then the body
    const bool may_drop = traits_.asks() && options_.pattern.request_correlate;
    if ((!delimited && !traits_.rules.contains(socket_rule::body_first)) || may_drop)
        return;
    const posted_buffer place{memory, delimited ? delimiter_bytes : 0};
    if (options_.receive_timeout_ms < 0) // a peer may stop in the middle of a body, and the call must not
        pipes_.post_to_stream(place);
    if (waits)
        pipes_.post_to_peer(place);
}

int socket::receive_waiting(incoming_frame &frame) {
    persistence limits(runtime::deadline_after(options_.receive_timeout_ms));
    for (;;) {
        if (const int code = wait(limits, true); code != 0)
            return code;
        if (const int code = receive_frame(*this, *pattern_, frame); code != EAGAIN)
            return code;
        if (const int over = limits.check(); over != 0)
            return over;
    }
}

result<int> socket::events(int wanted, bool waits) {
    box_.clear_descriptor(); // also when its news were taken before its signal came
    if (const int ended = check_alive(); ended != 0)
        return error{ended};
    if (waits && (wanted & poll_in) != 0 && hangs_on_stream()) {
        pipes_.streams().read_ahead();
        if (const int ended = check_alive(); ended != 0)
            return error{ended};
    }
    if ((wanted & poll_in) == 0 && pipes_.any_inproc() && traits_.rules.contains(socket_rule::looks_ahead))
        (void)can_receive(*this, *pattern_);
    bool readable = (wanted & poll_in) != 0 && can_receive(*this, *pattern_);
    if ((wanted & poll_in) != 0 && !readable) {
        waits ? pipes_.streams().read() : pipes_.streams().look();
        if (const int ended = check_alive(); ended != 0)
            return error{ended};
        readable = can_receive(*this, *pattern_);
    }
    int ready = 0;
    if (readable) {
        ready |= poll_in;
        pipes_.streams().found();
    }
    if ((wanted & poll_out) != 0 && (in_message() || pattern_->can_send()))
        ready |= poll_out;
    if (ready == 0)
        pipes_.streams().release_write_lease();
    if (pipes_.any_finished()) [[unlikely]] // a look has found the end of a pipe
        close_finished();
    return ready;
}

} // namespace zlink::core
