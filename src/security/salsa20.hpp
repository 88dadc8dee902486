// SPDX-License-Identifier: MPL-2.0
// Salsa20 as crypto_stream_salsa20_xor_ic of libsodium has it, sixteen blocks at a time where the processor
// has vectors of 512 bits; libsodium's own elsewhere.
//
// Threads: pure functions. Time and memory accesses depend on the size only, never on what is enciphered or
// on the key: additions, exclusive ors and rotations.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zlink::security {

inline constexpr std::size_t salsa20_key_size = 32;
inline constexpr std::size_t salsa20_nonce_size = 8;
inline constexpr std::size_t salsa20_block_size = 64;

// Combines `size` bytes with the key stream from its block `block` on. `to` may be `from`, but not overlap it
// otherwise.
void salsa20_xor(std::uint8_t *to, const std::uint8_t *from, std::size_t size, const std::uint8_t *nonce,
                 std::uint64_t block, const std::uint8_t *key) noexcept;

} // namespace zlink::security
