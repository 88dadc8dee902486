// SPDX-License-Identifier: MPL-2.0
// Tools for the tests of queues: messages as plain strings, their bytes on the wire, and a receiver that
// works like a worker's. One thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "queue/message_queue.hpp"
#include "queue/queue_writer.hpp"
#include "queue/write_cursor.hpp"

namespace zlink::message_queue_test {

using message = std::vector<std::string>;

// Bytes that tell their place and their body.
inline std::string body_of(std::size_t size, unsigned seed = 0) {
    std::string body(size, '\0');
    for (std::size_t index = 0; index < size; ++index)
        body[index] = static_cast<char>((index * 7 + index / 251 + seed * 31) & 0xFF);
    return body;
}

inline outgoing_frame frame_of(const std::string &body, bool more = false, buffer *owner = nullptr) {
    return {reinterpret_cast<const std::uint8_t *>(body.data()), body.size(),
            more ? frame_flag::more : std::uint8_t{0}, owner};
}

inline void write_uncommitted(queue_writer &to, const message &frames) {
    for (std::size_t index = 0; index < frames.size(); ++index)
        ASSERT_TRUE(to.write(frame_of(frames[index], index + 1 < frames.size())));
}

// Returns what commit() answered.
inline bool send(queue_writer &to, const message &frames) {
    write_uncommitted(to, frames);
    return to.commit();
}

inline std::string take_body(incoming_frame &frame) {
    std::string body(reinterpret_cast<const char *>(frame.data), frame.size);
    frame.drop();
    return body;
}

// The next message, or no frames when there is none. A message that does not come whole is a failure.
inline message receive(queue_reader &from) {
    message frames;
    incoming_frame frame;
    while (from.read(frame)) {
        const bool more = frame.more();
        frames.push_back(take_body(frame));
        if (!more)
            return frames;
    }
    EXPECT_TRUE(frames.empty()) << "half a message";
    return frames;
}

inline std::vector<message> receive_all(queue_reader &from) {
    std::vector<message> all;
    for (message next = receive(from); !next.empty(); next = receive(from))
        all.push_back(std::move(next));
    return all;
}

// By the half of a queue that it takes.
inline void write_uncommitted(message_queue &to, const message &frames) {
    write_uncommitted(to.writer(), frames);
}
inline bool send(message_queue &to, const message &frames) {
    return send(to.writer(), frames);
}
inline message receive(message_queue &from) {
    return receive(from.reader());
}
inline std::vector<message> receive_all(message_queue &from) {
    return receive_all(from.reader());
}

// RFC 37: flags, size of one byte or of eight, body.
inline std::string wire_frame(const std::string &body, bool more, std::uint8_t other_flags = 0) {
    const bool large = body.size() > 255;
    std::string bytes(1, static_cast<char>((more ? 1 : 0) | (large ? 2 : 0) | other_flags));
    for (int shift = large ? 56 : 0; shift >= 0; shift -= 8)
        bytes += static_cast<char>((body.size() >> shift) & 0xFF);
    return bytes + body;
}

inline std::string wire(const message &frames) {
    std::string bytes;
    for (std::size_t index = 0; index < frames.size(); ++index)
        bytes += wire_frame(frames[index], index + 1 < frames.size());
    return bytes;
}

inline std::string wire_all(const std::vector<message> &messages) {
    std::string bytes;
    for (const message &each : messages)
        bytes += wire(each);
    return bytes;
}

// The next at most `size` bytes of a gather, which count as written.
inline std::string write_part(write_cursor &from, std::size_t size, std::size_t pieces = 8) {
    std::vector<byte_range> ranges(pieces);
    const std::size_t count = from.ranges(ranges, size);
    std::string bytes;
    for (std::size_t index = 0; index < count && bytes.size() < size; ++index) {
        const std::size_t taken = std::min(ranges[index].size, size - bytes.size());
        bytes.append(reinterpret_cast<const char *>(ranges[index].data), taken);
    }
    if (!bytes.empty())
        from.advance(bytes.size());
    return bytes;
}

inline std::string write_all(write_cursor &from, std::size_t step = std::size_t{1} << 40,
                             std::size_t pieces = 8) {
    std::string all;
    for (std::string some = write_part(from, step, pieces); !some.empty();
         some = write_part(from, step, pieces))
        all += some;
    return all;
}

// Walks what came in, as a worker would.
class receiver {
  public:
    explicit receiver(message_queue &target, queue_detail::placed_payload *placed = nullptr)
        : window_(target.writer(), placed) {}

    // Receives all of `bytes`, at most `step` at once.
    void feed(std::string_view bytes, std::size_t step = std::size_t{1} << 40) {
        while (!bytes.empty()) {
            const std::size_t taken = receive_piece(bytes.substr(0, step));
            ASSERT_NE(taken, 0U);
            bytes.remove_prefix(taken);
            walk();
        }
    }
    void reset() {
        window_.reset();
        frame_size_ = 0;
    }
    receive_window &window() { return window_; }
    bool commit_each_turn = true;
    // Bodies of more bytes get a buffer even when all is here.
    std::size_t always_buffer = std::size_t{1} << 40;

  private:
    std::size_t receive_piece(std::string_view bytes) {
        const receive_window::room room = window_.space(frame_size_);
        std::size_t taken = 0;
        for (const std::span<std::uint8_t> part : {room.front, room.body, room.log}) {
            const std::size_t size = std::min(part.size(), bytes.size() - taken);
            if (size != 0)
                std::memcpy(part.data(), bytes.data() + taken, size);
            taken += size;
        }
        window_.received(taken);
        return taken;
    }
    void walk() {
        walk_frames();
        if (!window_.expects())
            return;
        EXPECT_TRUE(window_.bring_back());
        walk_frames();
    }
    void walk_frames() {
        while (!window_.filling_body() && take_frame()) {
        }
        if (commit_each_turn)
            (void)window_.commit();
    }
    bool take_frame() {
        const std::span<std::uint8_t> pending = window_.pending();
        frame_size_ = 0;
        if (pending.size() < 2)
            return false;
        const bool large = (pending[0] & frame_flag::large) != 0;
        const std::size_t header = large ? 9 : 2;
        if (pending.size() < header)
            return false;
        const std::size_t size = large ? load_big_endian_64(&pending[1]) : pending[1];
        const bool more = (pending[0] & frame_flag::more) != 0;
        const bool here = pending.size() >= header + size;
        if (size > large_body && (!here || size > always_buffer)) {
            EXPECT_TRUE(window_.begin_body(header, size, more));
            return true;
        }
        frame_size_ = header + size;
        if (!here)
            return false;
        if ((pending[0] & frame_flag::command) != 0) {
            window_.cut(header + size);
        } else {
            window_.accept(header + size, more);
        }
        frame_size_ = 0;
        return true;
    }

    receive_window window_;
    std::size_t frame_size_ = 0;
};

// Where the next body is to lie, when messages like it came before.
inline receive_window::room expected_room(receiver &from_network) {
    const receive_window::room room = from_network.window().space(0);
    from_network.window().received(0);
    return room;
}

} // namespace zlink::message_queue_test
