// SPDX-License-Identifier: MPL-2.0
// The phases of a connection: its handshake, the beginning of its traffic, its times and its end. The traffic
// is in connection_traffic.cpp.
#include "connections/connection.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include "connections/raw_stream.hpp"
#include "transport/transports.hpp"
#include "zmtp/command.hpp"

namespace zlink::connections {

connection::connection(runtime::io_thread &thread, transport::stream stream,
                       std::shared_ptr<const socket_options> options, connection_owner &owner)
    : thread_(thread), stream_(std::move(stream)), options_(std::move(options)), owner_(&owner),
      handshake_(connection_handshake::make(*options_)), timers_(thread.context()) {}

void connection::start() {
    const auto self = shared_from_this(); // the owner may drop its reference
    if (is_raw(*options_)) {
        try {
            return begin_traffic(zmtp::peer_info{}, {}, {});
        } catch (const std::bad_alloc &) {
            return end(closed_reason::no_memory);
        }
    }
    if (!handshake_)
        return end(closed_reason::handshake_failed); // never without the protection that was asked for
    if (options_->handshake_interval_ms > 0) {
        timers_.set(timed::handshake_deadline, std::chrono::milliseconds(options_->handshake_interval_ms));
        arm_timer();
    }
    write_handshake();
    wait_readable();
}

// ----
// handshake

void connection::write_handshake() {
    switch (handshake_->write(stream_)) {
    case transport::io_status::ok:
        return;
    case transport::io_status::again:
        return wait_writable();
    case transport::io_status::closed:
        return end(closed_reason::handshake_failed);
    }
}

void connection::advance_handshake(handshake_step next) {
    if (next != handshake_step::done && next != handshake_step::closed)
        write_handshake(); // once what there is to say of a failure
    if (phase_ == phase::ended)
        return;
    switch (next) {
    case handshake_step::reads:
        return wait_readable();
    case handshake_step::asks: {
        const auto to_handler = handshake_->asks_nobody() ? nullptr : owner_->reach_authenticator();
        if (!to_handler)
            return on_verdict(handshake_->unasked_verdict());
        if (!handshake_->ask(*to_handler, thread_.box(), stream_, *this))
            end(closed_reason::no_memory);
        return;
    }
    case handshake_step::done:
        if (handshake_->peer().framing() == zmtp::framing::v3)
            owner_->on_event(event_kind::handshake_succeeded, 0, stream_.descriptor());
        return begin_traffic(handshake_->peer(), handshake_->early(), handshake_->late());
    case handshake_step::failed:
    case handshake_step::closed:
        return end(closed_reason::handshake_failed);
    }
}

void connection::on_verdict(zmtp::verdict found) {
    const auto self = shared_from_this(); // the owner may drop its reference
    try {
        advance_handshake(handshake_->take_verdict(std::move(found)));
    } catch (const std::bad_alloc &) {
        end(closed_reason::no_memory);
    }
}

void connection::begin_traffic(const zmtp::peer_info &peer, zmtp::byte_view early, zmtp::byte_view late) {
    pipe_end *end_of_pipe =
        owner_->on_handshake(peer, {stream_.transport().peer_address(stream_.descriptor()), stream_.facts(),
                                    stream_.descriptor(), stream_.over_tcp()});
    if (end_of_pipe == nullptr)
        return end(closed_reason::local);
    without_mechanism_ = peer.framing() != zmtp::framing::v3;
    std::unique_ptr<zmtp::frame_cipher> cipher;
    if (handshake_ && !handshake_->take_cipher(cipher))
        return end(closed_reason::handshake_failed);
    io_ = std::make_unique<connection_io>(stream_, *end_of_pipe, peer, *options_, std::move(cipher), early,
                                          late);
    phase_ = phase_ == phase::late_handshake ? phase::draining : phase::traffic;
    const bool beats = peer.knows_commands();
    // Where nothing has come yet the inbound queue takes no memory before something does.
    const bool begins_by_waiting =
        early.empty() && peer.framing() != zmtp::framing::raw && !peer.without_greeting;
    timers_.clear(timed::handshake_deadline);
    heartbeat_.emplace(zmtp::heartbeat_config{beats ? options_->heartbeat_interval_ms : 0,
                                              options_->heartbeat_timeout_ms,
                                              options_->heartbeat_ttl_deciseconds * 100},
                       runtime::now_ms());
    handshake_.reset();
    arm_timer();
    io_->open();
    // Before the stream can be leased, which write_turn() may do: nobody is told of bytes that came early.
    begins_by_waiting ? wait_readable() : read_turn();
    if (in_traffic())
        write_turn();
}

// ----
// time

// Returns false if memory is short.
bool connection::wait_for_time() noexcept {
    timers_.set_at(timed::heartbeat, heartbeat_ ? heartbeat_->next_deadline() : runtime::never);
    return timers_.arm([weak = weak_from_this()](const boost::system::error_code &error) {
        if (const auto self = weak.lock(); self && !error)
            self->on_timer();
    });
}

void connection::arm_timer() {
    if (wait_for_time())
        return;
    if (io_)
        io_->revoke_write_lease(); // nobody would look after it
    end_soon();
}

void connection::on_timer() {
    const auto now = std::chrono::steady_clock::now();
    if (phase_ == phase::ended)
        return;
    if (timers_.take(timed::handshake_deadline, now))
        return end(closed_reason::handshake_timeout);
    if (timers_.take(timed::parting_check, now) && writing_ == writing::idle)
        part();
    if (timers_.take(timed::read_lease_check, now) && in_traffic())
        check_read_lease();
    if (timers_.take(timed::write_lease_check, now) && in_traffic())
        io_->write_lease_in_use() ? timers_.set(timed::write_lease_check, connection_io::write_lease_check)
                                  : write_turn();
    if (in_traffic())
        beat_heart();
    if (phase_ != phase::ended)
        arm_timer();
}

void connection::beat_heart() {
    note_traffic(); // of what the application's thread has read
    if (!in_traffic())
        return;
    const runtime::time_ms now = runtime::now_ms();
    if (reading_ == reading::paused)
        heartbeat_->on_traffic(now); // it is us who do not listen
    const zmtp::heartbeat_actions actions = heartbeat_->on_timer(now);
    if (actions.missed && owner_ != nullptr)
        owner_->on_heartbeat_missed();
    if (actions.close)
        return end(closed_reason::heartbeat);
    if (!actions.send_ping)
        return;
    try {
        zmtp::byte_buffer ping;
        zmtp::append_ping(ping, heartbeat_->ttl_deciseconds(), {});
        io_->command(ping);
    } catch (const std::bad_alloc &) {
        return end(closed_reason::no_memory);
    }
    write_turn();
}

// ----
// the end

void connection::stop() noexcept {
    if (owner_ != nullptr && !told_)
        owner_->on_disconnected(closed_reason::local, stream_.descriptor());
    phase_ = phase::ended;
    owner_ = nullptr;
    let_go_of_stream();
    timers_.stop();
    if (handshake_)
        handshake_->stop_asking();
    stream_.close();
}

void connection::end(closed_reason reason) {
    if (phase_ == phase::ended)
        return;
    const auto self = shared_from_this(); // the owner may drop its reference
    connection_owner *owner = owner_;
    if (phase_ == phase::traffic && reason != closed_reason::local)
        io_->lost();
    let_go_of_stream(); // a program that hears of the end may send at once
    if (owner != nullptr)
        report_end(reason);
    stop();
    if (owner != nullptr)
        owner->on_ended(reason);
}

// For want of memory, but not here: who called goes on.
void connection::end_soon() {
    if (!std::exchange(ending_, true))
        thread_.post(runtime::slotted(end_slot_,
                                      [self = shared_from_this()] { self->end(closed_reason::no_memory); }));
}

// In traffic libzmq gives up a peer whose message is too long, or whose answer to a REQ has no envelope. Most
// other breaches pass there, so that peer is tried again here. A peer of ZMTP 1.0 or 2.0 passes there, too.
bool connection::is_hopeless(closed_reason reason) const noexcept {
    if (reason == closed_reason::oversize)
        return true;
    if (reason == closed_reason::malformed)
        return traits_of(options_->type).asks();
    return handshake_ && handshake_->is_hopeless();
}

void connection::report_end(closed_reason reason) noexcept {
    if (reason == closed_reason::local)
        return; // as with libzmq
    told_ = true;
    const int descriptor = stream_.descriptor();
    const bool breach = reason == closed_reason::malformed || reason == closed_reason::oversize;
    // libzmq, too, says of a peer without a mechanism that no handshake was done, unless it broke the
    // protocol.
    if (!was_in_traffic() || (without_mechanism_ && !breach)) {
        std::optional<event_detail> why{{event_kind::handshake_failed_no_detail, EPIPE}}; // the peer closed
        if (handshake_ && handshake_->is_failed())
            why = handshake_->failure_event();
        else if (reason == closed_reason::handshake_timeout)
            why->value = EAGAIN; // as libzmq gives it
        else if (stream_.lost_code() != 0)
            why->value = static_cast<std::uint32_t>(stream_.lost_code());
        if (why)
            owner_->on_event(why->kind, why->value, descriptor);
    }
    owner_->on_disconnected(reason, descriptor);
}

} // namespace zlink::connections
