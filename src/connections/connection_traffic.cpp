// SPDX-License-Identifier: MPL-2.0
// The traffic of a connection: its turns to read and to write, and which thread reads and writes its stream.
#include "connections/connection.hpp"

#include <exception>
#include <new>
#include <utility>

namespace zlink::connections {
namespace {

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

// ----
// readiness

void connection::wait_readable() {
    if (reading_ != reading::idle || phase_ == phase::ended || place_.is_taken() || join_poll_group())
        return;
    reading_ = reading::waiting;
    if (stream_.has_buffered()) // which makes no descriptor readable
        return thread_.post(
            runtime::slotted(read_slot_, [self = shared_from_this()] { self->on_readable(); }));
    stream_.wait_readable(runtime::slotted(
        read_slot_, [self = shared_from_this()](const boost::system::error_code &) { self->on_readable(); }));
}

void connection::on_readable() {
    reading_ = reading::idle;
    if (in_traffic())
        return read_turn();
    if (phase_ == phase::ended)
        return;
    try {
        advance_handshake(handshake_->read(stream_));
    } catch (const std::bad_alloc &) {
        end(closed_reason::no_memory);
    }
}

void connection::wait_writable() {
    if (writing_ == writing::waiting || phase_ == phase::ended)
        return;
    writing_ = writing::waiting;
    stream_.wait_writable(
        runtime::slotted(write_slot_, [self = shared_from_this()](const boost::system::error_code &) {
            self->writing_ = writing::ready;
            if (self->in_traffic())
                self->write_turn();
            else if (self->phase_ != phase::ended)
                self->write_handshake();
        }));
}

// ----
// the turns

void connection::send_more() {
    const auto self = shared_from_this(); // the owner may drop its reference
    if (!in_traffic() || writing_ == writing::waiting || writing_ == writing::lost)
        return;
    if (io_->fills_batch())
        write_turn();
    else
        write_turn_later(); // by then there may be more
}

void connection::receive_more() {
    const auto self = shared_from_this(); // the owner may drop its reference
    if (in_traffic() && (reading_ == reading::paused || reading_ == reading::waiting))
        read_turn(); // a full queue may have come while the stream was waited for
}

void connection::on_group_readable() {
    const auto self = shared_from_this(); // the owner may drop its reference
    try {
        read_turn();
    } catch (const std::exception &) { // the others of the group go on
        end_soon();
    }
}

void connection::read_turn() {
    if (io_->is_leased())
        return;
    if (phase_ == phase::draining)
        return discard();
    if (reading_ == reading::paused) {
        reading_ = reading::idle;
        if (place_.is_taken() && !place_.resume())
            return end(closed_reason::no_memory);
    }
    const read_status status = io_->read_some();
    note_traffic();
    switch (status) {
    case read_status::wait:
        wait_readable();
        return grant_read_lease();
    case read_status::again:
        if (reading_ != reading::idle) // its handler is still to come
            return;
        if (place_.is_taken() && !io_->has_buffered()) // the group will say so itself
            return;
        reading_ = reading::posted;
        return thread_.post(runtime::slotted(read_slot_, [self = shared_from_this()] {
            self->reading_ = reading::idle;
            if (self->in_traffic())
                self->read_turn();
        }));
    case read_status::paused:
        if (reading_ != reading::idle) // its handler is still to come, and finds the same
            return;
        reading_ = reading::paused;
        if (place_.is_taken())
            place_.pause();
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
    if (heartbeat_ && heartbeat_->next_deadline() != zmtp::heartbeat::never && io_->take_activity())
        heartbeat_->on_traffic(runtime::now_ms());
    if (const auto ttl = io_->take_ping()) [[unlikely]] {
        heartbeat_->on_ping(*ttl, runtime::now_ms());
        arm_timer();
        write_turn();
    } else if (io_->holds_output()) [[unlikely]] { // an answer of a layer
        write_turn();
    }
}

void connection::write_turn() {
    if (writing_ == writing::waiting || writing_ == writing::lost)
        return;
    if (writing_ == writing::idle)
        writing_ = writing::ready;
    const write_status status = io_->write_some();
    switch (status) {
    case write_status::idle:
    case write_status::hung_up: {
        if (writing_ == writing::posted) // the turn to come finds the same
            return;
        writing_ = writing::idle;
        if (status == write_status::idle)
            return phase_ == phase::draining ? part() : grant_read_lease();
        const auto self = shared_from_this(); // the owner may drop its reference
        return owner_->on_hung_up();
    }
    case write_status::wait: {
        const bool away = place_.is_taken() || io_->is_leased();
        if (!revoke_read_lease())
            return end(closed_reason::no_memory);
        wait_writable();
        if (away)
            wait_readable(); // which joins no poll group now
        return;
    }
    case write_status::again:
        return write_turn_later();
    case write_status::closed:
        // A peer that has said all and gone may not take what we send; all that it said is in the stream.
        writing_ = writing::lost;
        if (phase_ == phase::draining)
            end(closed_reason::peer);
        return;
    case write_status::leased:
        return check_write_lease();
    case write_status::no_memory:
        return end(closed_reason::no_memory);
    }
}

void connection::write_turn_later() {
    if (writing_ == writing::posted)
        return;
    writing_ = writing::posted;
    thread_.post(runtime::slotted(write_slot_, [self = shared_from_this()] {
        if (self->writing_ != writing::posted)
            return;
        self->writing_ = writing::ready;
        if (self->in_traffic())
            self->write_turn();
    }));
}

// ----
// the socket is gone

void connection::stop_receiving() {
    if (!in_traffic()) {
        if (phase_ == phase::handshake)
            phase_ = phase::late_handshake;
        return;
    }
    const auto self = shared_from_this(); // the owner may drop its reference
    phase_ = phase::draining;
    if (!revoke_read_lease())
        return end(closed_reason::no_memory);
    discard();
    if (in_traffic() && writing_ == writing::idle)
        part();
}

void connection::discard() {
    if (!parting_.discard(stream_))
        return end(closed_reason::peer);
    if (reading_ == reading::paused)
        reading_ = reading::idle;
    wait_readable();
}

void connection::part() {
    const auto self = shared_from_this(); // the owner may drop its reference
    parting_.begin();
    if (parting_.is_delivered(stream_))
        return owner_->on_drained();
    timers_.set(timed::parting_check, parting::check_interval);
    arm_timer();
}

// ----
// which thread reads and writes

void connection::on_calls(std::uint32_t calls) {
    const auto self = shared_from_this(); // the owner may drop its reference
    if (!in_traffic())
        return;
    if ((calls & pipe_event::pinged) != 0)
        note_traffic();
    if ((calls & pipe_event::lease_released) != 0)
        place_.is_taken() ? read_turn() : reclaim_read_lease();
    if ((calls & pipe_event::lease_resumed) != 0 && in_traffic() && io_->is_leased()) {
        timers_.set(timed::read_lease_check, std::chrono::milliseconds(direct_io::lease::check_ms));
        arm_timer();
    }
    if ((calls & pipe_event::lease_wanted) != 0)
        grant_read_lease();
}

// Where there are many they are watched together, and Asio watches the group. Returns false if this stream is
// not watched in a group, or not now. The application's thread may read the stream as soon as the group has
// it, so connection_io is told before.
bool connection::join_poll_group() {
    if (phase_ != phase::traffic || writing_ == writing::waiting || io_->is_leased() ||
        stream_.has_buffered())
        return false;
    auto group = owner_->own_poll_group();
    if (!group || !stream_.ignore())
        return false;
    io_->join_poll_group(true);
    if (place_.take(std::move(group), io_->end(), stream_.descriptor()))
        return true;
    io_->join_poll_group(false);
    const bool back = io_->listen();
    if (!back)
        end_soon();
    return !back;
}

void connection::leave_poll_group() noexcept {
    if (!place_.is_taken())
        return;
    place_.leave();
    io_->join_poll_group(false);
}

void connection::let_go_of_stream() noexcept {
    leave_poll_group();
    if (io_)
        io_->close();
}

// The application asked to read the stream itself: it may when nothing here is in the middle of something.
void connection::grant_read_lease() {
    const bool quiet =
        writing_ == writing::idle && (reading_ == reading::idle || reading_ == reading::waiting);
    if (phase_ != phase::traffic || !quiet || place_.is_taken() || !io_->asked_for())
        return;
    io_->grant_lease();
    timers_.set(timed::read_lease_check, std::chrono::milliseconds(direct_io::lease::check_ms));
    arm_timer();
}

// Into the event loop. Returns false if the system refused.
bool connection::revoke_read_lease() {
    timers_.clear(timed::read_lease_check);
    if (!place_.is_taken())
        return io_->revoke_lease();
    leave_poll_group();
    return io_->listen();
}

// Takes it back and goes on reading here.
void connection::reclaim_read_lease() {
    if (!in_traffic() || !io_->is_leased())
        return;
    if (!revoke_read_lease())
        return end(closed_reason::no_memory);
    read_turn();
}

void connection::check_read_lease() {
    switch (io_->check_read_lease()) {
    case direct_io::lease_use::in_use:
        return timers_.set(timed::read_lease_check, std::chrono::milliseconds(direct_io::lease::check_ms));
    case direct_io::lease_use::asleep:
        return;
    case direct_io::lease_use::expired:
        return reclaim_read_lease();
    }
}

// The sender writes in place of this thread, and may stop without a word.
void connection::check_write_lease() {
    timers_.set(timed::write_lease_check, connection_io::write_lease_check);
    if (wait_for_time())
        return;
    io_->revoke_write_lease();
    write_turn();
}

} // namespace zlink::connections
