// SPDX-License-Identifier: MPL-2.0
// memory_hooks: what malloc and its relatives of this test program do beside their work: count, and fail.
//
// Threads: any. The hooks are in allocation_test.cpp; the sanitizers bring their own malloc and know none.
#pragma once

#include <atomic>

namespace zlink::tests {

struct memory_hooks {
    std::atomic<bool> counting{false};
    std::atomic<long> allocations{0}; // while counting
    // So many allocations by threads that are not the tests' succeed before one fails; negative: all.
    std::atomic<long> before_failure{-1};
};
inline memory_hooks hooks;
// This thread's allocations do not fail.
inline thread_local bool own_thread = false;

// Called with every allocation. Returns false if it has to fail.
inline bool allows_allocation() noexcept {
    if (hooks.counting.load(std::memory_order_relaxed))
        hooks.allocations.fetch_add(1, std::memory_order_relaxed);
    return own_thread || hooks.before_failure.load(std::memory_order_relaxed) < 0 ||
           hooks.before_failure.fetch_sub(1, std::memory_order_relaxed) != 0;
}

} // namespace zlink::tests
