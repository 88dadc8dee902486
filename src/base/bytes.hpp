// SPDX-License-Identifier: MPL-2.0
// Byte ranges and the network's byte order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink {

// Bytes that somebody else owns, for gathering writes.
struct byte_range {
    const std::uint8_t *data;
    std::size_t size;
};

inline std::uint64_t load_big_endian_64(const std::uint8_t *from) noexcept {
    std::uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return __builtin_bswap64(value);
}

inline void store_big_endian_64(std::uint8_t *to, std::uint64_t value) noexcept {
    value = __builtin_bswap64(value);
    std::memcpy(to, &value, sizeof value);
}

// memcpy for bodies, which are small more often than not: up to 64 bytes without a call, in overlapping
// pieces.
[[gnu::always_inline]] inline void copy_bytes(std::uint8_t *to, const std::uint8_t *from,
                                              std::size_t size) noexcept {
    constexpr std::size_t piece = 16;
    if (size - piece <= 3 * piece) { // 16 to 64; smaller ones wrap around
        if (size > 2 * piece) {
            std::memcpy(to + piece, from + piece, piece);
            std::memcpy(to + size - 2 * piece, from + size - 2 * piece, piece);
        }
        std::memcpy(to, from, piece);
        std::memcpy(to + size - piece, from + size - piece, piece);
    } else if (size != 0) {
        std::memcpy(to, from, size);
    }
}

// Asks for the cache line at `at` to write to it soon, which takes it from the processor that has it. Never
// fails, whatever is there. (GCC's own is for reading, where it may not assume that the processor has
// another; 64-bit processors that have not pass over it.)
inline void prefetch_for_writing(const std::uint8_t *at) noexcept {
#if defined(__x86_64__)
    asm volatile("prefetchw (%0)" : : "r"(at));
#else
    __builtin_prefetch(at, 1);
#endif
}

} // namespace zlink
