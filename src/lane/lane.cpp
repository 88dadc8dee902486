// SPDX-License-Identifier: MPL-2.0
#include "lane/lane.hpp"

#include <algorithm>
#include <utility>

#include "base/processors.hpp"

namespace zlink {

using lane_detail::chunk;
using lane_detail::reference;

namespace {
constexpr std::size_t largest_awaited = 1024 * 1024;
// A chunk has room for some frames like the one that begins it, as long as they lie near then.
constexpr std::size_t frames_of_a_chunk = 8;
constexpr std::size_t most_for_several = 8 * 1024 - sizeof(chunk);

void release_references(chunk &from, std::uint32_t first, std::uint32_t last) noexcept {
    for (std::uint32_t index = first; index < last; ++index)
        if (buffer *owner = from.reference_at(index).owner)
            owner->release();
}
} // namespace

std::uint8_t lane::newest_only[small_header] = {0xFF};

lane::lane(int high_water_mark, bool conflate, bool in_halves) noexcept
    : conflate_(conflate), in_halves_(in_halves), limit_(0) {
    set_high_water_mark(high_water_mark);
    if (conflate)
        read_ = read_end_ = newest_only;
}

lane::~lane() {
    chunk *dead = head_ != nullptr ? head_ : first_.load(std::memory_order_relaxed);
    std::uint32_t first = read_reference_;
    while (dead != nullptr) {
        chunk *next = dead->next;
        release_references(*dead, first, dead->reference_count.load(std::memory_order_relaxed));
        chunk::destroy(dead);
        dead = next;
        first = 0;
    }
    if (chunk *spare = spare_.load(std::memory_order_relaxed))
        chunk::destroy(spare);
    for (buffer *kept : {newest_.load(std::memory_order_relaxed), conflated_})
        if (kept != nullptr)
            kept->release();
}

void lane::set_high_water_mark(int messages) noexcept {
    limit_.store(messages > 0 && !conflate_ ? static_cast<std::uint64_t>(messages) : no_limit,
                 std::memory_order_relaxed);
}

// ---- writer

bool lane::try_wait() noexcept {
    writer_waiting_.store(true, std::memory_order_seq_cst);
    const std::uint64_t limit = limit_.load(std::memory_order_relaxed);
    consumed_seen_ = credit(consumed_.load(std::memory_order_seq_cst), limit);
    if (written() - consumed_seen_ >= limit)
        return true;
    writer_waiting_.store(false, std::memory_order_seq_cst);
    return false;
}

// Goes on in a new chunk that has room for `needed` bytes and a reference. Chunks grow while the lane is
// busy, so that much is moved at once; a lane whose reader keeps up goes back to small ones and holds little
// memory.
bool lane::grow(std::size_t needed, bool busy) noexcept {
    if (tail_ != nullptr)
        next_chunk_ = busy ? largest_chunk : std::min(next_chunk_ * 4, quiet_chunk);
    const std::size_t several = std::min(needed * frames_of_a_chunk, most_for_several);
    const std::size_t wanted = std::max({next_chunk_, several, needed + sizeof(reference)});
    chunk *fresh = spare_.exchange(nullptr, std::memory_order_acquire);
    if (fresh != nullptr) {
        prefetches_ = several_processors() && fresh->last_reader != std::this_thread::get_id();
        if (fresh->capacity < wanted || fresh->capacity > wanted * 4) {
            chunk::destroy(fresh);
            fresh = nullptr;
        }
    }
    const std::uint64_t base = write_position();
    fresh = fresh != nullptr ? ::new (fresh) chunk(base, fresh->capacity, fresh->size_class)
                             : chunk::create(wanted, base);
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
    note_distance();
    return true;
}

inline bool lane::append_header(std::uint8_t flags, std::size_t size, std::size_t room) noexcept {
    if (room > static_cast<std::size_t>(write_limit_ - write_) && !grow(room))
        return false;
    if ((flags & frame_flag::more) != 0 && !in_message_)
        begin_multipart();
    if (size <= 255 && (flags & frame_flag::large) == 0) {
        write_[0] = flags;
        write_[1] = static_cast<std::uint8_t>(size);
        write_ += 2;
    } else {
        write_[0] = flags | frame_flag::large;
        store_big_endian_64(write_ + 1, size);
        write_ += large_header;
    }
    return true;
}

bool lane::write_slow(const outgoing_frame &frame) noexcept {
    if (conflate_)
        return write_conflated(frame);
    if (frame.by_reference())
        return write_reference(frame);
    if (!append_header(frame.wire_flags(), frame.size, large_header + frame.size))
        return false;
    write_body(frame);
    return true;
}

inline void lane::write_body(const outgoing_frame &frame) noexcept {
    expect_body(write_ + frame.size, frame.size);
    copy_bytes(write_, frame.data, frame.size);
    write_ += frame.size;
}

// Its header is a long one at any size: so a reader knows where to look for references.
bool lane::write_reference(const outgoing_frame &frame) noexcept {
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
    return append_reference(frame, data, owner) != nullptr;
}

bool lane::write_landed(const outgoing_frame &frame, std::uint8_t *memory,
                        lane_detail::landed_body &landed) noexcept {
    buffer *owner = buffer::allocate(frame.size);
    reference *const body = owner != nullptr ? append_reference(frame, memory, owner) : nullptr;
    if (body == nullptr)
        return false;
    copy_bytes(memory, frame.data, frame.size);
    landed = {body, written() + 1};
    return true;
}

// A body that lies elsewhere, and the reference to its owner. Null: no memory, and the owner is released.
reference *lane::append_reference(const outgoing_frame &frame, const std::uint8_t *data,
                                  buffer *owner) noexcept {
    if (append_header(frame.wire_flags() | frame_flag::large, frame.size, large_header + sizeof(reference)))
        return &add_reference({data, frame.size, owner, used(), !frame.more()});
    if (owner != nullptr)
        owner->release();
    return nullptr;
}

reference &lane::add_reference(const reference &body) noexcept {
    const std::uint32_t index = tail_->reference_count.load(std::memory_order_relaxed);
    reference &added = tail_->reference_at(index);
    added.assign(body);
    tail_->reference_count.store(index + 1, std::memory_order_release);
    write_limit_ = tail_->limit();
    written_bodies_ += body.size;
    newest_body_ = static_cast<std::uint32_t>(std::min(body.size, largest_awaited));
    note_distance();
    return added;
}

bool lane::write_conflated(const outgoing_frame &frame) noexcept {
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

void lane::begin_multipart() noexcept {
    in_message_ = true;
    mark_chunk_ = tail_;
    mark_write_ = write_;
    mark_references_ = tail_->reference_count.load(std::memory_order_relaxed);
    mark_bodies_ = written_bodies_;
}

void lane::end_multipart() noexcept {
    if (conflate_) {
        if (buffer *old = newest_.exchange(std::exchange(conflated_, nullptr), std::memory_order_seq_cst))
            old->release();
        return;
    }
    in_message_ = false;
    if (tail_->first_message == chunk::unsealed)
        tail_->first_message = used();
}

// Returns false if they lie in more than one place.
bool lane::unfinished(byte_range &begun) const noexcept {
    if (mark_chunk_ != tail_ || mark_references_ != tail_->reference_count.load(std::memory_order_relaxed))
        return false;
    begun = {mark_write_, static_cast<std::size_t>(write_ - mark_write_)};
    return true;
}

void lane::rollback() noexcept {
    if (buffer *kept = std::exchange(conflated_, nullptr))
        kept->release();
    if (!in_message_)
        return;
    chunk *dead = mark_chunk_ != tail_ ? mark_chunk_->next : nullptr;
    while (dead != nullptr) {
        chunk *next = dead->next;
        release_references(*dead, 0, dead->reference_count.load(std::memory_order_relaxed));
        chunk::destroy(dead);
        dead = next;
    }
    chunk &left = *mark_chunk_;
    release_references(left, mark_references_, left.reference_count.load(std::memory_order_relaxed));
    left.reference_count.store(mark_references_, std::memory_order_relaxed);
    left.used.store(chunk::unsealed, std::memory_order_relaxed);
    left.next = nullptr;
    go_on_in(left, mark_write_);
    written_bodies_ = mark_bodies_;
    in_message_ = false;
}

// ---- reader

void lane::retire_head() noexcept {
    chunk *dead = head_;
    head_ = dead->next;
    read_ = read_end_ = head_->data();
    read_reference_ = 0;
    read_bytes_.store(head_->base + read_bodies_, std::memory_order_relaxed);
    dead->last_reader = std::this_thread::get_id();
    if (chunk *old = spare_.exchange(dead, std::memory_order_acq_rel))
        chunk::destroy(old);
}

// Looks for published bytes behind read_; false when there are none.
bool lane::refill() noexcept {
    if (consumed() >= last_message_) [[unlikely]]
        return false;
    if (conflated())
        return newest_.load(std::memory_order_acquire) != nullptr;
    std::uint64_t published = published_.load(std::memory_order_acquire);
    look_for_stream();
    if (consumed() >= trail_at_) [[unlikely]]
        published = keep_behind(published);
    if (published == read_position()) [[unlikely]]
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
    read_end_ = head_->data() + std::min<std::uint64_t>(published - head_->base, used);
    return true;
}

bool lane::read_slow(incoming_frame &frame) noexcept {
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
void lane::read_entry(incoming_frame &frame) noexcept {
    const std::uint8_t flags = read_[0];
    frame = {read_ + 2, read_[1], nullptr, 0, false, nullptr};
    frame.flags = flags & (frame_flag::more | frame_flag::command);
    read_ += 2;
    if ((flags & frame_flag::large) != 0) {
        frame.size = load_big_endian_64(read_ - 1);
        read_ += large_header - 2;
        frame.data = read_;
        if (const reference *body = take_reference()) {
            frame.data = body->data;
            frame.owner = body->owner;
            frame.constant = body->owner == nullptr;
            return;
        }
    }
    read_ += frame.size;
}

// The body that belongs to the header which ends at read_, if it is not in the chunk.
const reference *lane::take_reference() noexcept {
    if (read_reference_ == head_->reference_count.load(std::memory_order_acquire))
        return nullptr;
    reference &body = head_->reference_at(read_reference_);
    if (body.position() != static_cast<std::uint32_t>(read_ - head_->data()))
        return nullptr;
    ++read_reference_;
    note_body_read(body.size);
    return &body;
}

bool lane::read_conflated(incoming_frame &frame) noexcept {
    buffer *body = newest_.exchange(nullptr, std::memory_order_acq_rel);
    if (body == nullptr)
        return false;
    frame = {body->data(), body->size(), body, 0, false, nullptr};
    return true;
}

bool lane::settle(lane_detail::landed_body &landed) noexcept {
    const lane_detail::landed_body last = std::exchange(landed, {});
    if (last.body == nullptr || consumed() >= last.message)
        return false;
    copy_bytes(last.body->owner->data(), last.body->data, last.body->size);
    last.body->data = last.body->owner->data();
    return true;
}

// A gathering reader may have passed bytes whose message it could not count yet: the writer stores the count
// last. Such a message has to be credited before the reader sleeps.
bool lane::try_idle() noexcept {
    if (streams_ && await_writer())
        return false;
    reader_.store(reader_state::idle, std::memory_order_seq_cst);
    if (streams_)
        end_stream();
    check_writer();
    const bool nothing = conflated() ? newest_.load(std::memory_order_seq_cst) == nullptr
                                     : published_messages_.load(std::memory_order_seq_cst) <= consumed() &&
                                           published_.load(std::memory_order_seq_cst) == read_position();
    if (nothing) {
        if (stream_at_ != never)
            stream_at_ = consumed() + stream_patience_;
        if (spare_.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
            drop_spare();
        return true;
    }
    reader_.store(reader_state::awake, std::memory_order_seq_cst);
    return false;
}

// A quiet lane keeps no large chunk in store.
void lane::drop_spare() noexcept {
    chunk *spare = spare_.exchange(nullptr, std::memory_order_acquire);
    if (spare != nullptr && spare->capacity <= quiet_chunk * 2)
        spare = spare_.exchange(spare, std::memory_order_acq_rel);
    if (spare != nullptr)
        chunk::destroy(spare);
}

void lane::end_after(std::uint64_t messages) noexcept {
    last_message_ = consumed() + messages;
    check_writer();
}

// Has the writer been waiting for what was consumed? Asked when half a high-water mark makes room, and when
// the lane is empty. Ends the reading where it has to end.
void lane::check_writer() noexcept {
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

// With inproc libzmq tells the writer of each half of a mark that was read, and of each frame before the last
// one of the message behind it. Programs that wait for ZMQ_FD may rely on it. refill() is asked there.
void lane::note_half(std::uint64_t limit) noexcept {
    const std::uint64_t half = limit == no_limit ? never : credit(consumed(), limit);
    if (std::exchange(half_at_, half) == half || half != consumed())
        return;
    ring_writer();
    if (!conflated())
        read_end_ = read_;
}

} // namespace zlink
