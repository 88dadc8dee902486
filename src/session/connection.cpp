// SPDX-License-Identifier: MPL-2.0
#include "session/connection.hpp"

#include <array>
#include <cerrno>
#include <exception>
#include <new>

#include "session/raw_flow.hpp"
#include "zmtp/command.hpp"

namespace zlink::session {
namespace {

constexpr std::size_t discard_bytes = 16384;
constexpr std::size_t discard_turns = 16;
// For a peer to take any of what was sent before.
constexpr runtime::time_ms longest_parting_ms = 1000;
constexpr runtime::time_ms parting_check_ms = 5;

closed_reason reason_of(inflow_status status) noexcept {
    switch (status) {
    case inflow_status::malformed:
        return closed_reason::malformed;
    case inflow_status::oversize:
        return closed_reason::oversize;
    case inflow_status::no_memory:
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
    relief_timer_.reset();
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
    if (reading_ || state_ == state::ended || set_ || join_set())
        return;
    reading_ = true;
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
        return turn_in();
    case state::ended:
        return;
    }
}

void connection::on_writable() {
    switch (state_) {
    case state::handshake:
        return write_handshake();
    case state::traffic:
        return turn_out();
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
        turn_out();
    else
        turn_out_later(); // by then there may be more
}

void connection::receive_more() {
    const auto self = shared_from_this(); // the owner may drop its reference
    if (state_ == state::traffic && paused_)
        turn_in();
}

void connection::turn_in() {
    if (shared_->is_handed_over())
        return;
    if (!receiving_)
        return discard();
    if (std::exchange(paused_, false) && set_ && !set_->watch(member_))
        return end(closed_reason::no_memory);
    const inflow_status status = shared_->take_in();
    note_traffic();
    switch (status) {
    case inflow_status::wait:
        wait_readable();
        return hand_over();
    case inflow_status::again:
        if (set_) // which will say so itself
            return;
        reading_on_ = true;
        return thread_.post(runtime::slotted(read_slot_, [self = shared_from_this()] {
            self->reading_on_ = false;
            if (self->state_ == state::traffic)
                self->turn_in();
        }));
    case inflow_status::paused:
        paused_ = true;
        if (set_)
            set_->mute(member_);
        return;
    case inflow_status::closed:
    case inflow_status::malformed:
    case inflow_status::oversize:
    case inflow_status::no_memory:
        return end(reason_of(status));
    }
}

// After a read: tells the heartbeat of the bytes, and answers a PING of the peer.
void connection::note_traffic() {
    if (heartbeat_ && heartbeat_->next_deadline() != zmtp::heartbeat::never && shared_->take_activity())
        heartbeat_->on_traffic(runtime::now_ms());
    if (const auto ttl = shared_->take_ping()) [[unlikely]]
        answer_ping(*ttl);
}

void connection::answer_ping(std::uint16_t ttl_deciseconds) {
    if (heartbeat_)
        heartbeat_->on_ping(ttl_deciseconds, runtime::now_ms());
    arm_timer();
    if (!writing_)
        turn_out();
}

void connection::turn_out() {
    idle_ = false;
    if (!output_lost_)
        on_turned_out(shared_->give_out());
}

void connection::on_turned_out(outflow_status status) {
    switch (status) {
    case outflow_status::idle:
        idle_ = true;
        if (!receiving_)
            return part();
        return hand_over();
    case outflow_status::wait:
        return wait_for_room();
    case outflow_status::again:
        return turn_out_later();
    case outflow_status::closed:
        // A peer that has said all and gone may not take what we send; all that it said is in the stream.
        output_lost_ = true;
        if (!receiving_)
            end(closed_reason::peer);
        return;
    case outflow_status::relieved:
        return look_after_sender();
    case outflow_status::hung_up:
        idle_ = true;
        return hang_up();
    case outflow_status::no_memory:
        return end(closed_reason::no_memory);
    }
}

// The stream is full.
void connection::wait_for_room() {
    const bool away = set_ || shared_->is_handed_over();
    if (!take_back())
        return end(closed_reason::no_memory);
    wait_writable();
    if (away && !paused_)
        wait_readable(); // which joins no set now
}

// The sender writes for us, and may stop without a word.
void connection::look_after_sender() {
    try {
        if (!relief_timer_)
            relief_timer_ = std::make_unique<boost::asio::steady_timer>(thread_.context());
        relief_timer_->expires_after(shared_stream::relief_look);
        relief_timer_->async_wait([weak = weak_from_this()](const boost::system::error_code &error) {
            const auto self = weak.lock();
            if (!self || error || self->state_ != state::traffic)
                return;
            self->shared_->still_relieved() ? self->look_after_sender() : self->turn_out();
        });
    } catch (const std::bad_alloc &) {
        shared_->take_back_writing();
        turn_out();
    }
}

void connection::hang_up() {
    const auto self = shared_from_this(); // the owner may drop its reference
    owner_->on_hung_up();
}

void connection::turn_out_later() {
    if (std::exchange(again_, true))
        return;
    thread_.post(runtime::slotted(write_slot_, [self = shared_from_this()] {
        self->again_ = false;
        if (self->state_ == state::traffic)
            self->turn_out();
    }));
}

// ---- the socket is gone

void connection::stop_receiving() {
    const auto self = shared_from_this(); // the owner may drop its reference
    receiving_ = false;
    if (state_ == state::traffic && !take_back())
        end(closed_reason::no_memory);
    if (state_ == state::traffic)
        discard();
    if (state_ == state::traffic && idle_)
        part();
}

// To close a stream with bytes that nobody has read may make the system drop what it has still to send
// (RFC 1122, 4.2.2.13): so they are read.
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

// For the same reason a peer is waited for as long as it takes what the system has not sent yet, and one that
// has sent something meanwhile until it has confirmed all: what it sends after we are gone is answered by a
// reset. Nobody else is, since confirmations may take their time.
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
    if ((calls & pipe_event::stream_returned) != 0)
        set_ ? turn_in() : reclaim();
    if ((calls & pipe_event::stream_watched) != 0 && state_ == state::traffic && shared_->is_handed_over())
        look_after_stream();
    if ((calls & pipe_event::stream_wanted) != 0)
        hand_over();
}

// Where there are many they are watched together, and Asio watches the set. Returns false if this stream is
// not watched in a set, or not now.
bool connection::join_set() {
    if (state_ != state::traffic || !receiving_ || writing_ || shared_->is_handed_over())
        return false;
    auto set = owner_->set_of_streams();
    if (!set || !stream_.ignore())
        return false;
    member_ = {this, &shared_->end(), stream_.descriptor()};
    if (!set->add(member_)) {
        const bool back = shared_->listen();
        if (!back)
            end_soon();
        return !back;
    }
    set_ = std::move(set);
    shared_->join_set(true);
    return true;
}

void connection::leave_set() noexcept {
    if (!set_)
        return;
    std::exchange(set_, nullptr)->remove(member_);
    shared_->join_set(false);
}

void connection::on_set_readable() {
    const auto self = shared_from_this(); // the owner may drop its reference
    try {
        turn_in();
    } catch (const std::exception &) { // the others of the set go on
        end_soon();
    }
}

// The application asked to read the stream itself: it may when nothing here is in the middle of something.
void connection::hand_over() {
    if (state_ != state::traffic || !receiving_ || paused_ || writing_ || again_ || reading_on_ || !idle_ ||
        set_ || !shared_->asked_for())
        return;
    shared_->hand_over();
    look_after_stream();
}

// Into the event loop. Returns false if the system refused.
bool connection::take_back() {
    custody_check_ = runtime::never;
    if (!set_)
        return shared_->take_back();
    leave_set();
    return shared_->listen();
}

// Takes it back and goes on reading here.
void connection::reclaim() {
    if (state_ != state::traffic || !shared_->is_handed_over())
        return;
    if (!take_back())
        return end(closed_reason::no_memory);
    turn_in();
}

void connection::look_after_stream() {
    custody_check_ = runtime::now_ms() + custody::first_look_ms;
    arm_timer();
}

void connection::check_custody() {
    const custody_look found = shared_->look_after();
    custody_check_ = found.next_look_ms != 0 ? runtime::now_ms() + found.next_look_ms : runtime::never;
    if (found.left)
        reclaim();
}

// ---- time

void connection::arm_timer() {
    const runtime::time_ms deadline = std::min({handshake_deadline_, parting_check_, custody_check_,
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
        turn_out();
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
    if (now >= custody_check_ && state_ == state::traffic)
        check_custody();
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

} // namespace zlink::session
