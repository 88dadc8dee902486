// SPDX-License-Identifier: MPL-2.0
// Z85 (ZeroMQ RFC 32): five printable characters for four bytes.
//
// Threads: pure functions.
#pragma once

#include "base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace zlink {

[[nodiscard]] constexpr std::size_t z85_encoded_size(std::size_t bytes) noexcept {
    return bytes / 4 * 5;
}
[[nodiscard]] constexpr std::size_t z85_decoded_size(std::size_t characters) noexcept {
    return characters / 5 * 4;
}

// Writes z85_encoded_size() characters, no NUL. EINVAL: a size that is no multiple of four, or too little
// room.
result<std::size_t> z85_encode(std::span<const std::uint8_t> bytes, std::span<char> out) noexcept;

// Writes z85_decoded_size() bytes. EINVAL: an empty text, a length that is no multiple of five, a foreign
// character, a group above 2^32 - 1, or too little room. On an error `out` may hold the groups before the
// wrong one.
result<std::size_t> z85_decode(std::string_view text, std::span<std::uint8_t> out) noexcept;

} // namespace zlink
