// SPDX-License-Identifier: MPL-2.0
// full_fence: what was stored before it is seen by others before anything is loaded behind it. The store side
// and the load side of a sleep/wake hand-over each have one between their store and their load.
//
// Threads: any. The thread sanitizer does not model stand-alone fences, and its compiler refuses them. It
// gets a read-modify-write, which is a full fence on the processors that it runs on.
#pragma once

#include <atomic>

namespace zlink {

inline void full_fence() noexcept {
#if defined(__SANITIZE_THREAD__)
    std::atomic<int> anything{0};
    anything.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

// What is stored behind it is not seen by others before what was stored in front of it.
inline void release_fence() noexcept {
#if defined(__SANITIZE_THREAD__)
    full_fence();
#else
    std::atomic_thread_fence(std::memory_order_release);
#endif
}

} // namespace zlink
