// SPDX-License-Identifier: MPL-2.0
#include "base/socket_type.hpp"

#include <gtest/gtest.h>

namespace {

using zlink::socket_type;
using zlink::socket_types;

TEST(SocketTypes, HoldWhatTheyWereMadeOf) {
    constexpr socket_types two{socket_type::pair, socket_type::channel};
    EXPECT_TRUE(two.contains(socket_type::pair));
    EXPECT_TRUE(two.contains(socket_type::channel));
    EXPECT_FALSE(two.contains(socket_type::pub));
    EXPECT_TRUE(socket_types::all().contains(socket_type::peer));
}

// Applications ask for any number: 32 would be pair again, were the number shifted as it is.
TEST(SocketTypes, HoldNoNumberThatIsNoType) {
    for (const int number : {32, 33, 64, 255})
        EXPECT_FALSE(socket_types::all().contains(static_cast<socket_type>(number))) << number;
}

} // namespace
