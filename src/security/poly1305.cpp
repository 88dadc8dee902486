// SPDX-License-Identifier: MPL-2.0
//
// Numbers modulo 2^130 - 5 are five limbs of 26 bits in 64-bit words. The blocks m1, m2, ... make
// (...((m1 r + m2) r + m3) r ...) r; eight lanes take every eighth block each and multiply by r^8, and at the
// end by r^8, r^7, ... r, so that their sum is the same number.
#include "security/poly1305.hpp"

#include <array>
#include <cstring>
#include <sodium.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace zlink::security {

#if defined(__x86_64__)

namespace {

#define ZLINK_WIDE __attribute__((target("avx512f")))
#define ZLINK_WIDE_INLINE __attribute__((target("avx512f"), always_inline)) inline

using limbs = std::array<std::uint64_t, 5>;
// No std::array: GCC wants no vectors as template arguments.
struct lanes {
    __m512i limb[5];
    __m512i &operator[](std::size_t index) noexcept { return limb[index]; }
    const __m512i &operator[](std::size_t index) const noexcept { return limb[index]; }
    static constexpr std::size_t size() noexcept { return 5; }
};

constexpr std::size_t block = 16;
constexpr std::size_t wide_block = 8 * block;
constexpr std::size_t least_wide = 16 * wide_block; // below, the powers cost more than they save
constexpr unsigned limb_bits = 26;
constexpr std::uint64_t limb_mask = (std::uint64_t{1} << limb_bits) - 1;
constexpr std::uint64_t whole_block = std::uint64_t{1} << 24; // the bit behind a block, in its last limb

bool is_wide() noexcept {
    static const bool found = __builtin_cpu_supports("avx512f") != 0;
    return found;
}

std::uint64_t load(const std::uint8_t *from) noexcept {
    std::uint64_t word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

limbs split(std::uint64_t low, std::uint64_t high, std::uint64_t top) noexcept {
    return {low & limb_mask, low >> 26 & limb_mask, (low >> 52 | high << 12) & limb_mask,
            high >> 14 & limb_mask, high >> 40 | top};
}

// Limbs below 2^26, but for the second one, which may be a little above.
void carry(limbs &number) noexcept {
    for (std::size_t index = 0; index < 4; ++index) {
        number[index + 1] += number[index] >> limb_bits;
        number[index] &= limb_mask;
    }
    number[0] += (number[4] >> limb_bits) * 5;
    number[4] &= limb_mask;
    number[1] += number[0] >> limb_bits;
    number[0] &= limb_mask;
}

limbs multiply(const limbs &a, const limbs &b) noexcept {
    const std::uint64_t s1 = b[1] * 5;
    const std::uint64_t s2 = b[2] * 5;
    const std::uint64_t s3 = b[3] * 5;
    const std::uint64_t s4 = b[4] * 5;
    limbs made{
        a[0] * b[0] + a[1] * s4 + a[2] * s3 + a[3] * s2 + a[4] * s1,
        a[0] * b[1] + a[1] * b[0] + a[2] * s4 + a[3] * s3 + a[4] * s2,
        a[0] * b[2] + a[1] * b[1] + a[2] * b[0] + a[3] * s4 + a[4] * s3,
        a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0] + a[4] * s4,
        a[0] * b[4] + a[1] * b[3] + a[2] * b[2] + a[3] * b[1] + a[4] * b[0],
    };
    carry(made);
    return made;
}

void add(limbs &to, const limbs &number) noexcept {
    for (std::size_t index = 0; index < to.size(); ++index)
        to[index] += number[index];
}

// The intrinsics of some versions of GCC begin with values that nobody has set, on purpose.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

ZLINK_WIDE_INLINE __m512i all(std::uint64_t word) noexcept {
    return _mm512_set1_epi64(static_cast<long long>(word));
}

// The limbs of eight blocks; lanes hold the blocks 0, 4, 1, 5, 2, 6, 3, 7.
ZLINK_WIDE_INLINE void load_wide(lanes &to, const std::uint8_t *from) noexcept {
    const __m512i first = _mm512_loadu_si512(from);
    const __m512i second = _mm512_loadu_si512(from + wide_block / 2);
    const __m512i low = _mm512_unpacklo_epi64(first, second);
    const __m512i high = _mm512_unpackhi_epi64(first, second);
    const __m512i mask = all(limb_mask);
    to[0] = _mm512_and_si512(low, mask);
    to[1] = _mm512_and_si512(_mm512_srli_epi64(low, 26), mask);
    to[2] = _mm512_and_si512(_mm512_or_si512(_mm512_srli_epi64(low, 52), _mm512_slli_epi64(high, 12)), mask);
    to[3] = _mm512_and_si512(_mm512_srli_epi64(high, 14), mask);
    to[4] = _mm512_or_si512(_mm512_srli_epi64(high, 40), all(whole_block));
}

ZLINK_WIDE_INLINE __m512i product(const __m512i &sum, const __m512i &a, const __m512i &b) noexcept {
    return _mm512_add_epi64(sum, _mm512_mul_epu32(a, b));
}

ZLINK_WIDE_INLINE void carry_wide(lanes &number) noexcept {
    const __m512i mask = all(limb_mask);
#pragma GCC unroll 4
    for (std::size_t index = 0; index < 4; ++index) {
        number[index + 1] = _mm512_add_epi64(number[index + 1], _mm512_srli_epi64(number[index], limb_bits));
        number[index] = _mm512_and_si512(number[index], mask);
    }
    const __m512i over = _mm512_srli_epi64(number[4], limb_bits);
    number[0] = _mm512_add_epi64(number[0], _mm512_add_epi64(over, _mm512_slli_epi64(over, 2)));
    number[4] = _mm512_and_si512(number[4], mask);
    number[1] = _mm512_add_epi64(number[1], _mm512_srli_epi64(number[0], limb_bits));
    number[0] = _mm512_and_si512(number[0], mask);
}

// `times_five`: the limbs of b, each five times.
ZLINK_WIDE_INLINE __m512i sum_of(const lanes &a, const __m512i &b0, const __m512i &b1, const __m512i &b2,
                                 const __m512i &b3, const __m512i &b4) noexcept {
    const __m512i even = product(product(_mm512_mul_epu32(a[0], b0), a[2], b2), a[4], b4);
    return _mm512_add_epi64(even, product(_mm512_mul_epu32(a[1], b1), a[3], b3));
}

// `s`: the limbs of b, each five times.
ZLINK_WIDE_INLINE void multiply_wide(lanes &a, const lanes &b, const lanes &s) noexcept {
    const lanes made{{
        sum_of(a, b[0], s[4], s[3], s[2], s[1]),
        sum_of(a, b[1], b[0], s[4], s[3], s[2]),
        sum_of(a, b[2], b[1], b[0], s[4], s[3]),
        sum_of(a, b[3], b[2], b[1], b[0], s[4]),
        sum_of(a, b[4], b[3], b[2], b[1], b[0]),
    }};
    a = made;
    carry_wide(a);
}

ZLINK_WIDE_INLINE void make_times_five(lanes &to, const lanes &from) noexcept {
#pragma GCC unroll 5
    for (std::size_t index = 0; index < to.size(); ++index)
        to[index] = _mm512_add_epi64(from[index], _mm512_slli_epi64(from[index], 2));
}

// What the whole wide blocks at `from` make; there is at least one, and `size` is of them.
ZLINK_WIDE limbs take_wide(const std::uint8_t *from, std::size_t size, const limbs &r) noexcept {
    std::array<limbs, 8> powers; // r^1 to r^8
    powers[0] = r;
    for (std::size_t index = 1; index < powers.size(); ++index)
        powers[index] = multiply(powers[index - 1], r);
    lanes eighth;
    lanes last; // of block i: r^(8 - i)
    constexpr std::array<std::size_t, 8> block_of_lane{0, 4, 1, 5, 2, 6, 3, 7};
    for (std::size_t limb = 0; limb < eighth.size(); ++limb) {
        alignas(64) std::array<std::uint64_t, 8> of_lanes;
        for (std::size_t lane = 0; lane < of_lanes.size(); ++lane)
            of_lanes[lane] = powers[7 - block_of_lane[lane]][limb];
        last[limb] = _mm512_load_si512(of_lanes.data());
        eighth[limb] = all(powers[7][limb]);
    }
    lanes times_five;
    make_times_five(times_five, eighth);
    lanes sum;
    load_wide(sum, from);
    for (from += wide_block, size -= wide_block; size != 0; from += wide_block, size -= wide_block) {
        lanes next;
        multiply_wide(sum, eighth, times_five);
        load_wide(next, from);
#pragma GCC unroll 5
        for (std::size_t index = 0; index < sum.size(); ++index)
            sum[index] = _mm512_add_epi64(sum[index], next[index]);
    }
    make_times_five(times_five, last);
    multiply_wide(sum, last, times_five);
    limbs total;
    for (std::size_t index = 0; index < total.size(); ++index)
        total[index] = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(sum[index]));
    carry(total);
    return total;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// The rest, block by block; the last one may be a part of one.
void take_rest(limbs &sum, const std::uint8_t *from, std::size_t size, const limbs &r) noexcept {
    for (; size >= block; from += block, size -= block) {
        add(sum, split(load(from), load(from + 8), whole_block));
        sum = multiply(sum, r);
    }
    if (size == 0)
        return;
    std::array<std::uint8_t, block> padded{};
    std::memcpy(padded.data(), from, size);
    padded[size] = 1;
    add(sum, split(load(padded.data()), load(padded.data() + 8), 0));
    sum = multiply(sum, r);
}

// The number modulo 2^130 - 5, and then 2^128, plus the second half of the key.
void finish(std::uint8_t *tag, limbs sum, const std::uint8_t *pad) noexcept {
    carry(sum);
    carry(sum);
    limbs less = sum; // the modulus subtracted: plus 5, minus 2^130
    less[0] += 5;
    for (std::size_t index = 0; index < 4; ++index) {
        less[index + 1] += less[index] >> limb_bits;
        less[index] &= limb_mask;
    }
    const std::uint64_t reached = less[4] >> limb_bits; // 1: the number was not below the modulus
    less[4] &= limb_mask;
    const std::uint64_t take_less = std::uint64_t{0} - reached;
    for (std::size_t index = 0; index < sum.size(); ++index)
        sum[index] = (sum[index] & ~take_less) | (less[index] & take_less);
    const std::uint64_t low = sum[0] | sum[1] << 26 | sum[2] << 52;
    const std::uint64_t high = sum[2] >> 12 | sum[3] << 14 | sum[4] << 40;
    const std::uint64_t tag_low = low + load(pad);
    const std::uint64_t tag_high = high + load(pad + 8) + (tag_low < low ? 1 : 0);
    std::memcpy(tag, &tag_low, sizeof tag_low);
    std::memcpy(tag + 8, &tag_high, sizeof tag_high);
}

void wide_poly1305(std::uint8_t *tag, const std::uint8_t *from, std::size_t size,
                   const std::uint8_t *key) noexcept {
    const limbs r = split(load(key) & 0x0FFFFFFC0FFFFFFF, load(key + 8) & 0x0FFFFFFC0FFFFFFC, 0);
    const std::size_t wide = size - size % wide_block;
    limbs sum = take_wide(from, wide, r);
    take_rest(sum, from + wide, size - wide, r);
    finish(tag, sum, key + block);
}

} // namespace

#endif

void poly1305(std::uint8_t *tag, const std::uint8_t *from, std::size_t size,
              const std::uint8_t *key) noexcept {
#if defined(__x86_64__)
    if (size >= least_wide && is_wide())
        return wide_poly1305(tag, from, size, key);
#endif
    crypto_onetimeauth_poly1305(tag, from, size, key);
}

bool poly1305_verify(const std::uint8_t *tag, const std::uint8_t *from, std::size_t size,
                     const std::uint8_t *key) noexcept {
    std::array<std::uint8_t, poly1305_tag_size> expected;
    poly1305(expected.data(), from, size, key);
    return crypto_verify_16(tag, expected.data()) == 0;
}

} // namespace zlink::security
