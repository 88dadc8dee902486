// SPDX-License-Identifier: MPL-2.0
#include "zmtp/legacy_frames.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace zlink::zmtp {
namespace {

struct version {
    std::size_t (*encode)(std::uint8_t *, std::uint8_t, std::uint64_t) noexcept;
    frame_header (*parse)(const std::uint8_t *, std::size_t) noexcept;
};
const version versions[] = {{encode_v1_header, parse_v1_header}, {encode_v2_header, parse_v2_header}};

using frames = std::vector<std::pair<bool, std::string>>; // MORE, body

byte_buffer encode(const version &v, const frames &all) {
    byte_buffer out;
    for (const auto &[more, body] : all) {
        std::array<std::uint8_t, max_legacy_header_size> header{};
        const std::size_t size =
            v.encode(header.data(), more ? frame_flag::more : std::uint8_t{0}, body.size());
        out.insert(out.end(), header.begin(), header.begin() + static_cast<std::ptrdiff_t>(size));
        out.insert(out.end(), body.begin(), body.end());
    }
    return out;
}

// Feeds `in` to the decoder, and appends to `out` what it says. False after an error.
bool decode(legacy_decoder &decoder, byte_view in, frames &out, bool &open) {
    for (;;) {
        frame_piece piece;
        switch (decoder.next(in, piece)) {
        case decode_status::error:
            return false;
        case decode_status::need_more:
            EXPECT_TRUE(in.empty());
            return true;
        case decode_status::piece:
            EXPECT_EQ(piece.begins, !open);
            if (piece.begins) {
                out.emplace_back(piece.more, "");
            }
            out.back().second += as_text(piece.body);
            open = !piece.ends;
            EXPECT_EQ(piece.ends, out.back().second.size() == piece.frame_size);
        }
    }
}

const frames sample{{true, ""},
                    {true, "a"},
                    {false, std::string(253, 'b')},
                    {false, std::string(254, 'c')},
                    {true, std::string(255, 'd')},
                    {false, std::string(256, 'e')},
                    {false, ""}};

TEST(legacy_frames, every_split_in_two_gives_the_same_frames) {
    for (const version &v : versions) {
        const byte_buffer wire = encode(v, sample);
        for (std::size_t cut = 0; cut <= wire.size(); ++cut) {
            legacy_decoder decoder(v.parse);
            frames seen;
            bool open = false;
            ASSERT_TRUE(decode(decoder, byte_view(wire).first(cut), seen, open));
            ASSERT_TRUE(decode(decoder, byte_view(wire).subspan(cut), seen, open));
            ASSERT_EQ(seen, sample) << cut;
            ASSERT_FALSE(open);
        }
    }
}

TEST(legacy_frames, byte_by_byte_gives_the_same_frames) {
    for (const version &v : versions) {
        legacy_decoder decoder(v.parse);
        frames seen;
        bool open = false;
        for (const std::uint8_t byte : encode(v, sample)) {
            ASSERT_TRUE(decode(decoder, {&byte, 1}, seen, open));
        }
        EXPECT_EQ(seen, sample);
    }
}

TEST(legacy_frames, v1_length_counts_the_flags_byte) {
    std::array<std::uint8_t, max_legacy_header_size> out{};
    ASSERT_EQ(encode_v1_header(out.data(), frame_flag::more, 253), 2U);
    EXPECT_EQ(out[0], 254);
    EXPECT_EQ(out[1], 1);
    ASSERT_EQ(encode_v1_header(out.data(), 0, 254), 10U);
    const std::array<std::uint8_t, 10> expected{0xFF, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0};
    EXPECT_EQ(out, expected);
}

TEST(legacy_frames, v1_header_is_incomplete_at_every_cut) {
    const std::array<std::uint8_t, 10> bytes{0xFF, 0, 0, 0, 0, 0, 0, 1, 0, 0x7F};
    for (std::size_t part = 0; part < bytes.size(); ++part) {
        EXPECT_EQ(parse_v1_header(bytes.data(), part).status, header_status::incomplete);
    }
    const frame_header header = parse_v1_header(bytes.data(), bytes.size());
    ASSERT_EQ(header.status, header_status::ok);
    EXPECT_EQ(header.body_size, 255U);
    EXPECT_EQ(header.flags, frame_flag::more); // the other bits mean nothing
}

TEST(legacy_frames, v1_length_of_zero_or_above_63_bits_is_an_error) {
    const std::array<std::uint8_t, 10> zero{};
    EXPECT_EQ(parse_v1_header(zero.data(), 1).status, header_status::error);
    EXPECT_EQ(parse_v1_header(zero.data(), 2).status, header_status::error);
    const std::array<std::uint8_t, 10> long_zero{0xFF};
    EXPECT_EQ(parse_v1_header(long_zero.data(), 10).status, header_status::error);
    const std::array<std::uint8_t, 10> huge{0xFF, 0x80};
    EXPECT_EQ(parse_v1_header(huge.data(), 2).status, header_status::error);
}

TEST(legacy_frames, v2_knows_no_commands_and_no_reserved_bits) {
    for (unsigned flags = 0; flags < 256; ++flags) {
        const std::array<std::uint8_t, 9> bytes{static_cast<std::uint8_t>(flags)};
        const bool good = (flags & ~3U) == 0;
        EXPECT_EQ(parse_v2_header(bytes.data(), 9).status, good ? header_status::ok : header_status::error)
            << flags;
    }
}

TEST(legacy_frames, decoder_stays_failed) {
    legacy_decoder decoder(parse_v1_header);
    const byte_buffer bad{0x00};
    const byte_buffer good{0x01, 0x00};
    frame_piece piece;
    byte_view in = bad;
    EXPECT_EQ(decoder.next(in, piece), decode_status::error);
    in = good;
    EXPECT_EQ(decoder.next(in, piece), decode_status::error);
}

} // namespace
} // namespace zlink::zmtp
