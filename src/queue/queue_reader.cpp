// SPDX-License-Identifier: MPL-2.0
#include "queue/queue_reader.hpp"

#include <utility>

namespace zlink {

using queue_detail::payload_ref;
using queue_detail::segment_exchange;

namespace {
constexpr std::size_t largest_spare = log_writer::quiet_segment * 2;
constexpr std::uint64_t check_unlimited = 4096; // messages
} // namespace

// ---- log_reader

void log_reader::destroy_all(segment *first) noexcept {
    segment *dead = head_ != nullptr ? head_ : first;
    while (dead != nullptr) {
        segment *next = dead->next;
        dead->release_payload_refs(std::exchange(payload_ref_, 0));
        segment::destroy(dead);
        dead = next;
    }
}

void log_reader::retire_head(segment_exchange &segments, read_progress &progress) noexcept {
    segment &dead = *head_;
    head_ = dead.next;
    read_ = end_ = head_->data();
    payload_ref_ = 0;
    progress.add_bytes(head_->base - dead.base);
    segments.store_spare(dead);
}

log_reader::place log_reader::front(const segment_exchange &segments) noexcept {
    if (head_ == nullptr) {
        head_ = segments.first();
        read_ = end_ = head_->data();
    }
    return {head_, static_cast<std::uint32_t>(read_ - head_->data()), payload_ref_};
}

void log_reader::show(std::uint64_t until, segment_exchange &segments, read_progress &progress) noexcept {
    (void)front(segments);
    std::uint32_t used = head_->used.load(std::memory_order_acquire);
    while (static_cast<std::uint64_t>(read_ - head_->data()) == used) { // the next one may be empty, too
        retire_head(segments, progress);
        used = head_->used.load(std::memory_order_acquire);
    }
    end_ = head_->data() + std::min<std::uint64_t>(until - head_->base, used);
}

// Takes the next entry, whatever it is.
void log_reader::take(incoming_frame &frame, read_progress &progress) noexcept {
    const whole_frame_header header(read_);
    read_ += header.size();
    frame = {read_, header.body_size(), nullptr, 0, false, nullptr};
    frame.flags = header.flags() & (frame_flag::more | frame_flag::command);
    if (header.large()) {
        if (const payload_ref *body = take_payload_ref(progress)) {
            frame.data = body->data;
            frame.owner = body->owner;
            frame.constant = body->owner == nullptr;
            return;
        }
    }
    read_ += frame.size;
}

// The body that belongs to the header which ends at read_, if it is not in the segment.
const payload_ref *log_reader::take_payload_ref(read_progress &progress) noexcept {
    if (payload_ref_ == head_->payload_ref_count.load(std::memory_order_acquire))
        return nullptr;
    payload_ref &body = head_->payload_ref_at(payload_ref_);
    if (body.position() != static_cast<std::uint32_t>(read_ - head_->data()))
        return nullptr;
    ++payload_ref_;
    progress.add_bytes(body.size);
    return &body;
}

void log_reader::release_until(const place &there, segment_exchange &segments,
                               read_progress &progress) noexcept {
    while (true) {
        segment &head = *head_;
        const std::uint32_t written =
            &head == there.at ? there.payload_ref : head.payload_ref_count.load(std::memory_order_acquire);
        while (payload_ref_ < written) {
            const payload_ref &body = head.payload_ref_at(payload_ref_++);
            progress.add_bytes(body.size);
            if (body.owner != nullptr)
                body.owner->release();
        }
        if (&head == there.at)
            break;
        retire_head(segments, progress);
    }
    read_ = end_ = head_->data() + there.offset;
}

// ---- queue_reader

// Looks for committed bytes behind what is shown; false when there are none.
bool queue_reader::refill() noexcept {
    const counters::queue_counts &counts = progress_.all_counts(); // their place is looked for once
    std::uint64_t committed = counts.written.position.get(std::memory_order_acquire);
    const std::uint64_t read = counts.read.messages.get();
    if (read >= look_at_) [[unlikely]] {
        if (read >= last_message_)
            return false;
        if (drops_oldest_)
            return link_.kept().count(std::memory_order_acquire) != 0;
        committed = pace(committed);
    }
    if (committed == log_.position()) [[unlikely]]
        return false;
    if (read == half_at_) [[unlikely]]
        ring_writer();
    log_.show(committed, link_.segments(), progress_);
    return true;
}

// Returns what is committed then.
std::uint64_t queue_reader::pace(std::uint64_t committed) noexcept {
    pace_.check_busy(link_, read_messages());
    const std::uint64_t later = pace_.back_off(link_, committed, log_.position(), read_messages());
    plan_look();
    return later;
}

void queue_reader::plan_look() noexcept {
    look_at_ = drops_oldest_ ? 0 : std::min(pace_.next(), last_message_);
}

void queue_reader::enable_backoff() noexcept {
    pace_.enable_backoff();
    expect_busy();
}

void queue_reader::expect_busy() noexcept {
    pace_.expect_busy(read_messages());
    plan_look();
}

bool queue_reader::read_slow(incoming_frame &frame) noexcept {
    if (drops_oldest_) [[unlikely]]
        return read_kept(frame);
    log_.take(frame, progress_);
    if (frame.command())
        progress_.counts().commands.add();
    if (!frame.more())
        consume(1);
    else if (read_messages() == half_at_)
        ring_writer();
    return true;
}

// Messages that were dropped count as consumed, too.
bool queue_reader::read_kept(incoming_frame &frame) noexcept {
    std::uint64_t message = read_messages();
    if (!link_.kept().take(frame, message))
        return false;
    if (!frame.more()) {
        const std::uint64_t passed =
            std::max<std::uint64_t>(message - read_messages(), 1); // a latest frame: 0
        progress_.counts().skipped.add(passed - 1);
        consume(passed);
    }
    return true;
}

bool queue_reader::peek(batch &found) noexcept {
    if (read_messages() >= look_at_) [[unlikely]] {
        pace_.check_busy(link_, read_messages());
        plan_look();
    }
    // The count is loaded first: it never counts a message that lies behind the end.
    found.messages = link_.messages();
    found.end = link_.position();
    if (found.end != log_.position())
        return true;
    consume_all(found);
    return false;
}

bool queue_reader::end_receive(queue_detail::placed_payload &placed) noexcept {
    const queue_detail::placed_payload last = std::exchange(placed, {});
    if (last.body == nullptr || read_messages() >= last.message)
        return false;
    copy_bytes(last.body->owner->data(), last.body->data, last.body->size);
    last.body->data = last.body->owner->data();
    return true;
}

// A write_cursor may have passed bytes whose message it could not count yet: the writer stores the count
// last. Such a message has to be credited before the reader sleeps.
bool queue_reader::prepare_wait_data() noexcept {
    if (pace_.busy() && reader_pace::await_writer(link_, log_.position()))
        return false;
    link_.announce_idle();
    if (pace_.busy())
        pace_.end_busy(read_messages());
    check_writer();
    const bool nothing = link_.ends_at(log_.position(), read_messages());
    if (nothing) {
        pace_.note_idle(read_messages());
        if (link_.segments().has_spare()) [[unlikely]]
            link_.segments().drop_spare_above(largest_spare);
    } else {
        link_.stay_awake();
    }
    plan_look();
    return nothing;
}

void queue_reader::end_after(std::uint64_t messages) noexcept {
    last_message_ = read_messages() + messages;
    plan_look();
    check_writer();
}

// Has the writer been waiting for what was consumed? Asked when half a high-water mark makes room, and when
// the queue is empty. Ends the reading where it has to end.
void queue_reader::check_writer() noexcept {
    const std::uint64_t limit = link_.most_messages();
    next_check_ = limit == queue_link::no_limit
                      ? read_messages() + check_unlimited
                      : link_.credit(read_messages(), limit) + queue_link::half_of(limit);
    if (link_.byte_mark() != 0) [[unlikely]] // how many messages are half of it depends on them
        next_check_ = std::min(next_check_, read_messages() + queue_link::half_of(depth() + 1));
    if (writer_ != nullptr)
        note_half(limit);
    if (last_message_ != never) [[unlikely]] {
        next_check_ = std::min(next_check_, last_message_);
        if (read_messages() >= last_message_)
            log_.hide();
    }
    progress_.confirm();
    if (link_.take_waiting_writer())
        writer_wakeup_ = true;
}

void queue_reader::tell_room() noexcept {
    progress_.confirm();
    if (!link_.writer_waits(std::memory_order_seq_cst))
        return;
    const std::uint64_t limit = link_.most_messages();
    const std::uint64_t waiting = link_.messages() - read_messages();
    const bool room = limit == queue_link::no_limit ||
                      static_cast<std::int64_t>(waiting) < static_cast<std::int64_t>(limit);
    if (room && link_.take_waiting_writer())
        writer_wakeup_ = true;
}

// Over inproc libzmq notifies the writer when half a mark was read. It also does so for each frame, except
// the last one, of the message that follows. Programs that wait for ZMQ_FD may rely on it. refill() is asked
// there.
void queue_reader::note_half(std::uint64_t limit) noexcept {
    const std::uint64_t half = limit == queue_link::no_limit ? never : link_.credit(read_messages(), limit);
    if (std::exchange(half_at_, half) == half || half != read_messages())
        return;
    ring_writer();
    log_.hide();
}

} // namespace zlink
