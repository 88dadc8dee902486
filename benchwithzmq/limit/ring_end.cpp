// SPDX-License-Identifier: MPL-2.0
#include "limit/ring_end.hpp"

#include <sched.h>

namespace bench {
namespace {

int processors() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

} // namespace

ring::ring(const framer &frames, page_offset body_offset) {
    constexpr std::size_t ring_bytes = std::size_t{1} << 20;
    const std::size_t slot_bytes = std::max(framer::batch_bytes, frames.frame_bytes());
    const std::size_t slots = std::max<std::size_t>(4, ring_bytes / slot_bytes);
    for (std::size_t made = 0; made < slots; ++made)
        slots_.push_back({block(slot_bytes, offset_apart_from(body_offset))});
}

std::uint64_t ring::wait_until_moved(const std::atomic<std::uint64_t> &counter, std::uint64_t from) {
    static const int spins = processors() > 1 ? 1000 : 0;
    // `from` is this side's copy, so a counter that has moved since is already enough.
    for (int turn = 0;; ++turn) {
        const std::uint64_t now = counter.load(std::memory_order_acquire);
        if (now != from)
            return now;
        if (turn < spins)
            asm volatile("" : : : "memory");
        else
            sched_yield();
    }
}

} // namespace bench
