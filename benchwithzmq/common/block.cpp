// SPDX-License-Identifier: MPL-2.0
#include "common/block.hpp"

#include "common/clock.hpp"
#include "common/fail.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace bench {
namespace {

// The instruction that the kernel copies with.
void copy_with_string_instruction(std::byte *target, const std::byte *source, std::size_t size) {
#if defined(__x86_64__)
    asm volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(size) : : "memory");
#else
    std::memcpy(target, source, size);
#endif
}

std::int64_t shortest_copy_ns(std::byte *target, const std::byte *source, std::size_t size) {
    std::int64_t shortest = INT64_MAX;
    for (int turn = 0; turn < 20; ++turn) {
        const std::int64_t begin = now_ns();
        copy_with_string_instruction(target, source, size);
        shortest = std::min(shortest, now_ns() - begin);
    }
    return shortest;
}

bool measure_copies() {
    constexpr std::size_t size = 16 * page_bytes;
    constexpr std::int64_t many_times = 3;
    const block source(size, 0);
    block target(size, page_bytes / 2);
    block ahead(size, 9);
    const std::int64_t usual_ns = shortest_copy_ns(target.data(), source.data(), size);
    return shortest_copy_ns(ahead.data(), source.data(), size) > many_times * usual_ns;
}

} // namespace

block::block(std::size_t size_bytes, page_offset offset)
    : memory_(static_cast<std::byte *>(
          offset ? std::aligned_alloc(page_bytes,
                                      (*offset + size_bytes + page_bytes - 1) / page_bytes * page_bytes)
                 : std::malloc(size_bytes))),
      begin_(memory_.get() + offset.value_or(0)), size_bytes_(size_bytes) {
    if (memory_ == nullptr)
        fail("no memory for a buffer of %zu bytes", size_bytes);
    std::memset(begin_, 0x5a, size_bytes);
}

bool copies_ahead_are_slow() {
    static const bool slow = measure_copies();
    return slow;
}

} // namespace bench
