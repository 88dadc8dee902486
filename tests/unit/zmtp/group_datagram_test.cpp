// SPDX-License-Identifier: MPL-2.0
#include "zmtp/group_datagram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace zlink::zmtp {
namespace {

using namespace std::string_literals;

std::optional<std::pair<std::string, std::string>> parsed(const std::string &datagram) {
    const byte_view bytes(reinterpret_cast<const std::uint8_t *>(datagram.data()), datagram.size());
    const auto found = parse_group_datagram(bytes);
    if (!found)
        return std::nullopt;
    return std::pair(std::string(found->group.begin(), found->group.end()),
                     std::string(found->body.begin(), found->body.end()));
}

TEST(group_datagram, a_name_and_a_body) {
    EXPECT_EQ(parsed("\x05groupbody"s), std::pair("group"s, "body"s));
    EXPECT_EQ(parsed("\x05group"s), std::pair("group"s, ""s));
    EXPECT_EQ(parsed("\x00"s), std::pair(""s, ""s));
    EXPECT_EQ(parsed("\x00x"s), std::pair(""s, "x"s));
    EXPECT_EQ(parsed("\xFF"s + std::string(255, 'g') + "b"), std::pair(std::string(255, 'g'), "b"s));
}

TEST(group_datagram, cut_off_in_the_name_it_is_none) {
    const std::string whole = "\xFF"s + std::string(255, 'g');
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(parsed(whole.substr(0, size))) << size;
    EXPECT_TRUE(parsed(whole));
}

} // namespace
} // namespace zlink::zmtp
