// SPDX-License-Identifier: MPL-2.0
// process_fence: a fence of two unequal halves. A thread that stores, calls light_fence() and loads, and
// another one that stores, calls process_fence() and loads: one of the two sees what the other has stored.
// The light half costs nothing; the other one makes every thread of the process that runs go through a full
// fence, which takes a quarter of a microsecond to some. membarrier(2).
//
// Threads: any.
#pragma once

#include <atomic>

namespace zlink {

// Asks the system for it, once, which is quick before the process has threads.
void enable_process_fence() noexcept;
// Whether it was asked for, and is there.
[[nodiscard]] bool has_process_fence() noexcept;
// Only where there is one.
void process_fence() noexcept;
inline void light_fence() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

} // namespace zlink
