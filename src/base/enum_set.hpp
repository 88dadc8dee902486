// SPDX-License-Identifier: MPL-2.0
// enum_set is a set of values of one enumeration, such as the peers of a socket type. It is one word of bits.
//
// Threads: a value. Invariant: a number of 32 or more is in no set.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace zlink {

template <class Enum> class enum_set {
  public:
    constexpr enum_set() noexcept = default;
    constexpr enum_set(std::initializer_list<Enum> members) noexcept {
        for (const Enum member : members) {
            insert(member);
        }
    }
    // Every number below 32, whether it is an enumerator or not.
    static constexpr enum_set all() noexcept {
        enum_set every;
        every.bits_ = ~std::uint32_t{0};
        return every;
    }
    constexpr void insert(Enum member) noexcept { bits_ |= bit(member); }
    [[nodiscard]] constexpr bool contains(Enum member) const noexcept { return (bits_ & bit(member)) != 0; }
    [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
    friend constexpr bool operator==(const enum_set &, const enum_set &) noexcept = default;

  private:
    static constexpr std::uint32_t bit(Enum member) noexcept {
        const auto number = static_cast<unsigned>(member);
        return number < 32 ? std::uint32_t{1} << number : 0;
    }
    std::uint32_t bits_ = 0;
};

} // namespace zlink
