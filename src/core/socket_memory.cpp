// SPDX-License-Identifier: MPL-2.0
// The memory of closed sockets: a quarantine. Programs leave sockets that they have closed in lists for
// zmq_poll, or use their handles otherwise. These calls look for the mark of a socket in memory that must
// still be the library's. Decision 22 says why there are 128 of them.
//
// Threads: any; the slots are exchanged, and no thread waits for another.
#include <array>
#include <atomic>
#include <cstring>

#include "core/socket.hpp"

namespace zlink::core {
namespace {

constexpr std::size_t most_kept = 128;
std::array<std::atomic<void *>, most_kept> kept; // the oldest is replaced first
std::atomic<std::size_t> closed_sockets{0};

} // namespace

void *socket::operator new(std::size_t size, std::align_val_t alignment) {
    return ::operator new(size, alignment);
}

// Without a size: GCC 12 calls no sized form when a constructor throws, and the memory would be lost.
void socket::operator delete(void *memory, std::align_val_t alignment) noexcept {
    if (memory == nullptr)
        return;
    std::memset(memory, 0,
                sizeof(socket)); // no mark is left: stores of a destructor may be left out by the compiler
    const std::size_t slot = closed_sockets.fetch_add(1, std::memory_order_relaxed) % most_kept;
    // Release and acquire: what is freed here was cleared by another thread.
    ::operator delete(kept[slot].exchange(memory, std::memory_order_acq_rel), alignment);
}

} // namespace zlink::core
