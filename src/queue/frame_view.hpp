// SPDX-License-Identifier: MPL-2.0
// Frames on their way: what a pattern is given to send, and what a queue gives to read. No bytes are owned
// here but for the one reference that `owner` may carry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "message/buffer.hpp"
#include "message/frame_header.hpp"
#include "message/metadata.hpp"

namespace zlink {

namespace frame_flag {
// Outgoing frames alone have this flag; it is never in a queue or on the wire. The application owns the body
// until the library releases it, after the body has left. So the body travels by reference, whatever its
// size.
constexpr std::uint8_t lent = 0x80;
} // namespace frame_flag

// Bodies of more bytes travel by reference, smaller ones are copied into the queue unless they are lent.
constexpr std::size_t large_body = 8192;

// A frame to be sent. `owner` is borrowed: who keeps the body retains it.
struct outgoing_frame {
    const std::uint8_t *data;
    std::size_t size;
    std::uint8_t flags;    // more, command, lent
    buffer *owner;         // holds `data`, or null
    bool constant = false; // `data` lives for ever: no owner, no copy

    [[nodiscard]] bool more() const noexcept { return (flags & frame_flag::more) != 0; }
    [[nodiscard]] bool by_reference() const noexcept {
        return size > large_body || ((flags & frame_flag::lent) != 0 && size != 0);
    }
    [[nodiscard]] std::uint8_t wire_flags() const noexcept {
        return flags & (frame_flag::more | frame_flag::command);
    }
    // Returns a buffer that is the body, and one reference to it. A body that is not all of its owner's bytes
    // is copied. Null: no memory.
    [[nodiscard]] buffer *share_body() const noexcept {
        if (owner == nullptr || owner->data() != data || owner->size() != size)
            return buffer::copy_of(data, size);
        owner->retain();
        return owner;
    }
};

// Memory where an application's thread wants the body of the next message. `envelope`: the bytes in a queue
// of the frames of that message which are not for the thread (the delimiter of REQ and REP).
struct posted_buffer {
    std::span<std::uint8_t> memory;
    std::size_t envelope = 0;
};

// A frame that was read. `data` stays valid until the next call on the queue, or as long as `owner` is held.
// A non-null `owner` is one reference that now belongs to the holder of the view.
struct incoming_frame {
    const std::uint8_t *data = nullptr;
    std::size_t size = 0;
    buffer *owner = nullptr;
    std::uint8_t flags = 0;
    bool constant = false;                   // `data` lives for ever
    const peer_metadata *metadata = nullptr; // of the connection it came from; borrowed, as `data` is

    [[nodiscard]] bool more() const noexcept { return (flags & frame_flag::more) != 0; }
    [[nodiscard]] bool command() const noexcept { return (flags & frame_flag::command) != 0; }
    void drop() noexcept {
        if (owner != nullptr) [[unlikely]]
            std::exchange(owner, nullptr)->release();
    }
};

} // namespace zlink
