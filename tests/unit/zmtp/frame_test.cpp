// SPDX-License-Identifier: MPL-2.0
#include "zmtp/frame.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace zlink::zmtp {
namespace {

constexpr std::uint64_t largest = 0x7FFFFFFFFFFFFFFF;

TEST(frame, header_comes_back_at_every_boundary_of_size_and_flag) {
    for (const std::uint64_t size :
         {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{254}, std::uint64_t{255}, std::uint64_t{256},
          std::uint64_t{65536}, std::uint64_t{1} << 32, largest}) {
        for (const std::uint8_t flags : {std::uint8_t{0}, frame_flags::more, frame_flags::command}) {
            std::array<std::uint8_t, max_header_size> bytes{};
            const std::size_t written = encode_header(bytes.data(), flags, size);
            EXPECT_EQ(written, size <= 255 ? 2U : 9U);
            for (std::size_t part = 0; part < written; ++part) {
                EXPECT_EQ(parse_header(bytes.data(), part).status, header_status::incomplete)
                    << size << " " << part;
            }
            const frame_header header = parse_header(bytes.data(), bytes.size());
            ASSERT_EQ(header.status, header_status::ok);
            EXPECT_EQ(header.body_size, size);
            EXPECT_EQ(header.header_size, written);
            EXPECT_EQ(header.flags & ~frame_flags::long_size, flags);
        }
    }
}

TEST(frame, wire_bytes_are_those_of_the_specification) {
    std::array<std::uint8_t, max_header_size> bytes{};
    ASSERT_EQ(encode_header(bytes.data(), frame_flags::more, 5), 2U);
    EXPECT_EQ(bytes[0], 0x01);
    EXPECT_EQ(bytes[1], 0x05);
    ASSERT_EQ(encode_header(bytes.data(), 0, 0x0102030405060708), 9U);
    const std::array<std::uint8_t, 9> expected{0x02, 1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(bytes, expected);
}

TEST(frame, long_form_of_a_small_size_is_accepted) {
    const std::array<std::uint8_t, 9> bytes{0x02, 0, 0, 0, 0, 0, 0, 0, 1};
    const frame_header header = parse_header(bytes.data(), bytes.size());
    EXPECT_EQ(header.status, header_status::ok);
    EXPECT_EQ(header.body_size, 1U);
    EXPECT_EQ(header.header_size, 9);
}

TEST(frame, every_flags_byte_is_judged_by_its_first_byte_alone) {
    for (unsigned flags = 0; flags < 256; ++flags) {
        const bool refused = (flags & 0xF8) != 0 || (flags & 0x05) == 0x05;
        const std::array<std::uint8_t, 9> bytes{static_cast<std::uint8_t>(flags)};
        for (std::size_t part = 1; part <= bytes.size(); ++part) {
            const std::size_t whole = (flags & 0x02) != 0 ? 9 : 2;
            const header_status expected = refused        ? header_status::error
                                           : part < whole ? header_status::incomplete
                                                          : header_status::ok;
            EXPECT_EQ(parse_header(bytes.data(), part).status, expected) << flags << " " << part;
        }
    }
}

TEST(frame, size_of_64_bits_is_an_error_as_soon_as_it_shows) {
    const std::array<std::uint8_t, 9> bytes{0x02, 0x80, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(parse_header(bytes.data(), 1).status, header_status::incomplete);
    for (std::size_t part = 2; part <= bytes.size(); ++part) {
        EXPECT_EQ(parse_header(bytes.data(), part).status, header_status::error);
    }
}

} // namespace
} // namespace zlink::zmtp
