// SPDX-License-Identifier: MPL-2.0
#include "connections/connection.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <new>

#include "connections/raw_stream.hpp"
#include "zmtp/command.hpp"

namespace zlink::connections {
namespace {

constexpr std::size_t discard_bytes = 16384;
constexpr std::size_t discard_turns = 16;
// For a peer to take any of what was sent before.
constexpr runtime::time_ms longest_parting_ms = 1000;
constexpr runtime::time_ms parting_check_ms = 5;

closed_reason reason_of(read_status status) noexcept {
    switch (status) {
    case read_status::malformed:
        return closed_reason::malformed;
    case read_status::oversize:
        return closed_reason::oversize;
    case read_status::no_memory:
        return closed_reason::no_memory;
    default:
        return closed_reason::peer;
    }
}

} // namespace

void connection::start() {
    if (is_raw(*options_))
        return begin_raw();
    if (!handshake_)
        return end(closed_reason::handshake_failed); // never without the protection that was asked for
    if (options_->handshake_interval_ms > 0) {
        handshake_deadline_ = runtime::deadline_after(options_->handshake_interval_ms);
        arm_timer();
    }
    const auto self = shared_from_this(); // the owner may drop its reference
    write_handshake();
    wait_readable();
}

void connection::stop() noexcept {
    state_ = state::ended;
    owner_ = nullptr;
    let_go_of_stream();
    timer_.reset();
    write_lease_timer_.reset();
    authenticator_.reset();
    stream_.close();
}

void connection::end(closed_reason reason) {
    if (state_ == state::ended)
        return;
    const auto self = shared_from_this(); // the owner may drop its reference
    connection_owner *owner = owner_;
    if (shared_ && receiving_ && reason != closed_reason::local)
        shared_->lost();
    let_go_of_stream(); // a program that hears of the end may send at once
    if (owner != nullptr)
        report_end(reason);
    stop();
    if (owner != nullptr)
        owner->on_ended(reason);
}

// ----
// readiness

void connection::wait_readable() {
    if (reading_ || state_ == state::ended || poll_group_ || join_poll_group())
        return;
    reading_ = true;
    if (stream_.has_buffered()) // which makes no descriptor readable
        return thread_.post(runtime::slotted(read_slot_, [self = shared_from_this()] {
            self->reading_ = false;
            self->on_readable();
        }));
    stream_.wait_readable(
        runtime::slotted(read_slot_, [self = shared_from_this()](const boost::system::error_code &) {
            self->reading_ = false;
            self->on_readable();
        }));
}

void connection::wait_writable() {
    if (writing_ || state_ == state::ended)
        return;
    writing_ = true;
    stream_.wait_writable(
        runtime::slotted(write_slot_, [self = shared_from_this()](const boost::system::error_code &) {
            self->writing_ = false;
            self->on_writable();
        }));
}

void connection::on_readable() {
    switch (state_) {
    case state::handshake:
        return read_handshake();
    case state::traffic:
        return read_turn();
    case state::ended:
        return;
    }
}

void connection::on_writable() {
    switch (state_) {
    case state::handshake:
        return write_handshake();
    case state::traffic:
        return write_turn();
    case state::ended:
        return;
    }
}

// ----
// traffic

void connection::send_more() {
    const auto self = shared_from_this(); // the owner may drop its reference
    idle_ = false;
    if (state_ != state::traffic || writing_)
        return;
    if (shared_->fills_batch())
        write_turn();
    else
        write_turn_later(); // by then there may be more
}

void connection::receive_more() {
    const auto self = shared_from_this(); // the owner may drop its reference
    if (state_ == state::traffic && paused_)
        read_turn();
}

void connection::read_turn() {
    if (shared_->is_leased())
        return;
    if (!receiving_)
        return discard();
    if (std::exchange(paused_, false) && poll_group_ && !poll_group_->watch(member_))
        return end(closed_reason::no_memory);
    const read_status status = shared_->read_some();
    note_traffic();
    switch (status) {
    case read_status::wait:
        wait_readable();
        return grant_lease();
    case read_status::again:
        if (poll_group_ && !stream_.has_buffered()) // the group will say so itself
            return;
        reading_on_ = true;
        return thread_.post(runtime::slotted(read_slot_, [self = shared_from_this()] {
            self->reading_on_ = false;
            if (self->state_ == state::traffic)
                self->read_turn();
        }));
    case read_status::paused:
        paused_ = true;
        if (poll_group_)
            poll_group_->pause(member_);
        return;
    case read_status::closed:
    case read_status::malformed:
    case read_status::oversize:
    case read_status::no_memory:
        return end(reason_of(status));
    }
}

// After a read: tells the heartbeat of the bytes, and answers a PING of the peer.
void connection::note_traffic() {
    if (heartbeat_ && heartbeat_->next_deadline() != zmtp::heartbeat::never && shared_->take_activity())
        heartbeat_->on_traffic(runtime::now_ms());
    if (const auto ttl = shared_->take_ping()) [[unlikely]]
        answer_ping(*ttl);
    else if (shared_->holds_output() && !writing_) [[unlikely]] // an answer of a layer
        write_turn();
}

void connection::answer_ping(std::uint16_t ttl_deciseconds) {
    if (heartbeat_)
        heartbeat_->on_ping(ttl_deciseconds, runtime::now_ms());
    arm_timer();
    if (!writing_)
        write_turn();
}

void connection::write_turn() {
    idle_ = false;
    if (!output_lost_)
        on_write_turn(shared_->write_some());
}

void connection::on_write_turn(write_status status) {
    switch (status) {
    case write_status::idle:
        idle_ = true;
        if (!receiving_)
            return part();
        return grant_lease();
    case write_status::wait:
        return wait_for_room();
    case write_status::again:
        return write_turn_later();
    case write_status::closed:
        // A peer that has said all and gone may not take what we send; all that it said is in the stream.
        output_lost_ = true;
        if (!receiving_)
            end(closed_reason::peer);
        return;
    case write_status::leased:
        return check_write_lease();
    case write_status::hung_up:
        idle_ = true;
        return hang_up();
    case write_status::no_memory:
        return end(closed_reason::no_memory);
    }
}

// The stream is full.
void connection::wait_for_room() {
    const bool away = poll_group_ || shared_->is_leased();
    if (!revoke_lease())
        return end(closed_reason::no_memory);
    wait_writable();
    if (away && !paused_)
        wait_readable(); // which joins no set now
}

// The sender writes for us, and may stop without a word.
void connection::check_write_lease() {
    try {
        if (!write_lease_timer_)
            write_lease_timer_ = std::make_unique<boost::asio::steady_timer>(thread_.context());
        write_lease_timer_->expires_after(connection_io::write_lease_check);
        write_lease_timer_->async_wait([weak = weak_from_this()](const boost::system::error_code &error) {
            const auto self = weak.lock();
            if (!self || error || self->state_ != state::traffic)
                return;
            self->shared_->write_lease_in_use() ? self->check_write_lease() : self->write_turn();
        });
    } catch (const std::bad_alloc &) {
        shared_->revoke_write_lease();
        write_turn();
    }
}

void connection::hang_up() {
    const auto self = shared_from_this(); // the owner may drop its reference
    owner_->on_hung_up();
}

void connection::write_turn_later() {
    if (std::exchange(again_, true))
        return;
    thread_.post(runtime::slotted(write_slot_, [self = shared_from_this()] {
        self->again_ = false;
        if (self->state_ == state::traffic)
            self->write_turn();
    }));
}

// ---- the socket is gone

void connection::stop_receiving() {
    const auto self = shared_from_this(); // the owner may drop its reference
    receiving_ = false;
    if (state_ == state::traffic && !revoke_lease())
        end(closed_reason::no_memory);
    if (state_ == state::traffic)
        discard();
    if (state_ == state::traffic && idle_)
        part();
}

// Reads the bytes that nobody wants. If a stream is closed with unread bytes, the system may drop what it has
// still to send (RFC 1122, 4.2.2.13).
void connection::discard() {
    std::array<std::uint8_t, discard_bytes> unwanted;
    for (std::size_t turns = 0; turns < discard_turns; ++turns) {
        const transport::io_result got = stream_.receive(unwanted);
        if (got.status == transport::io_status::closed)
            return end(closed_reason::peer);
        if (got.status == transport::io_status::again)
            break;
        discarded_ = true;
    }
    wait_readable();
}

// Before closing, the connection waits while the peer takes what the system has not sent yet. If the peer has
// sent something meanwhile, it waits until the peer has confirmed all. Bytes that come after the close are
// answered by a reset, which could discard ours. It does not wait for confirmations otherwise, since they may
// take their time.
bool connection::delivered() noexcept {
    const std::size_t left = stream_.undelivered(discarded_);
    if (std::exchange(undelivered_, left) > left)
        parting_deadline_ = runtime::now_ms() + longest_parting_ms;
    return left == 0 || runtime::now_ms() >= parting_deadline_;
}

void connection::part() {
    const auto self = shared_from_this();
    if (parting_deadline_ == runtime::never)
        parting_deadline_ = runtime::now_ms() + longest_parting_ms;
    if (delivered())
        return owner_->on_drained();
    parting_check_ = runtime::now_ms() + parting_check_ms;
    arm_timer();
}

// ---- whose the stream is

void connection::on_calls(std::uint32_t calls) {
    const auto self = shared_from_this(); // the owner may drop its reference
    if (state_ != state::traffic)
        return;
    if ((calls & pipe_event::pinged) != 0)
        note_traffic();
    if ((calls & pipe_event::lease_released) != 0)
        poll_group_ ? read_turn() : reclaim_lease();
    if ((calls & pipe_event::lease_resumed) != 0 && state_ == state::traffic && shared_->is_leased())
        check_read_lease();
    if ((calls & pipe_event::lease_wanted) != 0)
        grant_lease();
}

// Where there are many they are watched together, and Asio watches the group. Returns false if this stream is
// not watched in a group, or not now. The application's thread may read the stream as soon as the group has
// it, so connection_io is told before.
bool connection::join_poll_group() {
    if (state_ != state::traffic || !receiving_ || writing_ || shared_->is_leased() || stream_.has_buffered())
        return false;
    auto group = owner_->own_poll_group();
    if (!group || !stream_.ignore())
        return false;
    member_ = {&shared_->end(), &shared_->end().other(), stream_.descriptor()};
    shared_->join_poll_group(true);
    if (!group->add(member_)) {
        shared_->join_poll_group(false);
        const bool back = shared_->listen();
        if (!back)
            end_soon();
        return !back;
    }
    poll_group_ = std::move(group);
    return true;
}

void connection::leave_poll_group() noexcept {
    if (!poll_group_)
        return;
    std::exchange(poll_group_, nullptr)->remove(member_);
    shared_->join_poll_group(false);
}

void connection::on_group_readable() {
    const auto self = shared_from_this(); // the owner may drop its reference
    try {
        read_turn();
    } catch (const std::exception &) { // the others of the set go on
        end_soon();
    }
}

// The application asked to read the stream itself: it may when nothing here is in the middle of something.
void connection::grant_lease() {
    if (state_ != state::traffic || !receiving_ || paused_ || writing_ || again_ || reading_on_ || !idle_ ||
        poll_group_ || !shared_->asked_for())
        return;
    shared_->grant_lease();
    check_read_lease();
}

// Into the event loop. Returns false if the system refused.
bool connection::revoke_lease() {
    lease_check_at_ = runtime::never;
    if (!poll_group_)
        return shared_->revoke_lease();
    leave_poll_group();
    return shared_->listen();
}

// Takes it back and goes on reading here.
void connection::reclaim_lease() {
    if (state_ != state::traffic || !shared_->is_leased())
        return;
    if (!revoke_lease())
        return end(closed_reason::no_memory);
    read_turn();
}

void connection::check_read_lease() {
    lease_check_at_ = runtime::now_ms() + direct_io::lease::check_ms;
    arm_timer();
}

void connection::check_lease_on_time() {
    lease_check_at_ = runtime::never;
    switch (shared_->check_read_lease()) {
    case direct_io::lease_use::in_use:
        lease_check_at_ = runtime::now_ms() + direct_io::lease::check_ms;
        return;
    case direct_io::lease_use::asleep:
        return;
    case direct_io::lease_use::expired:
        return reclaim_lease();
    }
}

// ---- time

void connection::arm_timer() {
    const runtime::time_ms deadline = std::min({handshake_deadline_, parting_check_, lease_check_at_,
                                                heartbeat_ ? heartbeat_->next_deadline() : runtime::never});
    if (deadline == runtime::never) {
        timer_.reset();
        return;
    }
    try {
        wait_until(deadline);
    } catch (const std::bad_alloc &) {
        end_soon();
    }
}

// For want of memory, but not here: who called goes on.
void connection::end_soon() {
    if (!std::exchange(ending_, true))
        thread_.post(runtime::slotted(end_slot_,
                                      [self = shared_from_this()] { self->end(closed_reason::no_memory); }));
}

void connection::wait_until(runtime::time_ms deadline) {
    if (!timer_)
        timer_ = std::make_unique<boost::asio::steady_timer>(thread_.context());
    timer_->expires_after(
        std::chrono::milliseconds(std::max<runtime::time_ms>(0, deadline - runtime::now_ms())));
    timer_->async_wait([weak = weak_from_this()](const boost::system::error_code &error) {
        if (const auto self = weak.lock(); self && !error)
            self->on_timer();
    });
}

void connection::send_ping() {
    try {
        zmtp::byte_buffer ping;
        zmtp::append_ping(ping, heartbeat_->ttl_deciseconds(), {});
        shared_->command(ping);
    } catch (const std::bad_alloc &) {
        return end(closed_reason::no_memory);
    }
    if (!writing_)
        write_turn();
}

void connection::on_timer() {
    if (state_ == state::ended)
        return;
    const runtime::time_ms now = runtime::now_ms();
    if (now >= handshake_deadline_)
        return end(closed_reason::handshake_timeout);
    if (now >= parting_check_) {
        parting_check_ = runtime::never;
        if (idle_)
            part();
    }
    if (now >= lease_check_at_ && state_ == state::traffic)
        check_lease_on_time();
    if (heartbeat_ && state_ == state::traffic) {
        note_traffic(); // of what the application's thread has read
        if (state_ != state::traffic)
            return;
        if (paused_)
            heartbeat_->on_traffic(now); // it is us who do not listen
        const zmtp::heartbeat_actions actions = heartbeat_->on_timer(now);
        if (actions.close)
            return end(closed_reason::heartbeat);
        if (actions.send_ping)
            send_ping();
    }
    if (state_ != state::ended)
        arm_timer();
}

} // namespace zlink::connections
