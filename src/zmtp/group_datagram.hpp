// SPDX-License-Identifier: MPL-2.0
// Datagrams of RADIO and DISH over udp: the length of the group's name in a byte, the name, the body.
//
// Threads: pure functions. Ownership: views into what is given.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "zmtp/bytes.hpp"

namespace zlink::zmtp {

inline constexpr std::size_t longest_group_name = 255;

struct group_datagram {
    byte_view group;
    byte_view body;
};

// Nothing: the name would end behind the datagram.
[[nodiscard]] inline std::optional<group_datagram> parse_group_datagram(byte_view datagram) noexcept {
    if (datagram.empty() || datagram[0] >= datagram.size())
        return std::nullopt;
    const std::size_t length = datagram[0];
    return group_datagram{datagram.subspan(1, length), datagram.subspan(1 + length)};
}

} // namespace zlink::zmtp
