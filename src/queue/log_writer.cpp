// SPDX-License-Identifier: MPL-2.0
// log_writer: growth, payloads and rollback. Its functions on the way of a frame are in queue_writer.cpp.
#include <thread>

#include "queue/queue_writer.hpp"

namespace zlink {

using queue_detail::payload_ref;
using queue_detail::segment;

namespace {
// A segment has room for some frames like the one that begins it, as long as they lie near then.
constexpr std::size_t frames_of_a_segment = 8;
constexpr std::size_t most_for_several = 8 * 1024 - sizeof(segment);
} // namespace

void log_writer::go_on_in(segment &next, std::uint8_t *at) noexcept {
    tail_ = &next;
    write_ = at;
    write_limit_ = next.limit();
    origin_ = next.base - reinterpret_cast<std::uintptr_t>(next.data());
}

// Segments grow while the queue is busy, so that much is moved at once. A queue whose reader keeps up goes
// back to small segments, and holds little memory.
bool log_writer::grow(std::size_t needed, bool busy, queue_detail::segment_exchange &segments) noexcept {
    if (tail_ != nullptr)
        next_segment_ = static_cast<std::uint32_t>(
            busy ? largest_segment : std::min(std::size_t{next_segment_} * 4, quiet_segment));
    const std::size_t several = std::min(needed * frames_of_a_segment, most_for_several);
    const std::size_t wanted = std::max({std::size_t{next_segment_}, several, needed + sizeof(payload_ref)});
    segment *fresh = segments.take_spare();
    if (fresh != nullptr) {
        prefetches_ = several_processors() && fresh->last_reader != std::this_thread::get_id();
        if (fresh->capacity < wanted || fresh->capacity > wanted * 4) {
            segment::destroy(fresh);
            fresh = nullptr;
        }
    }
    const std::uint64_t base = position();
    fresh = fresh != nullptr ? ::new (fresh) segment(base, fresh->capacity, fresh->size_class)
                             : segment::create(wanted, base);
    if (fresh == nullptr)
        return false;
    if (tail_ != nullptr) {
        tail_->next = fresh;
        tail_->used.store(used(), std::memory_order_release);
    } else {
        segments.begin(*fresh);
    }
    if (!in_message_)
        fresh->first_message = 0;
    go_on_in(*fresh, fresh->data());
    return true;
}

payload_ref &log_writer::append_payload_ref(const payload_ref &body) noexcept {
    const std::uint32_t index = tail_->payload_ref_count.load(std::memory_order_relaxed);
    payload_ref &added = tail_->payload_ref_at(index);
    added.assign(body);
    tail_->payload_ref_count.store(index + 1, std::memory_order_release);
    write_limit_ = tail_->limit();
    payload_bytes_ += body.size;
    return added;
}

bool log_writer::unfinished(byte_range &begun) const noexcept {
    if (mark_.at != tail_ || mark_.payload_refs != tail_->payload_ref_count.load(std::memory_order_relaxed))
        return false;
    begun = {mark_.write, static_cast<std::size_t>(write_ - mark_.write)};
    return true;
}

void log_writer::rollback() noexcept {
    if (!in_message_)
        return;
    segment *dead = mark_.at != tail_ ? mark_.at->next : nullptr;
    while (dead != nullptr) {
        segment *next = dead->next;
        dead->release_payload_refs(0);
        segment::destroy(dead);
        dead = next;
    }
    segment &left = *mark_.at;
    left.release_payload_refs(mark_.payload_refs);
    left.payload_ref_count.store(mark_.payload_refs, std::memory_order_relaxed);
    left.used.store(segment::unsealed, std::memory_order_relaxed);
    left.next = nullptr;
    go_on_in(left, mark_.write);
    payload_bytes_ = mark_.payload_bytes;
    in_message_ = false;
}

} // namespace zlink
