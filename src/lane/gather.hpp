// SPDX-License-Identifier: MPL-2.0
// lane_gather: reads a lane as ranges of bytes, for a gathering write.
//
// Threads: takes the place of the lane's reader; do not mix with read(). Bytes are given as they stand.
// A batch is what was published when it began. A message that
// ends with a large body is credited to the writer when it has been written, the others with the end of the
// batch: where messages are large, many of them are one batch, and the writer is not to wait for its end.
// When a connection is lost in the middle, rewind() goes back to the beginning of the message that the peer
// cannot have received whole, so that the next connection sends it from its start.
#pragma once

#include <span>

#include "lane/lane.hpp"

namespace zlink {

class lane_gather {
  public:
    explicit lane_gather(lane &source) noexcept : lane_(source) {}

    // Bytes of the current batch that are not written yet, at most ranges.size() pieces and about `most`
    // bytes; begins a batch when there is none. `exactly` cuts small messages at `most` bytes; a large body
    // stays whole. Returns the number of pieces: 0 when nothing is published.
    std::size_t ranges(std::span<byte_range> pieces, std::size_t most, bool exactly = false) noexcept;
    // `bytes` of the ranges have been written.
    void advance(std::size_t bytes) noexcept;
    void rewind() noexcept;
    // Whether a batch has been begun and not been written whole: between batches other bytes may go out.
    [[nodiscard]] bool in_batch() const noexcept { return in_batch_; }

  private:
    using chunk = lane_detail::chunk;
    struct cursor {
        chunk *at = nullptr;
        std::uint32_t offset = 0;
        std::uint32_t reference = 0; // the next one
        std::size_t done = 0;        // bytes of it that are written
    };
    struct piece {
        byte_range bytes;
        bool is_reference;
    };

    bool begin() noexcept;
    bool next_piece(cursor &position, piece &found) const noexcept;
    void step(cursor &position, const piece &taken, std::size_t bytes) noexcept;
    static cursor first_message_of(chunk &at) noexcept;
    static std::uint8_t pass_frame(cursor &walker) noexcept;
    [[nodiscard]] bool passed(const cursor &position) const noexcept;
    void forget_until(const cursor &position) noexcept;

    lane &lane_;
    bool in_batch_ = false;
    std::uint64_t limit_ = 0;    // position where the batch ends
    std::uint64_t messages_ = 0; // published_messages_ when it began
    cursor cursor_;              // the lane's own reader fields are the message boundary at or before it
};

} // namespace zlink
