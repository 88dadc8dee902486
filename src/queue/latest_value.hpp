// SPDX-License-Identifier: MPL-2.0
// latest_value: a place for one message of one frame. A newer message replaces one that was not read
// (ZMQ_CONFLATE).
//
// Threads: one writer and one reader, which exchange the committed buffer. Ownership: it holds a reference to
// each buffer in it. A put() is visible to the reader after commit(), until then rollback() takes it back.
#pragma once

#include <atomic>
#include <cstdint>

#include "queue/frame_view.hpp"

namespace zlink {

class latest_value {
  public:
    latest_value() noexcept = default;
    ~latest_value();
    latest_value(const latest_value &) = delete;
    latest_value &operator=(const latest_value &) = delete;

    // ---- writer
    // Returns false if there is no memory; nothing has changed then.
    [[nodiscard]] bool put(const outgoing_frame &frame) noexcept;
    void commit() noexcept;
    void rollback() noexcept;

    // ---- reader
    // Returns false if there is nothing.
    [[nodiscard]] bool take(incoming_frame &frame) noexcept;

    // ---- any thread
    [[nodiscard]] bool empty(std::memory_order order) const noexcept {
        return newest_.load(order) == nullptr;
    }
    // Messages that gave way to a newer one.
    [[nodiscard]] std::uint64_t replaced() const noexcept {
        return replaced_.load(std::memory_order_relaxed);
    }

  private:
    buffer *written_ = nullptr;              // the writer's, not yet committed
    std::atomic<buffer *> newest_{nullptr};  // exchanged by both
    std::atomic<std::uint64_t> replaced_{0}; // stored by the writer
};

} // namespace zlink
