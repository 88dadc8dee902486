// SPDX-License-Identifier: MPL-2.0
// asymmetric_fence: a fence of two unequal halves. One thread stores, calls asymmetric_fence_light() and
// loads. Another thread stores, calls asymmetric_fence_heavy() and loads. Then one of the two sees the
// other's store. The light half costs nothing. The heavy half is membarrier(2): it makes every running thread
// of the process pass a full fence. It takes a quarter of a microsecond or more.
//
// Threads: any.
#pragma once

#include <atomic>

namespace zlink {

// Asks the system for the fence, once. That is quick before the process has threads.
void enable_asymmetric_fence() noexcept;
// Whether it was asked for, and is there.
[[nodiscard]] bool has_asymmetric_fence() noexcept;
// Only where there is one.
void asymmetric_fence_heavy() noexcept;
inline void asymmetric_fence_light() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

} // namespace zlink
