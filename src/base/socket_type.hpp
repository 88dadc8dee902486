// SPDX-License-Identifier: MPL-2.0
// The kinds of sockets, with the numbers of the C API, and sets of them.
//
// Threads: values. 12 to 20 are the thread-safe and datagram kinds of later versions.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace zlink {

enum class socket_type : std::uint8_t {
    pair = 0,
    pub = 1,
    sub = 2,
    req = 3,
    rep = 4,
    dealer = 5,
    router = 6,
    pull = 7,
    push = 8,
    xpub = 9,
    xsub = 10,
    stream = 11,
    server = 12,
    client = 13,
    radio = 14,
    dish = 15,
    gather = 16,
    scatter = 17,
    dgram = 18,
    peer = 19,
    channel = 20,
};

// A set of socket types, for the columns "applies to" of tables.
class socket_types {
  public:
    constexpr socket_types() noexcept = default;
    constexpr socket_types(std::initializer_list<socket_type> types) noexcept {
        for (const socket_type type : types) {
            bits_ |= bit(type);
        }
    }
    static constexpr socket_types all() noexcept {
        socket_types every;
        every.bits_ = ~std::uint32_t{0};
        return every;
    }
    [[nodiscard]] constexpr socket_types without(socket_type type) const noexcept {
        socket_types others = *this;
        others.bits_ &= ~bit(type);
        return others;
    }
    [[nodiscard]] constexpr bool contains(socket_type type) const noexcept {
        return (bits_ & bit(type)) != 0;
    }

  private:
    // A number that is no type is in no set.
    static constexpr std::uint32_t bit(socket_type type) noexcept {
        const auto number = static_cast<unsigned>(type);
        return number < 32 ? std::uint32_t{1} << number : 0;
    }
    std::uint32_t bits_ = 0;
};

} // namespace zlink
