// SPDX-License-Identifier: MPL-2.0
#include "security/salsa20.hpp"

#include <array>
#include <cstring>
#include <sodium.h>
#include <utility>

namespace zlink::security {

#if defined(__x86_64__)

namespace {

#define ZLINK_WIDE __attribute__((target("avx512f")))
#define ZLINK_WIDE_INLINE __attribute__((target("avx512f"), always_inline)) inline

// One word of sixteen blocks.
using words = std::uint32_t __attribute__((vector_size(64)));
using state = std::array<words, 16>;

constexpr std::size_t lanes = 16;
constexpr std::size_t wide_bytes = lanes * salsa20_block_size;

bool is_wide() noexcept {
    static const bool found = __builtin_cpu_supports("avx512f") != 0;
    return found;
}

std::uint32_t load(const std::uint8_t *from) noexcept {
    std::uint32_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

template <int Bits> ZLINK_WIDE_INLINE void mix(words &target, const words &a, const words &b) noexcept {
    const words sum = a + b;
    target ^= sum << Bits | sum >> (32 - Bits);
}

ZLINK_WIDE_INLINE void quarter_round(words &a, words &b, words &c, words &d) noexcept {
    mix<7>(b, a, d);
    mix<9>(c, b, a);
    mix<13>(d, c, b);
    mix<18>(a, d, c);
}

ZLINK_WIDE_INLINE void fill(words &target, std::uint32_t word) noexcept {
    target = words{} + word;
}

ZLINK_WIDE_INLINE void begin(state &x, const std::uint8_t *nonce, std::uint64_t block,
                             const std::uint8_t *key) noexcept {
    constexpr std::array<std::uint32_t, 4> expand{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    for (std::size_t index = 0; index < 4; ++index) {
        fill(x[5 * index], expand[index]);
        fill(x[1 + index], load(key + 4 * index));
        fill(x[11 + index], load(key + 16 + 4 * index));
    }
    fill(x[6], load(nonce));
    fill(x[7], load(nonce + 4));
    constexpr words lane{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const auto low = static_cast<std::uint32_t>(block);
    x[8] = lane + low;
    fill(x[9], static_cast<std::uint32_t>(block >> 32));
    x[9] -= reinterpret_cast<words>(x[8] < low); // the carry: where it is true all bits are set
}

ZLINK_WIDE_INLINE void double_round(state &x) noexcept {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[5], x[9], x[13], x[1]);
    quarter_round(x[10], x[14], x[2], x[6]);
    quarter_round(x[15], x[3], x[7], x[11]);
    quarter_round(x[0], x[1], x[2], x[3]);
    quarter_round(x[5], x[6], x[7], x[4]);
    quarter_round(x[10], x[11], x[8], x[9]);
    quarter_round(x[15], x[12], x[13], x[14]);
}

// Exchanges parts of vectors that are Step words long: of the one with the bit of Step set, and of the other
// without.
template <int Step, int... Lane>
ZLINK_WIDE_INLINE void exchange(words &a, words &b, std::integer_sequence<int, Lane...>) noexcept {
    constexpr int of_b = static_cast<int>(lanes);
    const words low = __builtin_shufflevector(a, b, ((Lane & Step) == 0 ? Lane : (Lane & ~Step) + of_b)...);
    b = __builtin_shufflevector(a, b, ((Lane & Step) == 0 ? Lane + Step : Lane + of_b)...);
    a = low;
}

template <int Step> ZLINK_WIDE_INLINE void exchange_all(state &x) noexcept {
    for (std::size_t index = 0; index < x.size(); ++index)
        if ((index & Step) == 0)
            exchange<Step>(x[index], x[index + Step],
                           std::make_integer_sequence<int, static_cast<int>(lanes)>());
}

// From words of sixteen blocks to blocks of sixteen words.
ZLINK_WIDE_INLINE void transpose(state &x) noexcept {
    exchange_all<1>(x);
    exchange_all<2>(x);
    exchange_all<4>(x);
    exchange_all<8>(x);
}

ZLINK_WIDE_INLINE void make_stream(state &x, const std::uint8_t *nonce, std::uint64_t block,
                                   const std::uint8_t *key) noexcept {
    state initial;
    begin(initial, nonce, block, key);
    x = initial;
#pragma GCC unroll 1
    for (int round = 0; round < 10; ++round)
        double_round(x);
    for (std::size_t index = 0; index < x.size(); ++index)
        x[index] += initial[index];
    transpose(x);
}

ZLINK_WIDE_INLINE void xor_block(std::uint8_t *to, const std::uint8_t *from, const words &stream) noexcept {
    words text;
    std::memcpy(&text, from, sizeof text);
    text ^= stream;
    std::memcpy(to, &text, sizeof text);
}

ZLINK_WIDE void wide_xor(std::uint8_t *to, const std::uint8_t *from, std::size_t size,
                         const std::uint8_t *nonce, std::uint64_t block, const std::uint8_t *key) noexcept {
    state x;
    for (; size >= wide_bytes; size -= wide_bytes, to += wide_bytes, from += wide_bytes, block += lanes) {
        make_stream(x, nonce, block, key);
        for (std::size_t index = 0; index < x.size(); ++index)
            xor_block(to + index * salsa20_block_size, from + index * salsa20_block_size, x[index]);
    }
    if (size == 0)
        return;
    make_stream(x, nonce, block, key);
    std::size_t index = 0;
    for (; size >= salsa20_block_size; size -= salsa20_block_size, ++index) {
        xor_block(to, from, x[index]);
        to += salsa20_block_size;
        from += salsa20_block_size;
    }
    std::array<std::uint8_t, salsa20_block_size> last{};
    if (size != 0) {
        std::memcpy(last.data(), from, size);
        xor_block(last.data(), last.data(), x[index]);
        std::memcpy(to, last.data(), size);
    }
}

} // namespace

#endif

void salsa20_xor(std::uint8_t *to, const std::uint8_t *from, std::size_t size, const std::uint8_t *nonce,
                 std::uint64_t block, const std::uint8_t *key) noexcept {
#if defined(__x86_64__)
    if (is_wide())
        return wide_xor(to, from, size, nonce, block, key);
#endif
    crypto_stream_salsa20_xor_ic(to, from, size, nonce, block, key);
}

} // namespace zlink::security
