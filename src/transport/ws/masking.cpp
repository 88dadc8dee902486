// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/masking.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <openssl/rand.h>

namespace zlink::transport {
namespace {

constexpr std::size_t least_bytes = 64;
constexpr std::size_t most_bytes = 8192;

} // namespace

void apply_mask(std::uint8_t *to, const std::uint8_t *from, std::size_t size, masking_key key) noexcept {
    constexpr std::size_t wide = sizeof(mask_vector);
    const mask_vector pattern = vector_of(key);
    for (; size >= 4 * wide; size -= 4 * wide, to += 4 * wide, from += 4 * wide)
        for (std::size_t part = 0; part < 4 * wide; part += wide)
            mask_vector_of_bytes(to + part, from + part, pattern);
    for (; size >= wide; size -= wide, to += wide, from += wide)
        mask_vector_of_bytes(to, from, pattern);
    for (std::size_t i = 0; i < size; ++i)
        to[i] = from[i] ^ key[i % 4];
}

// Without memory it stays as it is.
void masking_key_source::grow() noexcept {
    try {
        bytes_.resize(std::clamp(2 * bytes_.size(), least_bytes, most_bytes));
    } catch (const std::bad_alloc &) {
    }
}

bool masking_key_source::fill() noexcept {
    grow();
    used_ = bytes_.size(); // without randomness there are none
    if (bytes_.empty() || RAND_bytes(bytes_.data(), static_cast<int>(bytes_.size())) != 1)
        return false;
    used_ = 0;
    return true;
}

} // namespace zlink::transport
