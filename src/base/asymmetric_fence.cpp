// SPDX-License-Identifier: MPL-2.0
#include "base/asymmetric_fence.hpp"

#include <chrono>
#include <thread>

#include "base/cancellation.hpp"

#if __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace zlink {

namespace {
// Much longer than a processor keeps a store to itself.
constexpr std::chrono::milliseconds surely_seen{5};

std::atomic<bool> available{false}; // relaxed: it guards nothing

#if __has_include(<linux/membarrier.h>)
bool ask_system() noexcept {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}
bool fence_by_system() noexcept {
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}
#else // a system that has none
bool ask_system() noexcept {
    return false;
}
bool fence_by_system() noexcept {
    return false;
}
#endif
} // namespace

void enable_asymmetric_fence() noexcept {
    static std::atomic_flag asked;
    if (!asked.test_and_set(std::memory_order_relaxed)) // and not a guard, which a fork() could leave held
        available.store(ask_system(), std::memory_order_relaxed);
}

bool has_asymmetric_fence() noexcept {
    return available.load(std::memory_order_relaxed);
}

// A filter of system calls may have come later.
void asymmetric_fence_heavy() noexcept {
    if (fence_by_system()) [[likely]]
        return;
    available.store(false, std::memory_order_relaxed);
    const uncancelled meanwhile;
    std::this_thread::sleep_for(surely_seen);
}

} // namespace zlink
