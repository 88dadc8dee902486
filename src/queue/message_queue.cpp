// SPDX-License-Identifier: MPL-2.0
#include "queue/message_queue.hpp"

#include <algorithm>
#include <utility>

#include "base/processors.hpp"

namespace zlink {

using queue_detail::payload_ref;
using queue_detail::segment;

namespace {
constexpr std::size_t largest_awaited = 1024 * 1024;
// A segment has room for some frames like the one that begins it, as long as they lie near then.
constexpr std::size_t frames_of_a_segment = 8;
constexpr std::size_t most_for_several = 8 * 1024 - sizeof(segment);

void release_payload_refs(segment &from, std::uint32_t first, std::uint32_t last) noexcept {
    for (std::uint32_t index = first; index < last; ++index)
        if (buffer *owner = from.payload_ref_at(index).owner)
            owner->release();
}
} // namespace

std::uint8_t message_queue::newest_only[small_header_size] = {0xFF};

message_queue::message_queue(int high_water_mark, bool conflate, bool in_halves) noexcept
    : conflate_(conflate), in_halves_(in_halves), limit_(0) {
    set_high_water_mark(high_water_mark);
    if (conflate)
        read_ = read_end_ = newest_only;
}

message_queue::~message_queue() {
    segment *dead = head_ != nullptr ? head_ : first_.load(std::memory_order_relaxed);
    std::uint32_t first = read_payload_ref_;
    while (dead != nullptr) {
        segment *next = dead->next;
        release_payload_refs(*dead, first, dead->payload_ref_count.load(std::memory_order_relaxed));
        segment::destroy(dead);
        dead = next;
        first = 0;
    }
    if (segment *spare = spare_.load(std::memory_order_relaxed))
        segment::destroy(spare);
    for (buffer *kept : {newest_.load(std::memory_order_relaxed), conflated_})
        if (kept != nullptr)
            kept->release();
}

void message_queue::set_high_water_mark(int messages) noexcept {
    limit_.store(messages > 0 && !conflate_ ? static_cast<std::uint64_t>(messages) : no_limit,
                 std::memory_order_relaxed);
}

// ---- writer

bool message_queue::prepare_wait_room() noexcept {
    writer_waiting_.store(true, std::memory_order_seq_cst);
    const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
    consumed_seen_ = credit(consumed_.load(std::memory_order_seq_cst), limit);
    if (written() - consumed_seen_ >= limit)
        return true;
    writer_waiting_.store(false, std::memory_order_seq_cst);
    return false;
}

bool message_queue::prepare_wait_drain() noexcept {
    writer_waiting_.store(true, std::memory_order_seq_cst);
    if (consumed_.load(std::memory_order_seq_cst) < written())
        return true;
    writer_waiting_.store(false, std::memory_order_seq_cst);
    return false;
}

// Goes on in a new segment that has room for `needed` bytes and a reference. Segments grow while the queue is
// busy, so that much is moved at once. A queue whose reader keeps up goes back to small segments, and holds
// little memory.
bool message_queue::grow(std::size_t needed, bool busy) noexcept {
    if (tail_ != nullptr)
        next_segment_ = busy ? largest_segment : std::min(next_segment_ * 4, quiet_segment);
    const std::size_t several = std::min(needed * frames_of_a_segment, most_for_several);
    const std::size_t wanted = std::max({next_segment_, several, needed + sizeof(payload_ref)});
    segment *fresh = spare_.exchange(nullptr, std::memory_order_acquire);
    if (fresh != nullptr) {
        prefetches_ = several_processors() && fresh->last_reader != std::this_thread::get_id();
        if (fresh->capacity < wanted || fresh->capacity > wanted * 4) {
            segment::destroy(fresh);
            fresh = nullptr;
        }
    }
    const std::uint64_t base = write_position();
    fresh = fresh != nullptr ? ::new (fresh) segment(base, fresh->capacity, fresh->size_class)
                             : segment::create(wanted, base);
    if (fresh == nullptr)
        return false;
    if (tail_ != nullptr) {
        tail_->next = fresh;
        tail_->used.store(used(), std::memory_order_release);
    } else {
        first_.store(fresh, std::memory_order_relaxed);
    }
    if (!in_message_)
        fresh->first_message = 0;
    go_on_in(*fresh, fresh->data());
    note_lead();
    return true;
}

inline bool message_queue::append_header(std::uint8_t flags, std::size_t size, std::size_t room) noexcept {
    if (room > static_cast<std::size_t>(write_limit_ - write_) && !grow(room))
        return false;
    if ((flags & frame_flag::more) != 0 && !in_message_)
        begin_multipart();
    write_ += encode_frame_header(write_, flags, size);
    return true;
}

bool message_queue::write_slow(const outgoing_frame &frame) noexcept {
    if (conflate_)
        return write_conflated(frame);
    if (frame.by_reference())
        return write_by_reference(frame);
    if (!append_header(frame.wire_flags(), frame.size, large_header_size + frame.size))
        return false;
    write_body(frame);
    return true;
}

inline void message_queue::write_body(const outgoing_frame &frame) noexcept {
    expect_body(write_ + frame.size, frame.size);
    copy_bytes(write_, frame.data, frame.size);
    write_ += frame.size;
}

// Its header is a large one at any size: so a reader knows where to look for references.
bool message_queue::write_by_reference(const outgoing_frame &frame) noexcept {
    buffer *owner = frame.owner;
    const std::uint8_t *data = frame.data;
    if (owner != nullptr) {
        owner->retain();
    } else if (!frame.constant) {
        owner = buffer::copy_of(frame.data, frame.size);
        if (owner == nullptr)
            return false;
        data = owner->data();
    }
    return append_payload_ref(frame, data, owner) != nullptr;
}

bool message_queue::write_placed(const outgoing_frame &frame, std::uint8_t *memory,
                                 queue_detail::placed_payload &placed) noexcept {
    buffer *owner = buffer::allocate(frame.size);
    payload_ref *const body = owner != nullptr ? append_payload_ref(frame, memory, owner) : nullptr;
    if (body == nullptr)
        return false;
    copy_bytes(memory, frame.data, frame.size);
    placed = {body, written() + 1};
    return true;
}

// A body that lies elsewhere, and the reference to its owner. Null: no memory, and the owner is released.
payload_ref *message_queue::append_payload_ref(const outgoing_frame &frame, const std::uint8_t *data,
                                               buffer *owner) noexcept {
    if (append_header(frame.wire_flags() | frame_flag::large, frame.size,
                      large_header_size + sizeof(payload_ref)))
        return &add_payload_ref({data, frame.size, owner, used(), !frame.more()});
    if (owner != nullptr)
        owner->release();
    return nullptr;
}

payload_ref &message_queue::add_payload_ref(const payload_ref &body) noexcept {
    const std::uint32_t index = tail_->payload_ref_count.load(std::memory_order_relaxed);
    payload_ref &added = tail_->payload_ref_at(index);
    added.assign(body);
    tail_->payload_ref_count.store(index + 1, std::memory_order_release);
    write_limit_ = tail_->limit();
    written_bodies_ += body.size;
    newest_body_ = static_cast<std::uint32_t>(std::min(body.size, largest_awaited));
    note_lead();
    return added;
}

bool message_queue::write_conflated(const outgoing_frame &frame) noexcept {
    buffer *body = frame.owner;
    if (body != nullptr && body->data() == frame.data && body->size() == frame.size) {
        body->retain();
    } else {
        body = buffer::copy_of(frame.data, frame.size);
        if (body == nullptr)
            return false;
    }
    if (conflated_ != nullptr)
        conflated_->release();
    conflated_ = body;
    return true;
}

void message_queue::begin_multipart() noexcept {
    in_message_ = true;
    mark_segment_ = tail_;
    mark_write_ = write_;
    mark_payload_refs_ = tail_->payload_ref_count.load(std::memory_order_relaxed);
    mark_bodies_ = written_bodies_;
}

void message_queue::end_multipart() noexcept {
    if (conflate_) {
        if (buffer *old = newest_.exchange(std::exchange(conflated_, nullptr), std::memory_order_seq_cst))
            old->release();
        return;
    }
    in_message_ = false;
    if (tail_->first_message == segment::unsealed)
        tail_->first_message = used();
}

// Returns false if they lie in more than one place.
bool message_queue::unfinished(byte_range &begun) const noexcept {
    if (mark_segment_ != tail_ ||
        mark_payload_refs_ != tail_->payload_ref_count.load(std::memory_order_relaxed))
        return false;
    begun = {mark_write_, static_cast<std::size_t>(write_ - mark_write_)};
    return true;
}

void message_queue::rollback() noexcept {
    if (buffer *kept = std::exchange(conflated_, nullptr))
        kept->release();
    if (!in_message_)
        return;
    segment *dead = mark_segment_ != tail_ ? mark_segment_->next : nullptr;
    while (dead != nullptr) {
        segment *next = dead->next;
        release_payload_refs(*dead, 0, dead->payload_ref_count.load(std::memory_order_relaxed));
        segment::destroy(dead);
        dead = next;
    }
    segment &left = *mark_segment_;
    release_payload_refs(left, mark_payload_refs_, left.payload_ref_count.load(std::memory_order_relaxed));
    left.payload_ref_count.store(mark_payload_refs_, std::memory_order_relaxed);
    left.used.store(segment::unsealed, std::memory_order_relaxed);
    left.next = nullptr;
    go_on_in(left, mark_write_);
    written_bodies_ = mark_bodies_;
    in_message_ = false;
}

// ---- reader

void message_queue::retire_head() noexcept {
    segment *dead = head_;
    head_ = dead->next;
    read_ = read_end_ = head_->data();
    read_payload_ref_ = 0;
    read_bytes_.store(head_->base + read_bodies_, std::memory_order_relaxed);
    dead->last_reader = std::this_thread::get_id();
    if (segment *old = spare_.exchange(dead, std::memory_order_acq_rel))
        segment::destroy(old);
}

std::uint64_t message_queue::half_mark() const noexcept {
    const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
    return limit == no_limit ? 0 : half_of(limit);
}

// Looks for committed bytes behind read_; false when there are none.
bool message_queue::refill() noexcept {
    if (consumed() >= last_message_) [[unlikely]]
        return false;
    if (conflated())
        return newest_.load(std::memory_order_acquire) != nullptr;
    std::uint64_t committed = committed_.load(std::memory_order_acquire);
    check_busy();
    if (consumed() >= backoff_at_) [[unlikely]]
        committed = back_off(committed);
    if (committed == read_position()) [[unlikely]]
        return false;
    if (consumed() == half_at_) [[unlikely]]
        ring_writer();
    if (head_ == nullptr) {
        head_ = first_.load(std::memory_order_relaxed);
        read_ = read_end_ = head_->data();
    }
    std::uint32_t used = head_->used.load(std::memory_order_acquire);
    while (static_cast<std::uint64_t>(read_ - head_->data()) == used) { // the next one may be empty, too
        retire_head();
        used = head_->used.load(std::memory_order_acquire);
    }
    read_end_ = head_->data() + std::min<std::uint64_t>(committed - head_->base, used);
    return true;
}

bool message_queue::read_slow(incoming_frame &frame) noexcept {
    if (conflated())
        return read_conflated(frame);
    read_entry(frame);
    if ((frame.flags & frame_flag::more) == 0)
        consume_messages(1);
    else if (consumed() == half_at_)
        ring_writer();
    return true;
}

// Takes the entry at read_, whatever it is.
void message_queue::read_entry(incoming_frame &frame) noexcept {
    const whole_frame_header header(read_);
    read_ += header.size();
    frame = {read_, header.body_size(), nullptr, 0, false, nullptr};
    frame.flags = header.flags() & (frame_flag::more | frame_flag::command);
    if (header.large()) {
        if (const payload_ref *body = take_payload_ref()) {
            frame.data = body->data;
            frame.owner = body->owner;
            frame.constant = body->owner == nullptr;
            return;
        }
    }
    read_ += frame.size;
}

// The body that belongs to the header which ends at read_, if it is not in the segment.
const payload_ref *message_queue::take_payload_ref() noexcept {
    if (read_payload_ref_ == head_->payload_ref_count.load(std::memory_order_acquire))
        return nullptr;
    payload_ref &body = head_->payload_ref_at(read_payload_ref_);
    if (body.position() != static_cast<std::uint32_t>(read_ - head_->data()))
        return nullptr;
    ++read_payload_ref_;
    note_body_read(body.size);
    return &body;
}

bool message_queue::read_conflated(incoming_frame &frame) noexcept {
    buffer *body = newest_.exchange(nullptr, std::memory_order_acq_rel);
    if (body == nullptr)
        return false;
    frame = {body->data(), body->size(), body, 0, false, nullptr};
    return true;
}

bool message_queue::end_receive(queue_detail::placed_payload &placed) noexcept {
    const queue_detail::placed_payload last = std::exchange(placed, {});
    if (last.body == nullptr || consumed() >= last.message)
        return false;
    copy_bytes(last.body->owner->data(), last.body->data, last.body->size);
    last.body->data = last.body->owner->data();
    return true;
}

// A gathering reader may have passed bytes whose message it could not count yet: the writer stores the count
// last. Such a message has to be credited before the reader sleeps.
bool message_queue::prepare_wait_data() noexcept {
    if (busy_ && await_writer())
        return false;
    reader_.store(reader_state::idle, std::memory_order_seq_cst);
    if (busy_)
        end_busy();
    check_writer();
    const bool nothing = conflated() ? newest_.load(std::memory_order_seq_cst) == nullptr
                                     : committed_messages_.load(std::memory_order_seq_cst) <= consumed() &&
                                           committed_.load(std::memory_order_seq_cst) == read_position();
    if (nothing) {
        if (busy_at_ != never)
            busy_at_ = consumed() + busy_patience_;
        if (spare_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
            drop_spare();
        return true;
    }
    reader_.store(reader_state::awake, std::memory_order_seq_cst);
    return false;
}

// A quiet queue keeps no large segment in store.
void message_queue::drop_spare() noexcept {
    segment *spare = spare_.exchange(nullptr, std::memory_order_acquire);
    if (spare != nullptr && spare->capacity <= quiet_segment * 2)
        spare = spare_.exchange(spare, std::memory_order_acq_rel);
    if (spare != nullptr)
        segment::destroy(spare);
}

void message_queue::end_after(std::uint64_t messages) noexcept {
    last_message_ = consumed() + messages;
    check_writer();
}

// Has the writer been waiting for what was consumed? Asked when half a high-water mark makes room, and when
// the queue is empty. Ends the reading where it has to end.
void message_queue::check_writer() noexcept {
    const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
    next_check_ = limit == no_limit ? consumed() + 4096 : credit(consumed(), limit) + half_of(limit);
    if (writer_ != nullptr)
        note_half(limit);
    if (last_message_ != never) [[unlikely]] {
        next_check_ = std::min(next_check_, last_message_);
        if (consumed() >= last_message_)
            read_end_ = read_;
    }
    consumed_.store(consumed(), std::memory_order_seq_cst);
    if (writer_waiting_.load(std::memory_order_seq_cst) &&
        writer_waiting_.exchange(false, std::memory_order_seq_cst))
        writer_wakeup_ = true;
}

void message_queue::tell_room() noexcept {
    consumed_.store(consumed(), std::memory_order_seq_cst);
    if (!writer_waiting_.load(std::memory_order_seq_cst))
        return;
    const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
    const std::uint64_t waiting = committed_messages_.load(std::memory_order_acquire) - consumed();
    const bool room =
        limit == no_limit || static_cast<std::int64_t>(waiting) < static_cast<std::int64_t>(limit);
    if (room && writer_waiting_.exchange(false, std::memory_order_seq_cst))
        writer_wakeup_ = true;
}

// Over inproc libzmq notifies the writer when half a mark was read. It also does so for each frame, except
// the last one, of the message that follows. Programs that wait for ZMQ_FD may rely on it. refill() is asked
// there.
void message_queue::note_half(std::uint64_t limit) noexcept {
    const std::uint64_t half = limit == no_limit ? never : credit(consumed(), limit);
    if (std::exchange(half_at_, half) == half || half != consumed())
        return;
    ring_writer();
    if (!conflated())
        read_end_ = read_;
}

} // namespace zlink
