// SPDX-License-Identifier: MPL-2.0
// hash_bytes: the hash of topics, for the tree of topics and its filter.
//
// Threads: any. Whoever does not know the seed cannot choose topics that have one hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace zlink::patterns {

inline std::uint64_t mix(std::uint64_t left, std::uint64_t right) noexcept {
    __extension__ using wide = unsigned __int128;
    const wide product = static_cast<wide>(left) * right;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Eight bytes at a time; the last eight of a longer text may have been taken already.
inline std::uint64_t hash_bytes(const std::uint8_t *at, std::size_t size, std::uint64_t seed) noexcept {
    constexpr std::uint64_t step = 0xA0761D6478BD642F, last = 0xE7037ED1A0B428DB;
    const std::uint8_t *const end = at + size;
    std::uint64_t state = seed;
    std::uint64_t bytes = 0;
    if (size < sizeof bytes) {
        if (size != 0)
            std::memcpy(&bytes, at, size);
        return mix(mix(state ^ bytes, step), last);
    }
    for (; end - at > 8; at += sizeof bytes) {
        std::memcpy(&bytes, at, sizeof bytes);
        state = mix(state ^ bytes, step);
    }
    std::memcpy(&bytes, end - sizeof bytes, sizeof bytes);
    return mix(mix(state ^ bytes, step), last);
}

} // namespace zlink::patterns
