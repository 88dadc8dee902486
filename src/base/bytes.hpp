// SPDX-License-Identifier: MPL-2.0
// Byte ranges and the network's byte order. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "base/aliased_copy.hpp"

namespace zlink {

// Bytes that somebody else owns, for gathering writes.
struct byte_range {
    const std::uint8_t *data;
    std::size_t size;
};

[[nodiscard]] inline std::size_t total_of(std::span<const byte_range> pieces) noexcept {
    std::size_t total = 0;
    for (const byte_range &piece : pieces)
        total += piece.size;
    return total;
}

inline std::uint64_t load_big_endian_64(const std::uint8_t *from) noexcept {
    std::uint64_t value;
    std::memcpy(&value, from, sizeof value);
    return __builtin_bswap64(value);
}

inline void store_big_endian_64(std::uint8_t *to, std::uint64_t value) noexcept {
    value = __builtin_bswap64(value);
    std::memcpy(to, &value, sizeof value);
}

// Up to 8 bytes as a word: different texts of one size give different words.
[[gnu::always_inline]] inline std::uint64_t word_of(std::string_view text) noexcept {
    if (text.size() >= sizeof(std::uint32_t)) {
        std::uint32_t front = 0;
        std::uint32_t back = 0; // may overlap
        std::memcpy(&front, text.data(), sizeof front);
        std::memcpy(&back, text.data() + text.size() - sizeof back, sizeof back);
        return std::uint64_t{back} << 32 | front;
    }
    std::uint64_t word = 0;
    for (const char c : text)
        word = word << 8 | static_cast<unsigned char>(c);
    return word;
}
// left == right, for texts that mostly have up to 8 bytes.
[[gnu::always_inline]] inline bool same_text(std::string_view left, std::string_view right) noexcept {
    if (left.size() != right.size())
        return false;
    return left.size() <= sizeof(std::uint64_t) ? word_of(left) == word_of(right) : left == right;
}

// The first and the last Piece bytes, which overlap unless there are twice as many.
template <std::size_t Piece> [[gnu::always_inline]] inline void
copy_both_ends(std::uint8_t *to, const std::uint8_t *from, std::size_t size) noexcept {
    std::memcpy(to, from, Piece);
    std::memcpy(to + size - Piece, from + size - Piece, Piece);
}

// Up to 16 bytes.
[[gnu::always_inline]] inline void copy_two_words_at_most(std::uint8_t *to, const std::uint8_t *from,
                                                          std::size_t size) noexcept {
    if (size >= 8) {
        copy_both_ends<8>(to, from, size);
    } else if (size >= 4) {
        copy_both_ends<4>(to, from, size);
    } else if (size != 0) { // the middle byte is the first or the last one, or between them
        to[0] = from[0];
        to[size / 2] = from[size / 2];
        to[size - 1] = from[size - 1];
    }
}

// memcpy for bodies, which are small more often than not: up to `few_bytes` without a call.
constexpr std::size_t few_bytes = 64;
[[gnu::always_inline]] inline void copy_few_bytes(std::uint8_t *to, const std::uint8_t *from,
                                                  std::size_t size) noexcept {
    constexpr std::size_t piece = 16;
    if (size < piece) {
        copy_two_words_at_most(to, from, size);
        return;
    }
    if (size > 2 * piece)
        copy_both_ends<piece>(to + piece, from + piece, size - 2 * piece);
    copy_both_ends<piece>(to, from, size);
}
// Copies like memcpy, and avoids slow aliased copies.
[[gnu::always_inline]] inline void copy_many_bytes(std::uint8_t *to, const std::uint8_t *from,
                                                   std::size_t size) noexcept {
    if (is_aliased(to, from, size)) [[unlikely]]
        copy_aliased(to, from, size);
    else
        std::memcpy(to, from, size);
}
[[gnu::always_inline]] inline void copy_bytes(std::uint8_t *to, const std::uint8_t *from,
                                              std::size_t size) noexcept {
    if (size <= few_bytes)
        copy_few_bytes(to, from, size);
    else
        copy_many_bytes(to, from, size);
}

// Copies like copy_bytes, for a body that has just been written. A load waits for stores that it spans, until
// they are in the cache; one that lies within a store does not. So the first bytes are copied in words, as
// programs write them, and not in vectors.
constexpr std::size_t two_words = 16;
[[gnu::always_inline]] inline void copy_two_words(std::uint8_t *to, const std::uint8_t *from) noexcept {
    std::uint64_t first;
    std::memcpy(&first, from, sizeof first);
    asm("" : "+r"(first)); // the compiler would make one load of two
    std::memcpy(to, &first, sizeof first);
    std::memcpy(to + sizeof first, from + sizeof first, sizeof first);
}
[[gnu::always_inline]] inline void copy_few_fresh_bytes(std::uint8_t *to, const std::uint8_t *from,
                                                        std::size_t size) noexcept {
    if (size <= two_words) {
        copy_two_words_at_most(to, from, size);
        return;
    }
    const std::size_t last = size - two_words;
    copy_two_words(to, from);
    if (size <= 2 * two_words) {
        copy_two_words(to + last, from + last);
        return;
    }
    std::memcpy(to + two_words, from + two_words, two_words);
    if (size > 3 * two_words)
        std::memcpy(to + 2 * two_words, from + 2 * two_words, two_words);
    std::memcpy(to + last, from + last, two_words);
}
[[gnu::always_inline]] inline void copy_fresh_bytes(std::uint8_t *to, const std::uint8_t *from,
                                                    std::size_t size) noexcept {
    if (size <= few_bytes)
        copy_few_fresh_bytes(to, from, size);
    else
        copy_many_bytes(to, from, size);
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
