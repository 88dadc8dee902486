// SPDX-License-Identifier: MPL-2.0
#include "base/process_fence.hpp"

#include <chrono>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace zlink {

namespace {
// Much longer than a processor keeps a store to itself.
constexpr std::chrono::milliseconds surely_seen{5};

std::atomic<bool> withdrawn{false}; // a filter of system calls came later; relaxed: it is a hint

bool membarrier(int command) noexcept {
    return syscall(SYS_membarrier, command, 0, 0) == 0;
}
} // namespace

bool has_process_fence() noexcept {
    static const bool registered = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
    return registered && !withdrawn.load(std::memory_order_relaxed);
}

void process_fence() noexcept {
    if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) [[likely]]
        return;
    withdrawn.store(true, std::memory_order_relaxed);
    std::this_thread::sleep_for(surely_seen);
}

} // namespace zlink
