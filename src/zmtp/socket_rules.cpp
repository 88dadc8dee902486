// SPDX-License-Identifier: MPL-2.0
#include "zmtp/socket_rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace zlink::zmtp {

namespace {

struct rule {
    socket_type type;
    std::string_view name;
    bool identity;
    socket_types peers;
};

using enum socket_type;

// In the order of the numbers; STREAM and DGRAM have no name and no peers.
constexpr std::array<rule, 21> rules{{
    {pair, "PAIR", false, {pair}},
    {pub, "PUB", false, {sub, xsub}},
    {sub, "SUB", false, {pub, xpub}},
    {req, "REQ", true, {rep, router}},
    {rep, "REP", false, {req, dealer}},
    {dealer, "DEALER", true, {rep, dealer, router}},
    {router, "ROUTER", true, {req, dealer, router}},
    {pull, "PULL", false, {push}},
    {push, "PUSH", false, {pull}},
    {xpub, "XPUB", false, {sub, xsub}},
    {xsub, "XSUB", false, {pub, xpub}},
    {stream, "", false, {}},
    {server, "SERVER", false, {client}},
    {client, "CLIENT", false, {server}},
    {radio, "RADIO", false, {dish}},
    {dish, "DISH", false, {radio}},
    {gather, "GATHER", false, {scatter}},
    {scatter, "SCATTER", false, {gather}},
    {dgram, "", false, {}},
    {peer, "PEER", false, {peer}},
    {channel, "CHANNEL", false, {channel}},
}};

consteval bool in_order() {
    for (std::size_t i = 0; i < rules.size(); ++i) {
        if (static_cast<std::size_t>(rules[i].type) != i) {
            return false;
        }
    }
    return true;
}
static_assert(in_order());

const rule *rule_of(socket_type type) noexcept {
    const auto index = static_cast<std::size_t>(type);
    return index < rules.size() ? &rules[index] : nullptr;
}

} // namespace

std::string_view socket_type_name(socket_type type) noexcept {
    const rule *row = rule_of(type);
    return row != nullptr ? row->name : std::string_view{};
}

std::string_view socket_type_name_v2(std::uint8_t type) noexcept {
    return type <= static_cast<std::uint8_t>(xsub) ? rules[type].name : std::string_view{};
}

bool may_talk(socket_type own, std::string_view peer_name) noexcept {
    const rule *row = rule_of(own);
    return row != nullptr && !peer_name.empty() &&
           std::any_of(rules.begin(), rules.end(), [&](const rule &other) {
               return other.name == peer_name && row->peers.contains(other.type);
           });
}

bool sends_identity(socket_type type) noexcept {
    const rule *row = rule_of(type);
    return row != nullptr && row->identity;
}

} // namespace zlink::zmtp
