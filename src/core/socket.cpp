// SPDX-License-Identifier: MPL-2.0
#include "core/socket.hpp"

#include <array>
#include <cerrno>
#include <poll.h>
#include <thread>

#include "base/brief_yield.hpp"
#include "base/cancellation.hpp"
#include "base/error.hpp"
#include "runtime/tuning.hpp"

namespace zlink::core {
namespace {
constexpr std::size_t delimiter_bytes = 2;
// So long a call that gives up waits for the rest of a body that has begun to arrive in the caller's memory.
constexpr runtime::time_ms patience_for_rest_ms = 50;
// A message for more peers is written to their streams by the I/O threads.
constexpr std::size_t most_direct_subscribers = 4;

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

// As ZMQ_ASIO_TCP_SYNC_WRITE says.
direct_writing tcp_direct_writing_of(const socket_traits &traits) {
    const bool routes = traits.rules.contains(socket_rule::counts_as_router);
    switch (runtime::process_tuning().tcp_sync_write) {
    case runtime::sync_writing::by_io_thread:
        return direct_writing::never;
    case runtime::sync_writing::by_sender:
        return direct_writing::at_once;
    case runtime::sync_writing::by_routers:
        return routes ? direct_writing::at_once : direct_writing::unless_burst;
    case runtime::sync_writing::automatic:
        break;
    }
    return direct_writing::unless_burst;
}
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
      context_(owner), options_(std::move(options)), tcp_direct_(tcp_direct_writing_of(traits_)) {}

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
    for (const auto &[end, pipe] : last->ends_) {
        last->detach(*end);
        say_disconnect_message(*end);
        owner.names().forget_unused(pipe);
        end->close(linger);
    }
    for (auto &[text, record] : last->endpoints_)
        if (record.worker) // its last reference goes on its own thread, and while the context is there
            record.workers->terminate(std::move(record.worker), linger);
    last->ends_.clear();
    for (const auto &[pipe, end] : last->parting_)
        end->forget();
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
    if (!finished_.empty())
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
            ends_.contains(&end) ? release(end) : end.close();
        }
    }
}

void socket::attach(new_pipe fresh) {
    close_routes();
    end_posted_receive(); // from now on another message may be the next one
    pipe_end &end = *fresh.end;
    end.writer().allow_direct(direct_of(end));
    const bool inproc = end.traits.in_process();
    ends_.emplace(&end, std::move(fresh));
    if (inproc) {
        ++inproc_ends_;
        end.in().enable_backoff();
    } else {
        streams_.add(end);
    }
    finished_.reserve(ends_.size());
    parting_.reserve(parting_.size() + ends_.size());
    choose_direct();
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

direct_writing socket::direct_of(const pipe_end &end) const noexcept {
    if (end.traits.in_process() || many_streams_)
        return direct_writing::never;
    return end.traits.over_tcp ? tcp_direct_ : direct_writing::unless_burst;
}

// Lets a publishing thread write to the streams itself if they are few.
void socket::choose_direct() {
    const bool many = traits_.publishes() && ends_.size() - inproc_ends_ > most_direct_subscribers;
    if (std::exchange(many_streams_, many) == many)
        return;
    for (const auto &[end, pipe] : ends_)
        end->writer().allow_direct(direct_of(*end));
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
    finished_.push_back(&end);
}

// ZMQ_LINGER is for messages. All that these have to send is what they want to receive, which is nothing now.
int socket::leave_taking_ms() const noexcept {
    return traits_.only_subscribes() ? 0 : options_.linger_ms;
}

void socket::close_finished() {
    for (std::size_t index = 0; index < finished_.size(); ++index) { // there may be more while it goes
        detach(*finished_[index]);
        release(*finished_[index]);
    }
    finished_.clear(); // and keep the place: finished() must not fail
}

void socket::release(pipe_end &end) {
    close_routes();
    if (&end == awaiting_)
        end_posted_receive();
    forget_end(end);
    const auto held = ends_.extract(&end); // the pipe outlives the call
    inproc_ends_ -= end.traits.in_process() ? 1U : 0U;
    streams_.remove(end);
    choose_direct();
    say_disconnect_message(end);
    context_.names().forget_unused(held.mapped());
    const int linger_ms = end.abandoned() ? 0 : leave_taking_ms();
    if (!end.traits.in_process() && !watched_)
        return end.close(linger_ms);
    std::erase_if(parting_, [](const auto &each) { return each.second->gone(); });
    end.part(linger_ms);
    if (!end.gone())
        parting_.emplace_back(held.mapped().made, &end); // there is room, see attach()
}

// ----
// waiting

// Sleeps on the streams that are this thread's to read, too.
runtime::park_result socket::sleep(runtime::time_ms deadline, bool for_input) {
    runtime::parker &self = runtime::parker::of_this_thread(); // may need memory: first of all
    constexpr std::size_t most = direct_io::leased_streams::most_watched;
    std::array<pollfd, most + 1> watched;
    const std::size_t streams = for_input ? streams_.begin_wait({watched.data(), most}) : 0;
    const nap until_woken{box_, streams_, {watched.data(), streams}};
    box_.sleeping(true);
    if (!box_.ready.empty())
        return runtime::park_result::woken;
    return streams != 0 ? self.park_with({watched.data(), streams + 1}, deadline) : self.park(deadline);
}

int socket::wait(persistence &limits, bool for_input) {
    if (shared_access_) [[unlikely]]
        return wait_for_access(limits);
    streams_.release_write_lease();
    if (for_input)
        streams_.read();
    else
        streams_.release_lease(); // what comes meanwhile is for the I/O threads to take
    if (only_inproc()) // the other thread may be ready to run and have more for us than the one message
        brief_yield();
    if (news())
        return handle_news();
    const auto arrived = [this] { return news(); };
    if (for_input ? spin_.spin(arrived, [this] { streams_.read(); }) : room_spin_.spin(arrived, [] {}))
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
        streams_.disable();
        return 0;
    }
    return 0;
}

// Before EAGAIN: the program waits for the descriptor now, which must not be readable for news that were
// taken.
int socket::send_nothing(const outgoing_frame &frame) {
    streams_.release_write_lease();
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
    streams_.release_write_lease();
    streams_.look();
    box_.clear_descriptor_at_end();
    if (!news())
        return EAGAIN;
    if (const int ended = handle_news(); ended != 0)
        return ended;
    const int code = receive_frame(*this, *pattern_, frame);
    if (code == 0)
        streams_.found();
    return code;
}

int socket::receive_failed(int code, incoming_frame &frame, int flags, std::span<std::uint8_t> posted) {
    if (code != EAGAIN)
        return code;
    if (!finished_.empty())
        close_finished();
    placed_ = false;
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
    const bool begun = streams_.end_receive();
    end_posted_receive();
    if (!begun && !placed_)
        return given_up_for;
    const runtime::time_ms deadline = runtime::now_ms() + patience_for_rest_ms;
    for (; runtime::now_ms() < deadline; std::this_thread::yield()) {
        streams_.read();
        (void)check_alive();
        if (receive_frame(*this, *pattern_, frame) == 0)
            return 0;
    }
    return given_up_for;
}

// A lone stream has to be read, whatever comes: its message is received where it is wanted.
int socket::receive_ahead(incoming_frame &frame, std::span<std::uint8_t> posted) {
    placed_ = false;
    receive_offer until_the_end{*this};
    if (posted.size() > large_body) [[unlikely]]
        until_the_end.make(posted, false);
    streams_.read_ahead();
    int code = check_alive();
    if (code == 0) [[likely]]
        code = receive_frame(*this, *pattern_, frame);
    if (code == EAGAIN) [[unlikely]] {
        if (!finished_.empty())
            close_finished();
        code = receive_waiting(frame);
    }
    if (code != 0) [[unlikely]]
        code = receive_begun(code, frame);
    if (code == 0)
        receiving.more_follows = frame.more();
    if (!receiving.more_follows && streams_.lone_and_dry()) [[likely]]
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
        streams_.post_receive(place);
    if (!waits || inproc_ends_ != 1 || ends_.size() != 1)
        return;
    awaiting_ = ends_.begin()->first;
    awaiting_->post_receive(place);
}

void socket::end_posted_receive() noexcept {
    if (awaiting_ != nullptr && std::exchange(awaiting_, nullptr)->end_receive())
        placed_ = true;
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
        streams_.read_ahead();
        if (const int ended = check_alive(); ended != 0)
            return error{ended};
    }
    if ((wanted & poll_in) == 0 && inproc_ends_ != 0 && traits_.rules.contains(socket_rule::looks_ahead))
        (void)can_receive(*this, *pattern_);
    bool readable = (wanted & poll_in) != 0 && can_receive(*this, *pattern_);
    if ((wanted & poll_in) != 0 && !readable) {
        waits ? streams_.read() : streams_.look();
        if (const int ended = check_alive(); ended != 0)
            return error{ended};
        readable = can_receive(*this, *pattern_);
    }
    int ready = 0;
    if (readable) {
        ready |= poll_in;
        streams_.found();
    }
    if ((wanted & poll_out) != 0 && (in_message() || pattern_->can_send()))
        ready |= poll_out;
    if (ready == 0)
        streams_.release_write_lease();
    if (!finished_.empty()) [[unlikely]] // a look has found the end of a pipe
        close_finished();
    return ready;
}

} // namespace zlink::core
