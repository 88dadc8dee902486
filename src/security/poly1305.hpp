// SPDX-License-Identifier: MPL-2.0
// Poly1305 as crypto_onetimeauth_poly1305 of libsodium has it, eight blocks at a time where the processor has
// vectors of 512 bits and there is enough to do; libsodium's own elsewhere.
//
// Threads: pure functions. Time and memory accesses depend on the size only: additions, multiplications and
// shifts.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::security {

inline constexpr std::size_t poly1305_key_size = 32;
inline constexpr std::size_t poly1305_tag_size = 16;

// `tag` may not overlap the rest. A key is for one message.
void poly1305(std::uint8_t *tag, const std::uint8_t *from, std::size_t size,
              const std::uint8_t *key) noexcept;

// Compares in constant time.
[[nodiscard]] bool poly1305_verify(const std::uint8_t *tag, const std::uint8_t *from, std::size_t size,
                                   const std::uint8_t *key) noexcept;

} // namespace zlink::security
