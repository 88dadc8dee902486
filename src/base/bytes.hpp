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

} // namespace zlink
