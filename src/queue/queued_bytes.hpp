// SPDX-License-Identifier: MPL-2.0
// queued_bytes: how many bytes wait in a queue that has a mark in bytes. The writer notes where its messages
// end; the reader counts messages alone, and is as quick as without.
//
// Threads: the writer's. Ownership: its own memory, 16 bytes for each message that waits. Units: bytes of the
// wire since the queue's beginning, payloads included; messages as the queue counts them. Several messages
// that end between two notes count until the last of them is consumed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <new>

namespace zlink {

class queued_bytes {
  public:
    // So many messages end at the position; the first `consumed` ones were consumed. `read`: the reader has
    // taken at least these bytes. That is of use where nothing was noted of what is consumed.
    void note(std::uint64_t messages, std::uint64_t position, std::uint64_t consumed,
              std::uint64_t read) noexcept {
        forget(consumed);
        if (messages == messages_)
            return;
        if (ends_.empty() && messages != messages_ + 1)
            consumed_ = std::max(consumed_, read);
        try {
            ends_.push_back({messages, position});
        } catch (const std::bad_alloc &) {
            if (!ends_.empty())
                ends_.back() = {messages, position};
        }
        messages_ = messages;
        position_ = position;
        forget(consumed);
    }
    // The bytes of the messages that were noted, behind the first `consumed` ones.
    [[nodiscard]] std::uint64_t waiting(std::uint64_t consumed) noexcept {
        forget(consumed);
        return ends_.empty() ? 0 : position_ - consumed_;
    }

  private:
    struct end {
        std::uint64_t messages;
        std::uint64_t position;
    };
    void forget(std::uint64_t consumed) noexcept {
        for (; !ends_.empty() && ends_.front().messages <= consumed; ends_.pop_front())
            consumed_ = ends_.front().position;
    }

    std::deque<end> ends_; // of messages that wait, the oldest first
    std::uint64_t messages_ = 0;
    std::uint64_t position_ = 0; // where they end
    std::uint64_t consumed_ = 0; // where the consumed ones end
};

} // namespace zlink
