// SPDX-License-Identifier: MPL-2.0
#include "base/aliased_copy.hpp"

#include <algorithm>
#include <array>
#include <cstring>

// x32 has narrower registers for `rep movsb`.
#if defined(__x86_64__) && !defined(__ILP32__)
#define ZLINK_HAS_VECTOR_COPY 1
#include <immintrin.h>
#include <x86intrin.h>
#endif

namespace zlink {
namespace {

constexpr std::size_t farthest_slow = 15; // bytes; the nearest is 1

#if defined(ZLINK_HAS_VECTOR_COPY)

constexpr std::size_t probed_bytes = 2048;

// Returns the least number of ticks that the copy takes. The first run brings the memory into the cache.
std::uint64_t ticks_of_copy(std::uint8_t *to, const std::uint8_t *from) noexcept {
    constexpr int runs = 6;
    std::uint64_t least = UINT64_MAX;
    for (int run = 0; run < runs; ++run) {
        void *target = to;
        const void *source = from;
        std::size_t left = probed_bytes;
        _mm_lfence();
        const std::uint64_t begin = __rdtsc();
        asm volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(left) : : "memory");
        _mm_lfence();
        least = std::min<std::uint64_t>(least, __rdtsc() - begin);
    }
    return least;
}

// Compares copies that alias with copies that do not. Some processors copy slowly between one pair of pages
// in 256, at any offset. So two pairs are tried.
bool probe() noexcept {
    constexpr std::uint64_t slow_factor = 4;
    constexpr std::size_t aliasing = 8;
    if (!__builtin_cpu_supports("avx2")) // the loop below needs it
        return false;
    // Not on the stack, which may be small. The caller runs this once.
    alignas(page_bytes) static std::array<std::uint8_t, 4 * page_bytes> memory{};
    const std::uint8_t *const from = memory.data();
    std::uint8_t *const first = memory.data() + page_bytes;
    std::uint8_t *const second = first + page_bytes;
    const std::uint64_t usual = std::min(ticks_of_copy(first, from), ticks_of_copy(second, from));
    return std::min(ticks_of_copy(first + aliasing, from), ticks_of_copy(second + aliasing, from)) >
           slow_factor * usual;
}

[[gnu::target("avx2")]] std::size_t copy_by_vectors(std::uint8_t *to, const std::uint8_t *from,
                                                    std::size_t size) noexcept {
    constexpr std::size_t step = 4 * sizeof(__m256i);
    std::size_t done = 0;
    for (; size - done >= step; done += step) {
        const auto *const source = reinterpret_cast<const __m256i *>(from + done);
        auto *const target = reinterpret_cast<__m256i *>(to + done);
        const __m256i first = _mm256_loadu_si256(source);
        const __m256i second = _mm256_loadu_si256(source + 1);
        const __m256i third = _mm256_loadu_si256(source + 2);
        const __m256i fourth = _mm256_loadu_si256(source + 3);
        _mm256_storeu_si256(target, first);
        _mm256_storeu_si256(target + 1, second);
        _mm256_storeu_si256(target + 2, third);
        _mm256_storeu_si256(target + 3, fourth);
    }
    return done;
}

#else

bool probe() noexcept {
    return false;
}
std::size_t copy_by_vectors(std::uint8_t *, const std::uint8_t *, std::size_t) noexcept {
    return 0;
}

#endif

bool is_slow(std::uintptr_t to, std::uintptr_t from) noexcept {
    return page_distance(to, from) - 1 < farthest_slow && has_slow_aliased_copies();
}

} // namespace

bool has_slow_aliased_copies() noexcept {
    static const bool slow = probe();
    return slow;
}

void copy_aliased(std::uint8_t *to, const std::uint8_t *from, std::size_t size) noexcept {
    const std::size_t done = has_slow_aliased_copies() ? copy_by_vectors(to, from, size) : 0;
    std::memcpy(to + done, from + done, size - done);
}

bool sends_slowly(const std::uint8_t *body, std::size_t front) noexcept {
    return is_slow(front, reinterpret_cast<std::uintptr_t>(body));
}

bool receives_slowly(const std::uint8_t *body, std::size_t front) noexcept {
    return is_slow(reinterpret_cast<std::uintptr_t>(body), front);
}

} // namespace zlink
