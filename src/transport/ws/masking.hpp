// SPDX-License-Identifier: MPL-2.0
// The masks of WebSocket frames from clients (RFC 6455, section 5.3). Every byte of a payload is combined
// with one of the four bytes of a key. Masking twice gives the payload again.
//
// Threads: masking_key_source belongs to one thread at a time, the rest is pure. Units: bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace zlink::transport {

// In the order of the wire. All zero: the bytes stay as they are.
using masking_key = std::array<std::uint8_t, 4>;

// Returns the key for the bytes from `offset` of the payload on.
[[nodiscard]] constexpr masking_key key_at(masking_key key, std::size_t offset) noexcept {
    return {key[offset % 4], key[(offset + 1) % 4], key[(offset + 2) % 4], key[(offset + 3) % 4]};
}

// Writes `size` combined bytes. The ranges are the same or do not overlap.
void apply_mask(std::uint8_t *to, const std::uint8_t *from, std::size_t size, masking_key key) noexcept;

// The compiler makes instructions on vectors of it, for every processor.
using mask_vector [[gnu::vector_size(16)]] = std::uint32_t;
[[nodiscard]] inline mask_vector vector_of(masking_key key) noexcept {
    std::uint32_t word = 0;
    std::memcpy(&word, key.data(), sizeof word);
    return mask_vector{word, word, word, word};
}
inline void mask_vector_of_bytes(std::uint8_t *to, const std::uint8_t *from, mask_vector key) noexcept {
    mask_vector part;
    std::memcpy(&part, from, sizeof part);
    part ^= key;
    std::memcpy(to, &part, sizeof part);
}
// As apply_mask(), of few bytes. It reads and writes up to `mask_slack` bytes more: there is room for them.
constexpr std::size_t mask_slack = sizeof(mask_vector);
[[gnu::always_inline]] inline void apply_mask_to_few(std::uint8_t *to, const std::uint8_t *from,
                                                     std::size_t size, mask_vector key) noexcept {
    for (std::size_t at = 0; at < size; at += sizeof key)
        mask_vector_of_bytes(to + at, from + at, key);
}

// Keys that nobody can foretell. It asks OpenSSL for many of them at once, and for more each time: a request
// takes about a microsecond.
class masking_key_source {
  public:
    // Returns false if there is no randomness.
    [[nodiscard]] bool next(masking_key &key) noexcept {
        if (used_ == bytes_.size() && !fill()) [[unlikely]]
            return false;
        std::memcpy(key.data(), bytes_.data() + used_, key.size());
        used_ += key.size();
        return true;
    }

  private:
    [[nodiscard]] bool fill() noexcept;
    void grow() noexcept;

    std::vector<std::uint8_t> bytes_;
    std::size_t used_ = 0;
};

} // namespace zlink::transport
