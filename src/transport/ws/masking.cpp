// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/masking.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include <openssl/rand.h>

namespace zlink::transport {
namespace {

// The compiler makes instructions on vectors of it, for every processor.
using wide_bytes [[gnu::vector_size(16)]] = std::uint32_t;
constexpr std::size_t wide = sizeof(wide_bytes);

inline void apply_wide(std::uint8_t *to, const std::uint8_t *from, wide_bytes pattern) noexcept {
    wide_bytes part;
    std::memcpy(&part, from, wide);
    part ^= pattern;
    std::memcpy(to, &part, wide);
}

constexpr std::size_t least_bytes = 64;
constexpr std::size_t most_bytes = 8192;

} // namespace

void apply_mask(std::uint8_t *to, const std::uint8_t *from, std::size_t size, masking_key key) noexcept {
    std::uint32_t word = 0;
    std::memcpy(&word, key.data(), sizeof word);
    const wide_bytes pattern{word, word, word, word};
    for (; size >= 4 * wide; size -= 4 * wide, to += 4 * wide, from += 4 * wide)
        for (std::size_t part = 0; part < 4 * wide; part += wide)
            apply_wide(to + part, from + part, pattern);
    for (; size >= wide; size -= wide, to += wide, from += wide)
        apply_wide(to, from, pattern);
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

bool masking_key_source::next(masking_key &key) noexcept {
    if (used_ == bytes_.size()) {
        grow();
        if (bytes_.empty() || RAND_bytes(bytes_.data(), static_cast<int>(bytes_.size())) != 1)
            return false;
        used_ = 0;
    }
    std::memcpy(key.data(), bytes_.data() + used_, key.size());
    used_ += key.size();
    return true;
}

} // namespace zlink::transport
