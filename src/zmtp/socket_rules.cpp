// SPDX-License-Identifier: MPL-2.0
#include "zmtp/socket_rules.hpp"

#include "base/socket_traits.hpp"

#include <algorithm>

namespace zlink::zmtp {

std::string_view socket_type_name(socket_type type) noexcept {
    const socket_traits &own = traits_of(type);
    return own.speaks_zmtp() ? own.name : std::string_view{};
}

std::string_view socket_type_name_v2(std::uint8_t type) noexcept {
    constexpr auto last_of_v2 = static_cast<std::uint8_t>(socket_type::xsub);
    return type <= last_of_v2 ? socket_type_name(socket_type{type}) : std::string_view{};
}

bool may_talk(socket_type own, std::string_view peer_name) noexcept {
    return !peer_name.empty() && std::ranges::any_of(socket_table::rows, [&](const socket_traits &other) {
        return other.name == peer_name && traits_of(own).peers.contains(other.type);
    });
}

bool sends_identity(socket_type type) noexcept {
    return traits_of(type).rules.contains(socket_rule::tells_identity);
}

} // namespace zlink::zmtp
