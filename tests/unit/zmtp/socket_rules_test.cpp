// SPDX-License-Identifier: MPL-2.0
#include "zmtp/socket_rules.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace zlink::zmtp {
namespace {

constexpr int type_count = 21;
socket_type type_of(int number) {
    return static_cast<socket_type>(number);
}

TEST(socket_rules, legal_pairs_are_those_of_the_specification) {
    const std::set<std::pair<std::string, std::string>> listed{
        {"PAIR", "PAIR"},      {"PUB", "SUB"},       {"PUB", "XSUB"},       {"XPUB", "SUB"},
        {"XPUB", "XSUB"},      {"PUSH", "PULL"},     {"REQ", "REP"},        {"REQ", "ROUTER"},
        {"DEALER", "REP"},     {"DEALER", "DEALER"}, {"DEALER", "ROUTER"},  {"ROUTER", "ROUTER"},
        {"CLIENT", "SERVER"},  {"RADIO", "DISH"},    {"SCATTER", "GATHER"}, {"PEER", "PEER"},
        {"CHANNEL", "CHANNEL"}};
    for (int own = 0; own < type_count; ++own) {
        for (int other = 0; other < type_count; ++other) {
            const std::string a(socket_type_name(type_of(own)));
            const std::string b(socket_type_name(type_of(other)));
            const bool legal = listed.contains({a, b}) || listed.contains({b, a});
            EXPECT_EQ(may_talk(type_of(own), b), legal) << a << " " << b;
        }
    }
}

TEST(socket_rules, strangers_may_not_talk) {
    EXPECT_FALSE(may_talk(socket_type::pull, ""));
    EXPECT_FALSE(may_talk(socket_type::pull, "push"));
    EXPECT_FALSE(may_talk(socket_type::stream, ""));
    EXPECT_FALSE(may_talk(type_of(21), "PUSH"));
    EXPECT_FALSE(may_talk(type_of(255), ""));
    EXPECT_EQ(socket_type_name(type_of(21)), "");
    EXPECT_EQ(socket_type_name_v2(10), "XSUB");
    EXPECT_EQ(socket_type_name_v2(11), "");
    EXPECT_EQ(socket_type_name_v2(12), "");
}

TEST(socket_rules, identity_is_told_by_req_dealer_and_router) {
    for (int number = 0; number < type_count; ++number) {
        const std::string_view name = socket_type_name(type_of(number));
        EXPECT_EQ(sends_identity(type_of(number)), name == "REQ" || name == "DEALER" || name == "ROUTER")
            << name;
    }
}

} // namespace
} // namespace zlink::zmtp
