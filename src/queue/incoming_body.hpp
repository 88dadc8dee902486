// SPDX-License-Identifier: MPL-2.0
// incoming_body: the large body that a receive_window fills. It has a buffer of its own. It is filled in a
// posted buffer if it fits there, and its own one stands by, so nothing is lost if something comes between.
//
// Threads: its receive_window's. Ownership: it holds the buffer until the queue gets it. Units: bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "base/bytes.hpp"
#include "queue/frame_view.hpp"
#include "queue/segment.hpp"

namespace zlink {

class incoming_body {
  public:
    // `placed` gets a body that was filled in a posted buffer; null: none is.
    explicit incoming_body(queue_detail::placed_payload *placed) noexcept : placed_(placed) {}
    ~incoming_body() { drop(); }
    incoming_body(const incoming_body &) = delete;
    incoming_body &operator=(const incoming_body &) = delete;

    [[nodiscard]] bool filling() const noexcept { return buffer_ != nullptr; }
    // `header`: bytes of its header, which stand before it in the log.
    void begin(buffer &body, std::size_t header, bool more, bool in_posted) noexcept {
        buffer_ = &body;
        header_ = header;
        filled_ = 0;
        more_ = more;
        placing_ = in_posted;
    }
    // ---- only while it is being filled
    [[nodiscard]] std::size_t size() const noexcept { return buffer_->size(); }
    [[nodiscard]] bool more() const noexcept { return more_; }
    [[nodiscard]] std::uint8_t *bytes() noexcept {
        return placing_ ? posted_.memory.data() : buffer_->data();
    }
    [[nodiscard]] std::span<std::uint8_t> rest() noexcept { return {bytes() + filled_, size() - filled_}; }
    // Returns how many of the bytes are its own.
    std::size_t fill(std::size_t bytes) noexcept {
        const std::size_t taken = std::min(bytes, size() - filled_);
        filled_ += taken;
        return taken;
    }
    [[nodiscard]] bool whole() const noexcept { return filled_ == size(); }
    [[nodiscard]] queue_detail::payload_ref entry(std::uint32_t offset) noexcept {
        return {bytes(), size(), buffer_, offset, !more_};
    }
    // The queue has it. Returns the posted buffer's bytes, or none if it was not filled there. `message`: the
    // queue's count of messages with it.
    std::span<const std::uint8_t> enter_queue(queue_detail::payload_ref &body,
                                              std::uint64_t message) noexcept;

    // ---- always
    [[nodiscard]] std::size_t header() const noexcept { return header_; } // 0 while none is filled
    void drop() noexcept;
    [[nodiscard]] bool takes_posted() const noexcept { return placed_ != nullptr; }
    [[nodiscard]] const posted_buffer &posted() const noexcept { return posted_; }
    // Much of it must not have arrived if it moves there.
    [[nodiscard]] bool may_move() const noexcept { return filling() && filled_ <= most_moved; }
    void post(const posted_buffer &posted) noexcept {
        posted_ = posted;
        placing_ = false;
    }
    void move_to_posted() noexcept;
    // The posted buffer is used no more. Returns true if it holds the beginning of a body.
    bool end_post() noexcept;

  private:
    static constexpr std::size_t most_moved = 4096;

    buffer *buffer_ = nullptr;
    std::size_t header_ = 0;
    std::size_t filled_ = 0;
    posted_buffer posted_;
    queue_detail::placed_payload *placed_;
    bool more_ = false;
    bool placing_ = false; // it is filled in the posted buffer
};

} // namespace zlink
