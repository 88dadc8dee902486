// SPDX-License-Identifier: MPL-2.0
#include "core/waiting_transfer.hpp"

#include <cerrno>
#include <thread>

#include "core/blocked_time.hpp"

namespace zlink::core {
namespace {

constexpr std::size_t delimiter_bytes = 2;
// So long a call that gives up waits for the rest of a body that has begun to arrive in the caller's memory.
constexpr runtime::time_ms patience_for_rest_ms = 50;

} // namespace

// Memory of the caller for the next message, until the call ends.
class waiting_transfer::receive_offer {
  public:
    explicit receive_offer(peer_list &peers) noexcept : peers_(peers) { peers_.pipes().begin_receive(); }
    ~receive_offer() { peers_.pipes().end_receive(); }
    receive_offer(const receive_offer &) = delete;
    receive_offer &operator=(const receive_offer &) = delete;

    void make(std::span<std::uint8_t> memory, bool waits) noexcept {
        const socket_traits &traits = peers_.traits();
        const bool delimited = traits.takes_turns(); // an empty frame comes first, and then the body
        const bool may_drop = traits.asks() && peers_.options().pattern.request_correlate;
        if ((!delimited && !traits.rules.contains(socket_rule::body_first)) || may_drop)
            return;
        const posted_buffer place{memory, delimited ? delimiter_bytes : 0};
        // A peer may stop in the middle of a body, and a call with a time limit must not.
        if (peers_.options().receive_timeout_ms < 0)
            peers_.pipes().post_to_stream(place);
        if (waits)
            peers_.pipes().post_to_peer(place);
    }

  private:
    peer_list &peers_;
};

int waiting_transfer::wait(waits_for what, persistence &limits) {
    if (what == waits_for::message)
        peers_.counts->record().receive_empty.add();
    if (access_ != nullptr) {
        peers_.close_any_finished();
        peers_.announce_to_others();
        if (!peers_.has_events())
            peers_.counts->record().wakeups.add();
    }
    const int code = access_ != nullptr ? access_->wait(limits, [this] { return peers_.has_events(); })
                                        : waiter_.wait(what, limits, peers_, peers_.pipes());
    return code != 0 ? code : peers_.check_alive();
}

// Waits and tries again until it is something else than EAGAIN.
template <class Attempt> int waiting_transfer::retry(waits_for what, int timeout_ms, Attempt &&attempt) {
    for (persistence limits(runtime::deadline_after(timeout_ms));;) {
        if (const int ended = wait(what, limits); ended != 0)
            return ended;
        if (const int code = attempt(); code != EAGAIN)
            return code;
        if (const int over = limits.check(); over != 0)
            return over;
    }
}

// ---- sending

// Before EAGAIN: the program waits for the descriptor now, which must not be readable for events that were
// taken.
int waiting_transfer::send_again(const outgoing_frame &frame) {
    peers_.pipes().streams().release_write_lease();
    peers_.box().clear_descriptor_at_end();
    if (!peers_.has_events())
        return EAGAIN;
    const int ended = peers_.handle_events();
    return ended != 0 ? ended : send_frame(peers_, peers_.chooser(), frame, patterns::no_address);
}

int waiting_transfer::send_failed(int code, const outgoing_frame &frame, int flags) {
    if (code != EAGAIN)
        return code;
    peers_.counts->record().send_blocked.add();
    if (!may_send_wait(flags))
        return send_again(frame);
    return send_waiting([&] { return send_frame(peers_, peers_.chooser(), frame, patterns::no_address); });
}

template <class Attempt> int waiting_transfer::send_waiting(Attempt &&attempt) {
    const blocked_time measured(peers_.counts->record());
    return retry(waits_for::room, peers_.options().send_timeout_ms, attempt);
}

// ---- receiving

// Does for a receive what send_again() does.
int waiting_transfer::receive_again(incoming_frame &frame) {
    direct_io::leased_streams &streams = peers_.pipes().streams();
    streams.release_write_lease();
    streams.look();
    peers_.box().clear_descriptor_at_end();
    if (!peers_.has_events())
        return EAGAIN;
    if (const int ended = peers_.handle_events(); ended != 0)
        return ended;
    const int code = receive_frame(peers_, peers_.chooser(), frame);
    if (code == 0)
        streams.found();
    return code;
}

int waiting_transfer::receive_failed(int code, incoming_frame &frame, int flags,
                                     std::span<std::uint8_t> posted) {
    if (code != EAGAIN)
        return code;
    peers_.close_any_finished();
    if (!may_wait(flags))
        return receive_again(frame);
    receive_offer until_the_end(peers_);
    if (posted.size() > large_body)
        until_the_end.make(posted, true);
    code = receive_waiting(frame);
    if (code == EAGAIN && peers_.watched()) [[unlikely]]
        code = receive_again(frame);
    return code != 0 ? receive_begun(code, frame) : 0;
}

// A call that gives up leaves the caller's memory as it was. So a message whose body came there is received
// after all. The rest of it is waited for, but not for ever: another thread of the process has only to
// publish it, a peer may stop.
int waiting_transfer::receive_begun(int given_up_for, incoming_frame &frame) {
    if (!peers_.pipes().end_receive())
        return given_up_for;
    const runtime::time_ms deadline = runtime::now_ms() + patience_for_rest_ms;
    for (; runtime::now_ms() < deadline; std::this_thread::yield()) {
        peers_.pipes().streams().read();
        (void)peers_.check_alive();
        if (receive_frame(peers_, peers_.chooser(), frame) == 0)
            return 0;
    }
    return given_up_for;
}

// A lone stream has to be read, whatever comes: its message is received where it is wanted.
int waiting_transfer::receive_ahead(incoming_frame &frame, std::span<std::uint8_t> posted) {
    receive_offer until_the_end(peers_);
    if (posted.size() > large_body) [[unlikely]]
        until_the_end.make(posted, false);
    direct_io::leased_streams &streams = peers_.pipes().streams();
    streams.read_ahead();
    int code = peers_.check_alive();
    if (code == 0) [[likely]]
        code = receive_frame(peers_, peers_.chooser(), frame);
    if (code == EAGAIN) [[unlikely]] {
        peers_.close_any_finished();
        code = receive_waiting(frame);
    }
    if (code != 0) [[unlikely]]
        code = receive_begun(code, frame);
    if (code == 0)
        peers_.receiving.more_follows = frame.more();
    if (!peers_.receiving.more_follows && streams.lone_and_dry()) [[likely]]
        peers_.close_route_in(); // there is nothing to be had by it
    return code;
}

int waiting_transfer::receive_waiting(incoming_frame &frame) {
    return retry(waits_for::message, peers_.options().receive_timeout_ms,
                 [&] { return receive_frame(peers_, peers_.chooser(), frame); });
}

// ---- shared sockets

// A thread in the middle of a message keeps the others out until its last frame.
int waiting_transfer::try_to_send(const outgoing_frame &frame, const patterns::message_address &address) {
    if (!access_->sending.mine())
        return EAGAIN;
    const int code = send_frame(peers_, peers_.chooser(), frame, address);
    if (access_->sending.passed(peers_.in_message()))
        peers_.box().wake();
    if (code == 0 && peers_.traits().asks() && access_->receiving.passed(false))
        peers_.box().wake(); // the request before, and its reply, were given up
    return code;
}

int waiting_transfer::try_to_receive(incoming_frame &frame, patterns::message_address &address) {
    if (!access_->receiving.mine())
        return EAGAIN;
    const int code = peers_.traits().thread_safe ? receive_addressed(peers_, peers_.chooser(), frame, address)
                                                 : receive_frame(peers_, peers_.chooser(), frame);
    if (code != 0)
        return code;
    peers_.receiving.more_follows = frame.more();
    if (access_->receiving.passed(frame.more()))
        peers_.box().wake();
    return 0;
}

// Before EAGAIN: the thread may wait for the descriptor now. Returns 0 if there were events, so that another
// attempt makes sense.
int waiting_transfer::look_again() {
    peers_.box().clear_descriptor_at_end();
    return peers_.has_events() ? peers_.handle_events() : EAGAIN;
}

int waiting_transfer::send_to(const outgoing_frame &frame, const patterns::message_address &address,
                              int flags) {
    if (const int ended = peers_.check_alive(); ended != 0)
        return ended;
    const auto attempt = [&] { return try_to_send(frame, address); };
    const int code = attempt();
    if (code != EAGAIN)
        return code;
    peers_.counts->record().send_blocked.add();
    if (may_send_wait(flags))
        return send_waiting(attempt);
    const int again = look_again();
    return again == 0 ? attempt() : again;
}

int waiting_transfer::receive_from(incoming_frame &frame, patterns::message_address &address, int flags) {
    if (const int ended = peers_.check_alive(); ended != 0)
        return ended;
    const auto attempt = [&] { return try_to_receive(frame, address); };
    const int code = attempt();
    if (code != EAGAIN)
        return code;
    if (may_wait(flags))
        return retry(waits_for::message, peers_.options().receive_timeout_ms, attempt);
    peers_.close_any_finished();
    const int again = look_again();
    return again == 0 ? attempt() : again;
}

// ---- readiness

void waiting_transfer::look_ahead() {
    if (peers_.pipes().any_inproc() && peers_.traits().rules.contains(socket_rule::looks_ahead))
        (void)can_receive(peers_, peers_.chooser());
}

bool waiting_transfer::can_send() {
    return peers_.in_message() || peers_.chooser().can_send();
}

bool waiting_transfer::has_room() {
    look_ahead();
    return can_send();
}

result<int> waiting_transfer::events(int wanted, bool waits) {
    direct_io::leased_streams &streams = peers_.pipes().streams();
    const bool for_input = (wanted & poll_in) != 0;
    peers_.box().clear_descriptor(); // also when its events were taken before its signal came
    if (const int ended = peers_.check_alive(); ended != 0)
        return error{ended};
    if (waits && for_input && streams.lone_and_dry()) {
        streams.read_ahead();
        if (const int ended = peers_.check_alive(); ended != 0)
            return error{ended};
    }
    if (!for_input)
        look_ahead();
    const bool mine = access_ == nullptr || access_->receiving.mine(); // no other thread is in a message
    bool readable = for_input && mine && can_receive(peers_, peers_.chooser());
    if (for_input && mine && !readable) {
        waits ? streams.read() : streams.look();
        if (const int ended = peers_.check_alive(); ended != 0)
            return error{ended};
        readable = can_receive(peers_, peers_.chooser());
    }
    int ready = 0;
    if (readable) {
        ready |= poll_in;
        streams.found();
    }
    const bool to_send = (wanted & poll_out) != 0 && (access_ == nullptr || access_->sending.mine());
    if (to_send && can_send())
        ready |= poll_out;
    if (ready == 0)
        streams.release_write_lease();
    peers_.close_any_finished(); // a look has found the end of a pipe
    return ready;
}

result<int> waiting_transfer::loop_events() {
    loop_.end_wait(peers_.box());
    auto ready = events(poll_in | poll_out, true);
    loop_.note(ready && (*ready & poll_in) != 0);
    return ready;
}

result<int> waiting_transfer::begin_loop_wait() {
    if (access_ != nullptr)
        return error{EINVAL};
    if (peers_.forked())
        return error{EINTR};
    peers_.pipes().streams().release_write_lease();
    return loop_.begin_wait(peers_.box(), peers_.pipes().streams());
}

} // namespace zlink::core
