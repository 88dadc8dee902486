// SPDX-License-Identifier: MPL-2.0
// read_progress: how far the reader of a queue is.
//
// Threads: the reader stores; other threads load with seen(). Ownership: it borrows the counts. Units:
// messages, and bytes of segments and payloads.
#pragma once

#include <atomic>
#include <cstdint>

#include "counters/layout.hpp"

namespace zlink {

class read_progress {
  public:
    explicit read_progress(counters::queue_counts &counts) noexcept : counts_(counts) {}

    [[nodiscard]] std::uint64_t consumed() const noexcept { return counts_.read.messages.get(); }
    // For other threads than the reader.
    [[nodiscard]] std::uint64_t seen(std::memory_order order = std::memory_order_acquire) const noexcept {
        return counts_.read.messages.get(order);
    }
    // In segments and payloads.
    [[nodiscard]] std::uint64_t bytes() const noexcept { return counts_.read.bytes.get(); }
    // To be followed by a look whether the writer waits.
    void confirm() noexcept { counts_.read.messages.set(consumed(), std::memory_order_seq_cst); }
    void add_bytes(std::uint64_t count) noexcept { counts_.read.bytes.add(count); }
    // Counts that nothing but a reader of the counters asks for.
    [[nodiscard]] counters::read_counts &counts() const noexcept { return counts_.read; }
    [[nodiscard]] const counters::queue_counts &all_counts() const noexcept { return counts_; }

  private:
    counters::queue_counts &counts_;
};

} // namespace zlink
