// SPDX-License-Identifier: MPL-2.0
// kept_messages: the messages of a queue whose oldest ones give way to newer ones. ZMQ_CONFLATE keeps a
// single frame, in a latest_value. The policies of zlink/options.h that drop the oldest keep a message_list.
//
// Threads: one writer and one reader. Ownership: it holds a reference to each buffer in it. A message is
// visible to the reader after commit(), until then rollback() takes it back.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/keep_rule.hpp"
#include "queue/frame_view.hpp"
#include "queue/latest_value.hpp"
#include "queue/message_list.hpp"

namespace zlink {

// The functions are not inlined: the paths of other queues stay short.
class kept_messages {
  public:
    // `most`: messages; 0: without limit. A latest frame is one message at any limit.
    kept_messages(keep_rule rule, std::uint64_t most) noexcept
        : one_frame_(rule == keep_rule::latest_frame), list_(rule == keep_rule::latest_of_topic, most) {}

    // ---- writer
    // Returns false if there is no memory; nothing has changed then.
    [[nodiscard, gnu::noinline]] bool put(const outgoing_frame &frame) noexcept;
    // Returns the bytes that wait now; 0 for a latest frame.
    [[gnu::noinline]] std::uint64_t commit() noexcept;
    [[gnu::noinline]] void rollback() noexcept;

    // ---- reader
    // Gives the next frame. `message` becomes the number of its message, counted from 1 by the commits; a
    // latest frame leaves it as it is. Returns false if there is none.
    [[nodiscard, gnu::noinline]] bool take(incoming_frame &frame, std::uint64_t &message) noexcept;

    // ---- any thread
    void set_most(std::uint64_t messages) noexcept { list_.set_most(messages); }
    void set_most_bytes(std::uint64_t bytes) noexcept { list_.set_most_bytes(bytes); }
    // Messages that the reader has not taken whole.
    [[nodiscard]] std::uint64_t count(std::memory_order order) const noexcept;
    [[nodiscard]] std::uint64_t dropped() const noexcept {
        return one_frame_ ? latest_.replaced() : list_.dropped();
    }
    // Those of them that gave way to one of the same topic. A latest frame has no other.
    [[nodiscard]] std::uint64_t conflated() const noexcept {
        return one_frame_ ? latest_.replaced() : list_.conflated();
    }

  private:
    const bool one_frame_;
    latest_value latest_; // if one_frame_, else
    message_list list_;
};

} // namespace zlink
