// SPDX-License-Identifier: MPL-2.0
#include "base/z85.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace zlink {
namespace {

using ::testing::ElementsAre;

std::string encoded(const std::vector<std::uint8_t> &bytes) {
    std::string text(z85_encoded_size(bytes.size()), ' ');
    EXPECT_EQ(*z85_encode(bytes, text), text.size());
    return text;
}

int decode_code(std::string_view text) {
    std::vector<std::uint8_t> bytes(z85_decoded_size(text.size()));
    return z85_decode(text, bytes).code();
}

TEST(z85, encodes_the_example_of_the_specification) {
    EXPECT_EQ(encoded({0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b}), "HelloWorld");
    EXPECT_EQ(encoded({0, 0, 0, 0}), "00000");
    EXPECT_EQ(encoded({0xff, 0xff, 0xff, 0xff}), "%nSc0");
    EXPECT_EQ(encoded({}), "");
}

TEST(z85, decodes_the_example_of_the_specification) {
    std::array<std::uint8_t, 8> bytes{};
    EXPECT_EQ(*z85_decode("HelloWorld", bytes), 8U);
    EXPECT_THAT(bytes, ElementsAre(0x86, 0x4f, 0xd2, 0x6f, 0xb5, 0x59, 0xf7, 0x5b));
}

TEST(z85, decodes_what_it_encoded) {
    std::vector<std::uint8_t> bytes(1024);
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        bytes[index] = static_cast<std::uint8_t>(index * 37 + index / 256);
    }
    std::vector<std::uint8_t> back(bytes.size());
    ASSERT_EQ(*z85_decode(encoded(bytes), back), back.size());
    EXPECT_EQ(back, bytes);
}

TEST(z85, refuses_wrong_lengths) {
    std::array<char, 16> text{};
    const std::array<std::uint8_t, 3> three{};
    EXPECT_EQ(z85_encode(three, text).code(), EINVAL);
    EXPECT_EQ(decode_code("Hell"), EINVAL);
    EXPECT_EQ(decode_code("HelloW"), EINVAL);
    EXPECT_EQ(decode_code(""), EINVAL);
}

TEST(z85, refuses_foreign_characters) {
    for (const std::string_view text : {"He~lo", "Hel\"o", "Hel\x80o", "He\x1fo!", "Hel,o", "Hel o"}) {
        EXPECT_EQ(decode_code(text), EINVAL) << text;
    }
}

TEST(z85, refuses_groups_above_32_bits) {
    EXPECT_EQ(decode_code("%nSc0"), 0);
    for (const std::string_view text : {"%nSc1", "#####", "%####"}) {
        EXPECT_EQ(decode_code(text), EINVAL) << text;
    }
}

TEST(z85, refuses_too_little_room) {
    std::array<char, 4> text{};
    const std::array<std::uint8_t, 4> bytes{};
    EXPECT_EQ(z85_encode(bytes, text).code(), EINVAL);
    std::array<std::uint8_t, 3> out{};
    EXPECT_EQ(z85_decode("00000", out).code(), EINVAL);
}

} // namespace
} // namespace zlink
