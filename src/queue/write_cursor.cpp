// SPDX-License-Identifier: MPL-2.0
#include "queue/write_cursor.hpp"

#include <algorithm>

namespace zlink {

using queue_detail::payload_ref;
using queue_detail::segment;

bool write_cursor::begin() noexcept {
    in_batch_ = queue_.peek(batch_);
    if (in_batch_)
        cursor_ = {queue_.front(), 0};
    return in_batch_;
}

// The bytes at `position`, up to the next reference, the end of the segment or the end of the batch.
bool write_cursor::next_piece(cursor &position, piece &found) const noexcept {
    for (;;) {
        segment &at = *position.at;
        const bool has_reference =
            position.payload_ref < at.payload_ref_count.load(std::memory_order_acquire);
        const std::uint32_t body_at =
            has_reference ? at.payload_ref_at(position.payload_ref).position() : segment::unsealed;
        if (body_at == position.offset && at.base + body_at <= batch_.end) {
            const payload_ref &body = at.payload_ref_at(position.payload_ref);
            found = {{body.data + position.done, body.size - position.done}, true};
            return true;
        }
        const std::uint32_t used = at.used.load(std::memory_order_acquire);
        const auto end = static_cast<std::uint32_t>(
            std::min<std::uint64_t>(batch_.end - at.base, std::min(used, body_at)));
        if (end != position.offset) {
            found = {{at.data() + position.offset, end - position.offset}, false};
            return true;
        }
        if (at.base + position.offset == batch_.end)
            return false;
        position = {{at.next, 0, 0}, 0};
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
    return {{&at, at.first_message, payload_ref}, 0};
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
            queue_.release_until(cursor_);
            queue_.consume(1);
        }
    }
    if (cursor_.at != queue_.front().at && cursor_.offset >= cursor_.at->first_message)
        if (const cursor first = first_message_of(*cursor_.at); passed(first))
            queue_.release_until(first);
    if (next_piece(cursor_, found))
        return;
    queue_.release_until(cursor_);
    in_batch_ = false;
    queue_.consume_all(batch_);
}

// Steps over the frame at `walker`. Returns its flags.
std::uint8_t write_cursor::pass_frame(cursor &walker) noexcept {
    while (walker.offset == walker.at->used.load(std::memory_order_acquire))
        walker = {{walker.at->next, 0, 0}, 0};
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
    cursor boundary{queue_.front(), 0};
    cursor walker = boundary;
    while (walker.at->base + walker.offset < batch_.end) {
        const std::uint8_t flags = pass_frame(walker);
        if (!passed(walker))
            break;
        if ((flags & frame_flag::more) == 0)
            boundary = walker;
    }
    queue_.release_until(boundary);
}

} // namespace zlink
