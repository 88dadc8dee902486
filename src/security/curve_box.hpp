// SPDX-License-Identifier: MPL-2.0
// The boxes of CurveZMQ (RFC 26): keys, nonces and what NaCl's crypto_box and crypto_secretbox make of them;
// libsodium does the work.
//
// Threads: pure functions but for the random numbers, which any thread may ask for. Ownership: values; keys
// wipe nothing by themselves, their owners do with wipe(). Invariants: no length is used unchecked. Units:
// bytes.
#pragma once

#include "zmtp/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zlink::security::curve {

inline constexpr std::size_t key_size = 32;
inline constexpr std::size_t nonce_size = 24;
inline constexpr std::size_t short_nonce_size = 8; // a number, which a prefix makes a nonce
inline constexpr std::size_t long_nonce_size = 16; // random bytes, likewise
inline constexpr std::size_t box_overhead = 16;

using key = std::array<std::uint8_t, key_size>;
using nonce = std::array<std::uint8_t, nonce_size>;
using long_nonce = std::array<std::uint8_t, long_nonce_size>;

struct key_pair {
    key public_key{};
    key secret_key{};
    ~key_pair();
};

// Bytes with a secret in them, wiped at the end. They must not grow beyond what was reserved.
class secret_bytes {
  public:
    explicit secret_bytes(std::size_t most) { bytes.reserve(most); }
    explicit secret_bytes(zmtp::byte_buffer &&taken) noexcept : bytes(std::move(taken)) {}
    ~secret_bytes();
    secret_bytes(const secret_bytes &) = delete;
    secret_bytes &operator=(const secret_bytes &) = delete;

    zmtp::byte_buffer bytes;
};

// Returns false if the system has no random numbers for libsodium; nothing of this may be used then.
[[nodiscard]] bool ready() noexcept;

[[nodiscard]] key_pair make_key_pair() noexcept;
[[nodiscard]] key public_key_of(const key &secret_key) noexcept;
[[nodiscard]] key random_key() noexcept;
[[nodiscard]] long_nonce random_long_nonce() noexcept;
void wipe(key &secret) noexcept;

// Makes a nonce from 16 characters and a number, or from 8 characters and random bytes.
[[nodiscard]] nonce make_nonce(std::string_view prefix, std::uint64_t number) noexcept;
[[nodiscard]] nonce make_nonce(std::string_view prefix, const long_nonce &random) noexcept;

// Appends Box[plain](from -> to). Returns false if the public key is no key; nothing was appended then.
[[nodiscard]] bool append_box(zmtp::byte_buffer &out, zmtp::byte_view plain, const nonce &with, const key &to,
                              const key &from_secret);
// Nothing: it was not sealed with these keys, or too short to be a box.
[[nodiscard]] std::optional<zmtp::byte_buffer> open_box(zmtp::byte_view boxed, const nonce &with,
                                                        const key &from, const key &to_secret);
// These seal and open with one secret key for both sides.
void append_secret_box(zmtp::byte_buffer &out, zmtp::byte_view plain, const nonce &with, const key &secret);
[[nodiscard]] std::optional<zmtp::byte_buffer> open_secret_box(zmtp::byte_view boxed, const nonce &with,
                                                               const key &secret);

// Returns the key that both sides of an exchange seal with. Nothing: the public key is no key.
[[nodiscard]] std::optional<key> shared_key(const key &theirs, const key &own_secret) noexcept;

// Bytes at the front of `data`, which has them.
template <std::size_t Size> [[nodiscard]] std::array<std::uint8_t, Size> first_of(zmtp::byte_view data) {
    std::array<std::uint8_t, Size> taken;
    const zmtp::byte_view front = data.first(Size);
    for (std::size_t index = 0; index < Size; ++index)
        taken[index] = front[index];
    return taken;
}

// Takes as long whatever the bytes are.
[[nodiscard]] bool same(zmtp::byte_view a, zmtp::byte_view b) noexcept;

} // namespace zlink::security::curve
