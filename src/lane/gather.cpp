// SPDX-License-Identifier: MPL-2.0
#include "lane/gather.hpp"

#include <algorithm>

namespace zlink {

using lane_detail::chunk;
using lane_detail::reference;

bool lane_gather::begin() noexcept {
    lane_.look_for_stream();
    // The count is loaded first: it never counts a message that lies behind limit_.
    messages_ = lane_.published_messages_.load(std::memory_order_acquire);
    limit_ = lane_.published_.load(std::memory_order_acquire);
    if (limit_ == lane_.read_position()) {
        if (messages_ > lane_.consumed())
            lane_.consume_messages(messages_ - lane_.consumed());
        return false;
    }
    if (lane_.head_ == nullptr) {
        lane_.head_ = lane_.first_.load(std::memory_order_relaxed);
        lane_.read_ = lane_.read_end_ = lane_.head_->data();
    }
    cursor_ = {lane_.head_, static_cast<std::uint32_t>(lane_.read_ - lane_.head_->data()),
               lane_.read_reference_, 0};
    in_batch_ = true;
    return true;
}

// The bytes at `position`, up to the next reference, the end of the chunk or the end of the batch.
bool lane_gather::next_piece(cursor &position, piece &found) const noexcept {
    for (;;) {
        chunk &at = *position.at;
        const bool has_reference = position.reference < at.reference_count.load(std::memory_order_acquire);
        const std::uint32_t body_at =
            has_reference ? at.reference_at(position.reference).position() : chunk::unsealed;
        if (body_at == position.offset && at.base + body_at <= limit_) {
            const reference &body = at.reference_at(position.reference);
            found = {{body.data + position.done, body.size - position.done}, true};
            return true;
        }
        const std::uint32_t used = at.used.load(std::memory_order_acquire);
        const auto end =
            static_cast<std::uint32_t>(std::min<std::uint64_t>(limit_ - at.base, std::min(used, body_at)));
        if (end != position.offset) {
            found = {{at.data() + position.offset, end - position.offset}, false};
            return true;
        }
        if (at.base + position.offset == limit_)
            return false;
        position = {at.next, 0, 0, 0};
    }
}

void lane_gather::step(cursor &position, const piece &taken, std::size_t bytes) noexcept {
    if (!taken.is_reference) {
        position.offset += static_cast<std::uint32_t>(bytes);
    } else if (bytes == taken.bytes.size) {
        ++position.reference;
        position.done = 0;
    } else {
        position.done += bytes;
    }
}

std::size_t lane_gather::ranges(std::span<byte_range> pieces, std::size_t most, bool exactly) noexcept {
    if (!in_batch_ && !begin())
        return 0;
    cursor position = cursor_;
    std::size_t count = 0;
    std::size_t total = 0;
    piece found{};
    while (count < pieces.size() && total < most && next_piece(position, found)) {
        if (exactly && !found.is_reference)
            found.bytes.size = std::min(found.bytes.size, most - total);
        pieces[count++] = found.bytes;
        total += found.bytes.size;
        step(position, found, found.bytes.size);
    }
    return count;
}

lane_gather::cursor lane_gather::first_message_of(chunk &at) noexcept {
    std::uint32_t reference = 0; // references of the message that began in an earlier chunk
    const std::uint32_t count = at.reference_count.load(std::memory_order_acquire);
    while (reference < count && at.reference_at(reference).position() <= at.first_message)
        ++reference;
    return {&at, at.first_message, reference, 0};
}

void lane_gather::advance(std::size_t bytes) noexcept {
    piece found{};
    while (bytes != 0 && next_piece(cursor_, found)) {
        const std::size_t taken = std::min(bytes, found.bytes.size);
        const bool ends_message = found.is_reference && taken == found.bytes.size &&
                                  cursor_.at->reference_at(cursor_.reference).last_frame;
        step(cursor_, found, taken);
        bytes -= taken;
        if (ends_message) {
            forget_until(cursor_);
            lane_.consume_messages(1);
        }
    }
    if (cursor_.at != lane_.head_ && cursor_.offset >= cursor_.at->first_message)
        if (const cursor first = first_message_of(*cursor_.at); passed(first))
            forget_until(first);
    if (next_piece(cursor_, found))
        return;
    forget_until(cursor_);
    in_batch_ = false;
    if (messages_ > lane_.consumed()) // messages that are credited singly may be ahead of the count
        lane_.consume_messages(messages_ - lane_.consumed());
}

// `position` is the beginning of a message, and all before it has been written.
void lane_gather::forget_until(const cursor &position) noexcept {
    while (true) {
        chunk &head = *lane_.head_;
        const std::uint32_t written =
            &head == position.at ? position.reference : head.reference_count.load(std::memory_order_acquire);
        while (lane_.read_reference_ < written) {
            const lane_detail::reference &body = head.reference_at(lane_.read_reference_++);
            lane_.note_body_read(body.size);
            if (body.owner != nullptr)
                body.owner->release();
        }
        if (&head == position.at)
            break;
        lane_.retire_head();
    }
    lane_.read_ = lane_.read_end_ = lane_.head_->data() + position.offset;
}

// Steps over the frame at `walker`. Returns its flags.
std::uint8_t lane_gather::pass_frame(cursor &walker) noexcept {
    while (walker.offset == walker.at->used.load(std::memory_order_acquire))
        walker = {walker.at->next, 0, 0, 0};
    const std::uint8_t *header = walker.at->data() + walker.offset;
    const bool large = (header[0] & frame_flag::large) != 0;
    walker.offset += large ? 9 : 2;
    const bool referenced = large &&
                            walker.reference < walker.at->reference_count.load(std::memory_order_acquire) &&
                            walker.at->reference_at(walker.reference).position() == walker.offset;
    if (referenced)
        ++walker.reference;
    else
        walker.offset += static_cast<std::uint32_t>(large ? load_big_endian_64(header + 1) : header[1]);
    return header[0];
}

// Have all bytes before `position` been written?
bool lane_gather::passed(const cursor &position) const noexcept {
    const std::uint64_t there = position.at->base + position.offset;
    const std::uint64_t reached = cursor_.at->base + cursor_.offset;
    if (there != reached || position.at != cursor_.at)
        return there <= reached;
    return position.reference <= cursor_.reference;
}

void lane_gather::rewind() noexcept {
    if (!in_batch_)
        return;
    in_batch_ = false;
    cursor boundary{lane_.head_, static_cast<std::uint32_t>(lane_.read_ - lane_.head_->data()),
                    lane_.read_reference_, 0};
    cursor walker = boundary;
    while (walker.at->base + walker.offset < limit_) {
        const std::uint8_t flags = pass_frame(walker);
        if (!passed(walker))
            break;
        if ((flags & frame_flag::more) == 0)
            boundary = walker;
    }
    forget_until(boundary);
}

} // namespace zlink
