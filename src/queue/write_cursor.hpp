// SPDX-License-Identifier: MPL-2.0
// write_cursor: reads a queue as ranges of bytes, for a gathering write.
//
// Threads: takes the place of the queue's reader; do not mix with read(). Bytes are given as they stand.
// A batch is what was committed when it began. A message is credited to the writer at the end of the batch.
// One that ends with a large body is credited when it has been written: a batch may hold many of them. After
// a lost connection, rewind() goes back to the start of the first message that the peer cannot have received
// whole. The next connection sends it again.
#pragma once

#include <span>

#include "queue/queue_reader.hpp"

namespace zlink {

class write_cursor {
  public:
    explicit write_cursor(queue_reader &source) noexcept : queue_(source) {}

    // Bytes of the current batch that are not written yet, at most ranges.size() pieces and about `most`
    // bytes; begins a batch when there is none. `exactly` cuts small messages at `most` bytes; a large body
    // stays whole. Returns the number of pieces: 0 when nothing is committed.
    std::size_t ranges(std::span<byte_range> pieces, std::size_t most, bool exactly = false) noexcept;
    // `bytes` of the ranges have been written.
    void advance(std::size_t bytes) noexcept;
    void rewind() noexcept;
    // Whether a batch has been begun and not been written whole: between batches other bytes may go out.
    [[nodiscard]] bool in_batch() const noexcept { return in_batch_; }

  private:
    using segment = queue_detail::segment;
    struct cursor : log_reader::place {
        std::size_t done = 0; // bytes of the next payload that are written
    };
    struct piece {
        byte_range bytes;
        bool is_reference;
    };

    bool begin() noexcept;
    bool next_piece(cursor &position, piece &found) const noexcept;
    void step(cursor &position, const piece &taken, std::size_t bytes) noexcept;
    static cursor first_message_of(segment &at) noexcept;
    static std::uint8_t pass_frame(cursor &walker) noexcept;
    [[nodiscard]] bool passed(const cursor &position) const noexcept;

    queue_reader &queue_;
    bool in_batch_ = false;
    queue_reader::batch batch_;
    cursor cursor_; // the queue's front() is the message boundary at or before it
};

} // namespace zlink
