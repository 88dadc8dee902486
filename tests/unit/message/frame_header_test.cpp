// SPDX-License-Identifier: MPL-2.0
#include "message/frame_header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <span>
#include <vector>

namespace zlink {
namespace {

constexpr std::uint64_t largest = 0x7FFFFFFFFFFFFFFF;
constexpr std::array<std::uint8_t, 3> legal_flags{0, frame_flag::more, frame_flag::command};

using bytes = std::vector<std::uint8_t>;

// ---- RFC 37, read a second time: octet by octet, and with numbers in place of names.

bytes header_of_the_specification(std::uint8_t flags, std::uint64_t size, bool long_form) {
    if (!long_form)
        return {flags, static_cast<std::uint8_t>(size)};
    bytes header{static_cast<std::uint8_t>(flags + 2)};
    for (int octet = 7; octet >= 0; --octet)
        header.push_back(static_cast<std::uint8_t>(size / (std::uint64_t{1} << (8 * octet)) % 256));
    return header;
}

struct reading {
    enum class end : std::uint8_t { whole, short_of_bytes, wrong } how;
    std::size_t header = 0;
    std::uint64_t body = 0;
};

// The legal first octets are 0 to 4 and 6: 5 and 7 would be commands with MORE.
reading read_by_the_specification(std::span<const std::uint8_t> in) {
    if (in.empty())
        return {reading::end::short_of_bytes};
    const unsigned flags = in[0];
    if (flags == 5 || flags > 6)
        return {reading::end::wrong};
    const bool long_form = flags == 2 || flags == 3 || flags == 6;
    if (long_form && in.size() >= 2 && in[1] >= 128)
        return {reading::end::wrong};
    const std::size_t octets = long_form ? 8 : 1;
    if (in.size() < 1 + octets)
        return {reading::end::short_of_bytes};
    std::uint64_t size = 0;
    for (std::size_t octet = 1; octet <= octets; ++octet)
        size = size * 256 + in[octet];
    return {reading::end::whole, 1 + octets, size};
}

// ---- the code, held against it

// A copy of its own: a memory checker sees a byte that is read behind the end.
frame_header parse(std::span<const std::uint8_t> in) {
    const std::unique_ptr<std::uint8_t[]> exact(new std::uint8_t[in.size()]);
    std::copy(in.begin(), in.end(), exact.get());
    return parse_frame_header(exact.get(), in.size());
}

void expect_as_specified(std::span<const std::uint8_t> in) {
    const reading expected = read_by_the_specification(in);
    const frame_header header = parse(in);
    switch (expected.how) {
    case reading::end::wrong:
        ASSERT_EQ(header.status, header_status::error);
        return;
    case reading::end::short_of_bytes:
        ASSERT_EQ(header.status, header_status::incomplete);
        return;
    case reading::end::whole:
        break;
    }
    ASSERT_EQ(header.status, header_status::ok);
    ASSERT_EQ(header.flags, in[0]);
    ASSERT_EQ(header.header_size, expected.header);
    ASSERT_EQ(header.body_size, expected.body);
    const whole_frame_header fast(in.data());
    ASSERT_EQ(fast.flags(), in[0]);
    ASSERT_EQ(fast.large(), expected.header == 9);
    ASSERT_EQ(fast.size(), expected.header);
    ASSERT_EQ(fast.body_size(), expected.body);
}

// Encodes, and looks at the bytes behind the header, too.
bytes encode(std::uint8_t flags, std::uint64_t size) {
    constexpr std::uint8_t untouched = 0xA5;
    std::array<std::uint8_t, 12> memory;
    memory.fill(untouched);
    const std::size_t written = encode_frame_header(memory.data(), flags, size);
    for (std::size_t behind = written; behind < memory.size(); ++behind)
        EXPECT_EQ(memory[behind], untouched) << size << " " << behind;
    return {memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(written)};
}

void expect_round_trip(std::uint8_t flags, std::uint64_t size) {
    const bool needs_long = size > 255;
    for (const bool asks_for_long : {false, true}) {
        const auto asked = static_cast<std::uint8_t>(flags | (asks_for_long ? frame_flag::large : 0));
        const bytes header = encode(asked, size);
        ASSERT_EQ(header, header_of_the_specification(flags, size, needs_long || asks_for_long)) << size;
        if (!asks_for_long) {
            ASSERT_EQ(frame_header_size(size), header.size()) << size;
        }
        for (std::size_t part = 0; part < header.size(); ++part)
            ASSERT_EQ(parse({header.data(), part}).status, header_status::incomplete) << size << " " << part;
        ASSERT_NO_FATAL_FAILURE(expect_as_specified(header)) << size;
        ASSERT_EQ(parse(header).body_size, size);
    }
}

std::vector<std::uint64_t> sizes_at_edges() {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t size = 0; size <= 300; ++size)
        sizes.push_back(size);
    for (unsigned bit = 9; bit < 63; ++bit)
        for (const std::uint64_t edge = std::uint64_t{1} << bit;
             const std::uint64_t size : {edge - 1, edge, edge + 1})
            sizes.push_back(size);
    sizes.insert(sizes.end(), {65535, 0x0102030405060708, largest - 1, largest});
    return sizes;
}

TEST(frame_header, comes_back_at_every_length_and_flag) {
    for (const std::uint64_t size : sizes_at_edges())
        for (const std::uint8_t flags : legal_flags)
            ASSERT_NO_FATAL_FAILURE(expect_round_trip(flags, size));
}

TEST(frame_header, wire_bytes_are_those_of_the_specification) {
    EXPECT_EQ(encode(0, 0), (bytes{0x00, 0x00}));
    EXPECT_EQ(encode(frame_flag::more, 0), (bytes{0x01, 0x00}));
    EXPECT_EQ(encode(frame_flag::more, 5), (bytes{0x01, 0x05}));
    EXPECT_EQ(encode(frame_flag::command, 255), (bytes{0x04, 0xFF}));
    EXPECT_EQ(encode(0, 256), (bytes{0x02, 0, 0, 0, 0, 0, 0, 1, 0}));
    EXPECT_EQ(encode(frame_flag::command, 256), (bytes{0x06, 0, 0, 0, 0, 0, 0, 1, 0}));
    EXPECT_EQ(encode(frame_flag::more, 0x0102030405060708), (bytes{0x03, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST(frame_header, is_large_at_any_size_when_asked_for) {
    EXPECT_EQ(encode(frame_flag::large, 1), (bytes{0x02, 0, 0, 0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(encode(frame_flag::large | frame_flag::more, 255), (bytes{0x03, 0, 0, 0, 0, 0, 0, 0, 0xFF}));
}

TEST(frame_header, large_one_of_a_small_size_is_accepted) {
    const bytes header{0x02, 0, 0, 0, 0, 0, 0, 0, 1};
    EXPECT_EQ(parse(header).status, header_status::ok);
    EXPECT_EQ(parse(header).body_size, 1U);
    EXPECT_EQ(parse(header).header_size, 9);
}

TEST(frame_header, every_flags_byte_is_judged_by_its_first_byte_alone) {
    for (unsigned flags = 0; flags < 256; ++flags) {
        const bool refused = (flags & 0xF8) != 0 || (flags & 0x05) == 0x05;
        EXPECT_EQ(refuses_flags(static_cast<std::uint8_t>(flags)), refused) << flags;
        for (const std::uint8_t filling : {std::uint8_t{0}, std::uint8_t{0x7F}}) {
            bytes header(12, filling);
            header[0] = static_cast<std::uint8_t>(flags);
            const std::size_t whole = (flags & 0x02) != 0 ? 9 : 2;
            for (std::size_t part = 0; part <= header.size(); ++part) {
                const header_status expected = part == 0      ? header_status::incomplete
                                               : refused      ? header_status::error
                                               : part < whole ? header_status::incomplete
                                                              : header_status::ok;
                EXPECT_EQ(parse({header.data(), part}).status, expected) << flags << " " << part;
                ASSERT_NO_FATAL_FAILURE(expect_as_specified({header.data(), part})) << flags << " " << part;
            }
        }
    }
}

TEST(frame_header, size_of_64_bits_is_an_error_as_soon_as_it_shows) {
    for (const std::uint64_t size : {largest + 1, largest + 2, ~std::uint64_t{0} - 1, ~std::uint64_t{0}}) {
        for (const std::uint8_t flags : legal_flags) {
            const bytes header = header_of_the_specification(flags, size, true);
            EXPECT_EQ(parse({header.data(), 1}).status, header_status::incomplete);
            for (std::size_t part = 2; part <= header.size(); ++part)
                EXPECT_EQ(parse({header.data(), part}).status, header_status::error) << size << " " << part;
        }
    }
}

// The fast form checks nothing: a caller that compares the size with what it has must see all of it.
TEST(frame_header, fast_form_gives_a_size_of_64_bits_as_it_stands) {
    const bytes header = header_of_the_specification(0, ~std::uint64_t{0}, true);
    EXPECT_EQ(whole_frame_header(header.data()).body_size(), ~std::uint64_t{0});
}

TEST(frame_header, random_bytes_are_read_as_the_specification_says) {
    std::mt19937_64 random(37);
    std::array<std::size_t, 3> seen{};
    for (int round = 0; round < 200'000; ++round) {
        bytes in(random() % 12);
        for (std::uint8_t &byte : in)
            byte = static_cast<std::uint8_t>(random());
        if (!in.empty() && random() % 4 != 0)
            in[0] &= 0x07; // else nearly all have a reserved bit
        ++seen[static_cast<std::size_t>(read_by_the_specification(in).how)];
        ASSERT_NO_FATAL_FAILURE(expect_as_specified(in)) << round;
    }
    for (const std::size_t count : seen)
        EXPECT_GT(count, 10'000U); // each way to end was met
}

TEST(frame_header, random_sizes_come_back) {
    std::mt19937_64 random(23);
    for (int round = 0; round < 50'000; ++round) {
        const std::uint64_t size = (random() >> (1 + random() % 63)) & largest;
        ASSERT_NO_FATAL_FAILURE(expect_round_trip(legal_flags[random() % 3], size)) << round;
    }
}

} // namespace
} // namespace zlink
