// SPDX-License-Identifier: MPL-2.0
// Random numbers for jitter and generated routing ids. Not for secrets.
//
// Threads: a generator belongs to one owner; random_seed() may be called from every thread.
#pragma once

#include <cstdint>

namespace zlink {

// A seed that differs between processes, threads and calls.
[[nodiscard]] std::uint64_t random_seed() noexcept;

// SplitMix64: small state, any seed is good, one seed is one sequence.
class random_generator {
  public:
    explicit constexpr random_generator(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        return mixed ^ (mixed >> 31);
    }

    // 0 <= result < bound; 0 for bound 0.
    constexpr std::uint32_t below(std::uint32_t bound) noexcept {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

  private:
    std::uint64_t state_;
};

} // namespace zlink
