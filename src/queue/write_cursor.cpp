// SPDX-License-Identifier: MPL-2.0
#include "queue/write_cursor.hpp"

#include <algorithm>

namespace zlink {

using queue_detail::payload_ref;
using queue_detail::segment;

bool write_cursor::begin() noexcept {
    queue_.check_busy();
    // The count is loaded first: it never counts a message that lies behind limit_.
    messages_ = queue_.committed_messages_.load(std::memory_order_acquire);
    limit_ = queue_.committed_.load(std::memory_order_acquire);
    if (limit_ == queue_.read_position()) {
        if (messages_ > queue_.consumed())
            queue_.consume_messages(messages_ - queue_.consumed());
        return false;
    }
    if (queue_.head_ == nullptr) {
        queue_.head_ = queue_.first_.load(std::memory_order_relaxed);
        queue_.read_ = queue_.read_end_ = queue_.head_->data();
    }
    cursor_ = {queue_.head_, static_cast<std::uint32_t>(queue_.read_ - queue_.head_->data()),
               queue_.read_payload_ref_, 0};
    in_batch_ = true;
    return true;
}

// The bytes at `position`, up to the next reference, the end of the segment or the end of the batch.
bool write_cursor::next_piece(cursor &position, piece &found) const noexcept {
    for (;;) {
        segment &at = *position.at;
        const bool has_reference =
            position.payload_ref < at.payload_ref_count.load(std::memory_order_acquire);
        const std::uint32_t body_at =
            has_reference ? at.payload_ref_at(position.payload_ref).position() : segment::unsealed;
        if (body_at == position.offset && at.base + body_at <= limit_) {
            const payload_ref &body = at.payload_ref_at(position.payload_ref);
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

void write_cursor::step(cursor &position, const piece &taken, std::size_t bytes) noexcept {
    if (!taken.is_reference) {
        position.offset += static_cast<std::uint32_t>(bytes);
    } else if (bytes == taken.bytes.size) {
        ++position.payload_ref;
        position.done = 0;
    } else {
        position.done += bytes;
    }
}

std::size_t write_cursor::ranges(std::span<byte_range> pieces, std::size_t most, bool exactly) noexcept {
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

write_cursor::cursor write_cursor::first_message_of(segment &at) noexcept {
    std::uint32_t payload_ref = 0; // references of the message that began in an earlier segment
    const std::uint32_t count = at.payload_ref_count.load(std::memory_order_acquire);
    while (payload_ref < count && at.payload_ref_at(payload_ref).position() <= at.first_message)
        ++payload_ref;
    return {&at, at.first_message, payload_ref, 0};
}

void write_cursor::advance(std::size_t bytes) noexcept {
    piece found{};
    while (bytes != 0 && next_piece(cursor_, found)) {
        const std::size_t taken = std::min(bytes, found.bytes.size);
        const bool ends_message = found.is_reference && taken == found.bytes.size &&
                                  cursor_.at->payload_ref_at(cursor_.payload_ref).last_frame;
        step(cursor_, found, taken);
        bytes -= taken;
        if (ends_message) {
            forget_until(cursor_);
            queue_.consume_messages(1);
        }
    }
    if (cursor_.at != queue_.head_ && cursor_.offset >= cursor_.at->first_message)
        if (const cursor first = first_message_of(*cursor_.at); passed(first))
            forget_until(first);
    if (next_piece(cursor_, found))
        return;
    forget_until(cursor_);
    in_batch_ = false;
    if (messages_ > queue_.consumed()) // messages that are credited singly may be ahead of the count
        queue_.consume_messages(messages_ - queue_.consumed());
}

// `position` is the beginning of a message, and all before it has been written.
void write_cursor::forget_until(const cursor &position) noexcept {
    while (true) {
        segment &head = *queue_.head_;
        const std::uint32_t written = &head == position.at
                                          ? position.payload_ref
                                          : head.payload_ref_count.load(std::memory_order_acquire);
        while (queue_.read_payload_ref_ < written) {
            const queue_detail::payload_ref &body = head.payload_ref_at(queue_.read_payload_ref_++);
            queue_.note_body_read(body.size);
            if (body.owner != nullptr)
                body.owner->release();
        }
        if (&head == position.at)
            break;
        queue_.retire_head();
    }
    queue_.read_ = queue_.read_end_ = queue_.head_->data() + position.offset;
}

// Steps over the frame at `walker`. Returns its flags.
std::uint8_t write_cursor::pass_frame(cursor &walker) noexcept {
    while (walker.offset == walker.at->used.load(std::memory_order_acquire))
        walker = {walker.at->next, 0, 0, 0};
    const whole_frame_header header(walker.at->data() + walker.offset);
    walker.offset += static_cast<std::uint32_t>(header.size());
    const bool referenced =
        header.large() && walker.payload_ref < walker.at->payload_ref_count.load(std::memory_order_acquire) &&
        walker.at->payload_ref_at(walker.payload_ref).position() == walker.offset;
    if (referenced)
        ++walker.payload_ref;
    else
        walker.offset += static_cast<std::uint32_t>(header.body_size());
    return header.flags();
}

// Have all bytes before `position` been written?
bool write_cursor::passed(const cursor &position) const noexcept {
    const std::uint64_t there = position.at->base + position.offset;
    const std::uint64_t reached = cursor_.at->base + cursor_.offset;
    if (there != reached || position.at != cursor_.at)
        return there <= reached;
    return position.payload_ref <= cursor_.payload_ref;
}

void write_cursor::rewind() noexcept {
    if (!in_batch_)
        return;
    in_batch_ = false;
    cursor boundary{queue_.head_, static_cast<std::uint32_t>(queue_.read_ - queue_.head_->data()),
                    queue_.read_payload_ref_, 0};
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
