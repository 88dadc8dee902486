// SPDX-License-Identifier: MPL-2.0
#include "message/message.hpp"

#include <gtest/gtest.h>

#include <string>

namespace zlink {
namespace {

// Names that lie in the message, that just do not, and the longest.
const std::string names[] = {"", "g", "1234567", "12345678", std::string(255, 'n')};

TEST(message_address, is_none_at_first) {
    message made;
    made.init();
    EXPECT_EQ(made.routing_id(), 0U);
    EXPECT_EQ(made.group(), "");
    EXPECT_STREQ(made.group().data(), "");
    ASSERT_TRUE(made.set_group(names[4]));
    made.set_routing_id(5);
    made.close();
    made.init();
    EXPECT_EQ(made.routing_id(), 0U);
    EXPECT_EQ(made.group(), "");
    made.close();
}

TEST(message_address, is_kept_beside_bodies_of_every_size) {
    for (const std::size_t size : {0U, 1U, 33U, 34U, 10'000U})
        for (const std::string &name : names) {
            message made;
            ASSERT_TRUE(made.init_size(size));
            std::memset(made.data(), 'b', size);
            made.set_routing_id(0xFFFFFFFF);
            ASSERT_TRUE(made.set_group(name));
            EXPECT_EQ(made.group(), name);
            EXPECT_STREQ(made.group().data(), name.c_str());
            EXPECT_EQ(made.routing_id(), 0xFFFFFFFF);
            EXPECT_EQ(std::string(reinterpret_cast<char *>(made.data()), made.size()),
                      std::string(size, 'b'));
            made.close();
        }
}

TEST(message_address, goes_where_the_message_goes) {
    for (const std::string &name : names) {
        message source, copy, moved;
        ASSERT_TRUE(source.init_size(100));
        copy.init();
        moved.init();
        ASSERT_TRUE(copy.set_group("of before"));
        source.set_routing_id(7);
        ASSERT_TRUE(source.set_group(name));
        copy.copy_from(source);
        moved.move_from(source);
        EXPECT_EQ(source.group(), "");
        EXPECT_EQ(source.routing_id(), 0U);
        for (message *one : {&copy, &moved}) {
            EXPECT_EQ(one->group(), name);
            EXPECT_EQ(one->routing_id(), 7U);
        }
        copy.close();
        EXPECT_EQ(moved.group(), name) << "a copy's end is not the original's";
        moved.close();
        source.close();
    }
}

TEST(message_address, another_group_takes_the_place_of_the_first) {
    message made;
    made.init();
    for (const std::string &first : names)
        for (const std::string &second : names) {
            ASSERT_TRUE(made.set_group(first));
            ASSERT_TRUE(made.set_group(second));
            EXPECT_EQ(made.group(), second);
        }
    made.close();
}

} // namespace
} // namespace zlink
