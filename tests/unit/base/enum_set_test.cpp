// SPDX-License-Identifier: MPL-2.0
#include "base/enum_set.hpp"

#include <gtest/gtest.h>

namespace {

enum class letter : unsigned char { a, b, last = 31 };
using letters = zlink::enum_set<letter>;

TEST(enum_set, holds_what_it_was_made_of) {
    constexpr letters two{letter::a, letter::last};
    EXPECT_TRUE(two.contains(letter::a));
    EXPECT_TRUE(two.contains(letter::last));
    EXPECT_FALSE(two.contains(letter::b));
    EXPECT_FALSE(two.empty());
    EXPECT_TRUE(letters::all().contains(letter::b));
    EXPECT_TRUE(letters().empty());
}

TEST(enum_set, holds_what_was_inserted) {
    letters grown{letter::a};
    grown.insert(letter::b);
    EXPECT_EQ(grown, (letters{letter::b, letter::a}));
    EXPECT_NE(grown, letters{letter::b});
}

// Applications ask for any number: 32 would be `a` again, were the number shifted as it is.
TEST(enum_set, holds_no_number_of_32_or_more) {
    for (const int number : {32, 33, 64, 255}) {
        const auto stranger = static_cast<letter>(number);
        EXPECT_FALSE(letters::all().contains(stranger)) << number;
        EXPECT_TRUE(letters{stranger}.empty()) << number;
    }
}

} // namespace
