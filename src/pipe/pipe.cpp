// SPDX-License-Identifier: MPL-2.0
#include "pipe/pipe.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/brief_yield.hpp"
#include "base/processors.hpp"
#include "queue/pacing.hpp"

namespace zlink {
namespace {

// Moves messages to another queue. One for which there is no memory is lost whole.
class mover {
  public:
    explicit mover(queue_writer &to) noexcept : to_(to) {}
    // Returns true if the reader has to be notified.
    bool move(const incoming_frame &frame) noexcept {
        if (loses_ || !to_.write({frame.data, frame.size, frame.flags, frame.owner, frame.constant})) {
            to_.rollback();
            loses_ = frame.more();
            return false;
        }
        return !frame.more() && to_.commit();
    }

  private:
    queue_writer &to_;
    bool loses_ = false; // the rest of the message
};

} // namespace

std::uint32_t pipe_end::attach(pipe_owner &owner, std::shared_ptr<mailbox> box) noexcept {
    owner_ = &owner;
    box_ = std::move(box);
    ++box_->attached;
    const std::uint32_t events = take_events() & ~pipe_event::detached;
    note(events);
    return events;
}

pipe_end::~pipe_end() {
    if (const peer_metadata *late = arriving_.load(std::memory_order_acquire))
        late->release();
}

// Keeps what events say of the other side.
void pipe_end::note(std::uint32_t events) noexcept {
    if ((events & pipe_event::peer_closed) != 0) {
        peer_closed_ = true;
        if (in_process) {
            peer_->ring();
            notify_peer(pipe_event::parted);
        }
    }
    if ((events & pipe_event::identified) != 0)
        if (const peer_metadata *fresh = arriving_.exchange(nullptr, std::memory_order_acq_rel))
            peer_metadata_ = metadata_ref(fresh);
}

void pipe_end::introduce_to_peer(metadata_ref connection, bool again) noexcept {
    if (const peer_metadata *old = peer_->arriving_.exchange(connection.detach(), std::memory_order_acq_rel))
        old->release();
    notify_peer(again ? pipe_event::identified | pipe_event::restarted : pipe_event::identified);
}

void pipe_end::notify_peer(std::uint32_t events) noexcept {
    if (peer_->add_events(events)) // true only while the peer is attached: its mailbox is there
        peer_->box_->ready.push(*peer_);
}

void pipe_end::close(int linger_ms) noexcept {
    if (closed_)
        return;
    closed_ = true;
    owner_ = nullptr;
    release_write_lease();
    out_.rollback();
    announce_end(linger_ms);
    if (in_process)
        peer_->ring(); // the owner may have closed that end, and waits for this one
    else if (peer_closed_ && box_ != nullptr)
        box_->ring_after_call(); // as libzmq does when its I/O thread has heard
    if (!parting_ && (box_ == nullptr || mark_closed()))
        let_go();
}

void pipe_end::part(int linger_ms) noexcept {
    parting_ = !peer_closed_ && peer_->free_of(pipe_event::detached);
    close(linger_ms);
}

void pipe_end::forget() noexcept {
    if (std::exchange(parting_, false) && mark_closed())
        let_go();
}

void pipe_end::leave(std::uint64_t messages, int linger_ms) noexcept {
    in_.end_after(messages);
    peer_closed_ = true;
    release_write_lease();
    out_.rollback();
    announce_end(linger_ms);
}

void pipe_end::announce_end(int linger_ms) noexcept {
    if (std::exchange(left_, true))
        return;
    peer_->peer_linger_ms_.store(linger_ms, std::memory_order_relaxed);
    notify_peer(pipe_event::peer_closed);
}

void queue_reader::ring_writer() noexcept {
    if (link_.limit() != queue_link::no_limit)
        writer_->ring();
}

// ----
// the descriptor of ZMQ_FD, as messages leave

void pipe_end::ring_at_half() noexcept {
    if (in_.half_mark() != 0)
        peer_->ring();
}

// The mark may have changed since the last one.
void pipe_end::pass_half() noexcept {
    const std::uint64_t sent = messages_sent();
    const std::uint64_t half = in_.half_mark();
    if (half == 0) {
        slot_.halves.next = sent + 4096;
        return;
    }
    const std::uint64_t last = sent - sent % half;
    slot_.halves.next = last + half;
    if (std::exchange(slot_.halves.last, last) != last)
        peer_->ring();
}

// For the worker's end, by the thread that has written a message, or its beginning, to the stream.
void pipe_end::note_directly_sent(bool more, bool whole) noexcept {
    note_begun(more);
    if (whole)
        ++slot_.halves.direct;
    note_sent();
}

// ----
// what waits for a connection

// This thread reads in place of a connection, which would do so with the mutex. Messages of the application
// stay.
bool pipe_end::withdraw_commands() noexcept {
    if (!by_connections || out_.in_message())
        return false;
    const std::unique_lock lock(slot_.mutex, std::try_to_lock); // whoever has it is a connection in traffic
    if (!lock || slot_.io != nullptr)
        return false;
    message_queue kept;
    mover away(kept.writer());
    mover back(out_);
    for (incoming_frame frame; peer_->in_.read(frame); frame.drop())
        if (!frame.command())
            away.move(frame);
    for (incoming_frame frame; kept.reader().read(frame); frame.drop())
        if (back.move(frame))
            notify_peer(pipe_event::readable);
    return true;
}

// ----
// caller-runs I/O

namespace {
thread_local std::chrono::steady_clock::time_point handed_out_by_thread;
thread_local std::chrono::nanoseconds saved_by_thread{0};
} // namespace

// The other side sleeps: its work is done here when that is quicker than to wake it.
void pipe_end::hand_out() noexcept {
    std::uint32_t calls = pipe_event::readable;
    sending sent = std::exchange(classified_, sending::unknown);
    if (sent == sending::unknown)
        sent = classify(0);
    if (sent != sending::burst)
        if (const std::unique_lock lock(slot_.mutex, std::try_to_lock); lock && slot_.io != nullptr) {
            calls = slot_.io->write_out();
            end_pause(sent);
        }
    call(calls);
}

// Burst: many messages in short time, to one peer or to many, to be written together; or there is no writing
// here. The answer to the only message that was there is none of them, and is not worth a look at the clock.
pipe_end::sending pipe_end::classify(std::int64_t uncommitted) noexcept {
    if (direct == direct_writing::never) [[unlikely]]
        return sending::burst;
    const std::int64_t sent =
        static_cast<std::int64_t>(out_.written() - std::exchange(written_before_, out_.written())) +
        uncommitted;
    if (std::exchange(answering_, false) && sent == 1 && in_.bytes_waiting() == 0) [[likely]]
        return sending::answer;
    const auto now = std::chrono::steady_clock::now();
    const auto pause = std::min(now - std::exchange(handed_out_by_thread, now),
                                (now - std::exchange(handed_out_, now)) / std::max<std::int64_t>(sent, 1));
    if (direct == direct_writing::at_once) [[unlikely]]
        return spend_write_time(pause) ? sending::lone : sending::burst;
    return pause < burst_gap ? sending::burst : sending::lone;
}

// Adds `pause` to the time that the calling thread has saved. Returns true, and takes time_of_write from it,
// if it is enough for one write.
bool pipe_end::spend_write_time(std::chrono::nanoseconds pause) noexcept {
    saved_by_thread = std::min<std::chrono::nanoseconds>(saved_by_thread + pause, most_saved);
    if (saved_by_thread < time_of_write)
        return false;
    saved_by_thread -= time_of_write;
    return true;
}

// The time that the writing took is none.
void pipe_end::end_pause(sending was) noexcept {
    if (was == sending::lone) [[unlikely]]
        handed_out_ = handed_out_by_thread = std::chrono::steady_clock::now();
}

// A throttled sender takes the write lease if it can, so that it does not have to wait for the I/O thread.
void pipe_end::throttle_sender(bool patient) noexcept {
    const bool far = out_.should_throttle();
    if (!patient || !write_on_lease(far)) {
        if (far)
            out_.throttle(patient);
        return;
    }
    if (!out_.should_throttle())
        return;
    throttle_wait wait(out_, patient);
    while (wait.goes_on()) {
        brief_yield();
        if (!write_on_lease(false))
            return;
    }
    if (wait.in_vain()) // the I/O thread can wait for the stream
        end_write_lease();
}

// Returns false if the I/O thread writes.
bool pipe_end::write_on_lease(bool begins) noexcept {
    if (!has_write_lease_ && (!begins || !may_lease_writing || direct == direct_writing::never))
        return false;
    const std::unique_lock lock(slot_.mutex, std::try_to_lock);
    if (!lock)
        return has_write_lease_;
    has_write_lease_ = slot_.io != nullptr && slot_.io->write_on_lease(!has_write_lease_);
    out_.watch(has_write_lease_);
    return has_write_lease_;
}

void pipe_end::end_write_lease() noexcept {
    has_write_lease_ = false;
    out_.watch(false);
    const std::lock_guard lock(slot_.mutex);
    if (slot_.io != nullptr)
        call(slot_.io->end_write_lease());
}

// In line where it is used: see docs/RATIONALE.md, "The depth of a call".
[[gnu::always_inline]] inline bool pipe_end::try_write_direct(const outgoing_frame &frame) noexcept {
    byte_range begun;
    if (direct == direct_writing::never || !out_.quiet(begun)) [[unlikely]]
        return false;
    auto sent = sending::answer;
    if (frame.size <= large_body) [[likely]] {
        if (has_write_lease_) [[unlikely]]
            return false;
        classified_ = sent = classify(1);
        if (sent == sending::burst) [[unlikely]]
            return false;
    }
    if (!slot_.mutex.try_lock()) [[unlikely]]
        return false;
    const std::lock_guard lock(slot_.mutex, std::adopt_lock);
    if (slot_.io == nullptr) [[unlikely]]
        return false;
    const direct_write_status went = slot_.io->write_direct(begun, frame);
    if (went == direct_write_status::untouched) [[unlikely]]
        return false;
    classified_ = sending::unknown;
    end_pause(sent);
    peer_->note_directly_sent(begun.size != 0, went != direct_write_status::cut_short);
    if (begun.size != 0) [[unlikely]]
        out_.rollback(); // what had been begun there is sent
    if (went != direct_write_status::done) [[unlikely]]
        call(slot_.io->goes_on());
    return true;
}

bool pipe_end::write_direct(const outgoing_frame &frame) noexcept {
    return try_write_direct(frame);
}

// A large body goes straight to where a thread at the other end waits for it: it is copied once. From one
// processor to another that is worth while for very large ones.
bool pipe_end::place_directly(const outgoing_frame &frame) noexcept {
    const std::size_t least = several_processors() ? least_placed_afar : large_body + 1;
    byte_range begun;
    if (!in_process || frame.size < least || frame.size > most_placed || frame.owner != nullptr ||
        frame.constant || !out_.quiet(begun) || out_.depth() != 0)
        return false;
    const std::lock_guard lock(slot_.mutex);
    local_receive *const there = peer_->local_receive_;
    if (there == nullptr || there->place.memory.size() < frame.size || there->place.envelope != begun.size)
        return false;
    const posted_buffer place = std::exchange(there->place, {});
    return out_.write_placed(frame, place.memory.data(), there->placed);
}

void pipe_end::post_local_receive(local_receive &where) noexcept {
    const std::lock_guard lock(slot_.mutex);
    local_receive_ = &where;
}

bool pipe_end::end_local_receive() noexcept {
    const std::lock_guard lock(slot_.mutex);
    return in_.end_receive(std::exchange(local_receive_, nullptr)->placed);
}

int pipe_end::send_last(const outgoing_frame &frame) noexcept {
    if (try_write_direct(frame)) [[likely]]
        return 0;
    if (!place_directly(frame) && !out_.write(frame)) [[unlikely]] {
        out_.rollback();
        return ENOMEM;
    }
    commit();
    return 0;
}

void pipe_end::read_in_group() noexcept {
    const std::lock_guard lock(slot_.mutex);
    if (slot_.io != nullptr)
        call(slot_.io->read_in());
}

int pipe_end::begin_wait() noexcept {
    const std::lock_guard lock(slot_.mutex);
    if (slot_.io == nullptr)
        return -1;
    std::uint32_t calls = 0;
    const int descriptor = slot_.io->begin_wait(calls);
    call(calls);
    return descriptor;
}

void pipe_end::end_wait(bool readable) noexcept {
    const std::lock_guard lock(slot_.mutex);
    if (slot_.io == nullptr)
        return;
    call(slot_.io->end_wait());
    if (readable && slot_.io->leased())
        call(slot_.io->read_in());
}

void pipe_end::post_receive(const posted_buffer &posted) noexcept {
    const std::lock_guard lock(slot_.mutex);
    if (slot_.io != nullptr && slot_.io->leased())
        slot_.io->post_receive(posted);
}

bool pipe_end::end_receive() noexcept {
    const std::lock_guard lock(slot_.mutex);
    const bool begun = slot_.io != nullptr && slot_.io->end_receive();
    return in_.end_receive(slot_.placed) || begun;
}

void pipe_end::release_stream() noexcept {
    const std::lock_guard lock(slot_.mutex);
    if (slot_.io != nullptr && slot_.io->leased())
        call(slot_.io->release_lease());
}

void pipe_end::on_ready(std::uint32_t events) {
    note(events);
    if (!closed_) {
        owner_->on_pipe_event(*this, events);
        return;
    }
    if ((events & (pipe_event::parted | pipe_event::peer_closed)) != 0 && std::exchange(parting_, false))
        in_process ? peer_->ring() : box_->ring_after_call();
    if (!parting_ && mark_closed())
        let_go();
}

void pipe_end::let_go() noexcept {
    if (box_ != nullptr)
        --box_->attached;
    const std::shared_ptr<pipe> last = std::move(pipe_); // the pipe may end here, and this end with it
}

std::shared_ptr<pipe> pipe::create(side first, side second) {
    auto made = std::make_shared<pipe>(first, second);
    made->first_.pipe_ = made;
    made->second_.pipe_ = made;
    return made;
}

pipe::pipe(side first, side second)
    : forth_(first.high_water_mark, first.conflate, first.room_in_halves),
      back_(second.high_water_mark, second.conflate, second.room_in_halves),
      first_(forth_.writer(), back_.reader(), slot_), second_(back_.writer(), forth_.reader(), slot_) {
    first_.peer_ = &second_;
    second_.peer_ = &first_;
    if (first.room_in_halves)
        forth_.reader().tell_of_halves(first_);
    if (second.room_in_halves)
        back_.reader().tell_of_halves(second_);
}

} // namespace zlink
