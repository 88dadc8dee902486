// SPDX-License-Identifier: MPL-2.0
// The cases of RFC 6455, sections 5 and 7, and of RFC 45, from either side, split at every byte.
#include "transport/ws/ws_decoder.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "ws_bytes.hpp"

namespace zlink::transport {
namespace {

using namespace test;

const std::string ready = "\5READY\x0bSocket-Type\0\0\0\4PULL"s;
const std::string pong = "\4\5\4PONG"s;

zws_terms terms_of(ws_side side, bool bare = false, std::int64_t most = -1,
                   const std::string &mechanism = "NULL") {
    return {.side = side,
            .mechanism = mechanism,
            .bare = bare,
            .peer_type = "PULL",
            .routing_id = {},
            .max_message = most};
}

// The output without the greeting, and how it ended.
struct outcome {
    std::string out;
    bool over = false;
    bool broken = false;
    int code = 0;
    std::string ping = "none";
};

outcome decode(const zws_terms &terms, const std::string &in, std::size_t piece, std::size_t room) {
    ws_decoder decoder(terms);
    outcome found;
    std::vector<std::uint8_t> out(room);
    for (std::size_t at = 0; at < in.size() || decoder.has_pending();) {
        const auto part = bytes_of(in).subspan(at, std::min(piece, in.size() - at));
        const zws_progress done = decoder.decode(part, out);
        at += done.used;
        found.out += text_of(std::span(out).first(done.made));
        if (decoder.over())
            break;
    }
    EXPECT_GE(found.out.size(), zmtp_greeting_size);
    found.out.erase(0, zmtp_greeting_size);
    found.over = decoder.over();
    found.broken = decoder.broken();
    found.code = static_cast<int>(decoder.closing_code());
    if (decoder.has_ping())
        found.ping = text_of(decoder.take_ping());
    return found;
}

// The outcome is the same however the bytes come and wherever they go.
outcome decode(const zws_terms &terms, const std::string &in) {
    const outcome whole = decode(terms, in, in.size() + 1, in.size() + 4096);
    if (in.size() < 2000)
        for (const auto &[piece, room] :
             {std::pair<std::size_t, std::size_t>{1, 4096}, {1, 1}, {3, 7}, {4096, 1}}) {
            const outcome split = decode(terms, in, piece, room);
            EXPECT_EQ(split.out, whole.out) << piece << ' ' << room;
            EXPECT_EQ(split.broken, whole.broken) << piece << ' ' << room;
            EXPECT_EQ(split.code, whole.code) << piece << ' ' << room;
            EXPECT_EQ(split.ping, whole.ping) << piece << ' ' << room;
        }
    return whole;
}

class ws_decoder_of : public ::testing::TestWithParam<ws_side> {
  protected:
    [[nodiscard]] bool masked() const { return GetParam() == ws_side::server; } // the peer's frames are
    [[nodiscard]] std::string peer(int first, const std::string &payload) const {
        return frame(static_cast<std::uint8_t>(first), payload, masked());
    }
    // A message that has arrived, after the handshake of NULL.
    [[nodiscard]] std::string shaken(const std::string &more) const {
        return peer(0x82, "\2" + ready) + more;
    }
    [[nodiscard]] static std::string shown(const std::string &more) { return zmtp_frame(4, ready) + more; }
    [[nodiscard]] outcome after_handshake(const std::string &more) const {
        return decode(terms_of(GetParam()), shaken(more));
    }
};
std::string side_name(const ::testing::TestParamInfo<ws_side> &about) {
    return about.param == ws_side::client ? "client" : "server";
}
INSTANTIATE_TEST_SUITE_P(as, ws_decoder_of, ::testing::Values(ws_side::client, ws_side::server), side_name);

TEST_P(ws_decoder_of, the_greeting_names_the_mechanism_and_version_3_0) {
    ws_decoder decoder(terms_of(GetParam(), false, -1, "PLAIN"));
    std::vector<std::uint8_t> out(200);
    EXPECT_EQ(decoder.decode({}, out).made, 64U);
    EXPECT_EQ(text_of(std::span(out).first(12)), "\xff\0\0\0\0\0\0\0\1\x7f\3\0"s);
    EXPECT_EQ(text_of(std::span(out).subspan(12, 20)), "PLAIN" + std::string(15, '\0'));
    EXPECT_EQ(out[32], masked() ? 0 : 1);
}

TEST_P(ws_decoder_of, messages_become_frames_of_zmtp_with_their_flags) {
    for (const std::size_t size :
         {0U, 1U, 123U, 124U, 125U, 126U, 254U, 255U, 256U, 1000U, 65534U, 65535U, 70000U}) {
        const std::string body(size, 'b');
        const outcome found =
            after_handshake(peer(0x82, "\1"s + body) + peer(0x82, "\0x"s) + peer(0x82, "\2\5other"s));
        EXPECT_EQ(found.out, shown(zmtp_frame(1, body) + zmtp_frame(0, "x") + zmtp_frame(4, "\5other")))
            << size;
        EXPECT_FALSE(found.over);
    }
}

TEST_P(ws_decoder_of, fragments_are_joined) {
    const std::string body(300, 'f');
    const outcome found =
        after_handshake(peer(0x02, "") + peer(0x00, "\1"s + body) + peer(0x00, "") + peer(0x80, "end") +
                        peer(0x02, "\0"s) + peer(0x80, "") + peer(0x82, "\0z"s));
    EXPECT_EQ(found.out, shown(zmtp_frame(1, body + "end") + zmtp_frame(0, "") + zmtp_frame(0, "z")));
}

TEST_P(ws_decoder_of, a_ping_between_fragments_is_kept_for_the_answer) {
    const outcome found =
        after_handshake(peer(0x02, "\0he"s) + peer(0x89, "are you there") + peer(0x80, "llo"));
    EXPECT_EQ(found.out, shown(pong + zmtp_frame(0, "hello")));
    EXPECT_EQ(found.ping, "are you there");
}

TEST_P(ws_decoder_of, control_frames_show_that_the_peer_lives) {
    EXPECT_EQ(after_handshake(peer(0x89, "")).ping, "");
    EXPECT_EQ(after_handshake(peer(0x89, "")).out, shown(pong));
    EXPECT_EQ(after_handshake(peer(0x8A, std::string(125, 'p'))).out, shown(pong));
    EXPECT_EQ(after_handshake(peer(0x8A, std::string(125, 'p'))).ping, "none");
    EXPECT_EQ(after_handshake(peer(0x89, "1") + peer(0x89, "2")).ping, "2");
}

TEST_P(ws_decoder_of, no_command_is_made_up_in_a_handshake_or_among_sealed_messages) {
    const outcome early = decode(terms_of(GetParam()), peer(0x89, "x"));
    EXPECT_EQ(early.out, "");
    EXPECT_EQ(early.ping, "x");
    const std::string commands = peer(0x82, "\2\5HELLO") + peer(0x82, "\2\x08INITIATE");
    const outcome sealed = decode(terms_of(GetParam(), false, -1, "CURVE"), commands + peer(0x89, "x"));
    EXPECT_EQ(sealed.out, zmtp_frame(4, "\5HELLO") + zmtp_frame(4, "\x08INITIATE"));
}

TEST_P(ws_decoder_of, a_close_ends_the_connection_and_is_echoed) {
    struct row {
        std::string payload;
        int code;
        bool broken;
    };
    const std::vector<row> rows{{"", 1000, false},
                                {"\x03\xe8", 1000, false},
                                {"\x03\xe9going away \xe2\x82\xac", 1001, false},
                                {"\x03\xf3", 1011, false},
                                {"\x0b\xb8", 3000, false},
                                {"\x13\x87", 4999, false},
                                {"\x03\xe8" + std::string(123, 'x'), 1000, false},
                                {"\x03", 1002, true},
                                {"\0\0"s, 1002, true},
                                {"\x03\xe7", 1002, true}, // 999
                                {"\x03\xec", 1002, true}, // 1004
                                {"\x03\xed", 1002, true}, // 1005
                                {"\x03\xee", 1002, true}, // 1006
                                {"\x03\xf7", 1002, true}, // 1015
                                {"\x0b\xb7", 1002, true}, // 2999
                                {"\x13\x88", 1002, true}, // 5000
                                {"\xff\xff", 1002, true},
                                {"\x03\xe8\xff", 1007, true},
                                {"\x03\xe8\xc0\x80", 1007, true},
                                {"\x03\xe8\xed\xa0\x80", 1007, true},
                                {"\x03\xe8\xf4\x90\x80\x80", 1007, true},
                                {"\x03\xe8\xe2\x82", 1007, true}};
    for (const row &one : rows) {
        const outcome found = after_handshake(peer(0x88, one.payload) + peer(0x82, "\0more"s));
        EXPECT_TRUE(found.over);
        EXPECT_EQ(found.broken, one.broken) << one.payload;
        EXPECT_EQ(found.code, one.code) << one.payload;
        EXPECT_EQ(found.out, shown("")) << one.payload;
    }
}

TEST_P(ws_decoder_of, breaches_end_the_connection_with_their_code) {
    const char mask_bit = masked() ? '\x80' : '\0';
    const auto head = [&](const std::string &sizes) {
        std::string made = "\x82" + sizes + (masked() ? "\1\2\3\4"s : ""s);
        made[1] = static_cast<char>(made[1] | mask_bit);
        return made;
    };
    struct row {
        const char *name;
        std::string bytes;
        int code;
    };
    const std::vector<row> rows{
        {"the mask is the other side's", frame(0x82, "\0x"s, !masked()), 1002},
        {"a control frame has the mask of the other side", frame(0x89, "", !masked()), 1002},
        {"text", peer(0x81, "text"), 1003},
        {"text in fragments", peer(0x01, "text"), 1003},
        {"reserved bit 1", peer(0xC2, "\0x"s), 1002},
        {"reserved bit 2", peer(0xA2, "\0x"s), 1002},
        {"reserved bit 3", peer(0x92, "\0x"s), 1002},
        {"reserved code 3", peer(0x83, "\0x"s), 1002},
        {"reserved code 7", peer(0x87, "\0x"s), 1002},
        {"reserved code 11", peer(0x8B, ""), 1002},
        {"reserved code 15", peer(0x8F, ""), 1002},
        {"a continuation of nothing", peer(0x80, "\0x"s), 1002},
        {"a continuation of nothing, not the last", peer(0x00, "\0x"s), 1002},
        {"a message amid another one", peer(0x02, "\0x"s) + peer(0x82, "\0y"s), 1002},
        {"a text amid another one", peer(0x02, "\0x"s) + peer(0x81, "y"s), 1003},
        {"a ping of 126 bytes", peer(0x89, std::string(126, 'x')), 1002},
        {"a close of 126 bytes", peer(0x88, std::string(126, 'x')), 1002},
        {"a ping in fragments", peer(0x09, "x"), 1002},
        {"a close in fragments", peer(0x08, "\x03\xe8"), 1002},
        {"125 in the form of 2 bytes", head("\x7e\x00\x7d"s), 1002},
        {"0 in the form of 2 bytes", head("\x7e\x00\x00"s), 1002},
        {"65535 in the form of 8 bytes", head("\x7f\0\0\0\0\0\0\xff\xff"s), 1002},
        {"2^63", head("\x7f\x80\0\0\0\0\0\0\0"s), 1002},
        {"2^64-1", head("\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s), 1002},
        {"a message without flags", peer(0x82, ""), 1002},
        {"a message in fragments without flags", peer(0x02, "") + peer(0x80, ""), 1002},
        {"unknown flags", peer(0x82, "\3x"), 1002},
        {"unknown flags in fragments", peer(0x02, "\x80x") + peer(0x80, ""), 1002},
    };
    for (const row &one : rows) {
        const outcome found = after_handshake(one.bytes + peer(0x82, "\0more"s));
        EXPECT_TRUE(found.broken) << one.name;
        EXPECT_EQ(found.code, one.code) << one.name;
        EXPECT_EQ(found.out, shown("")) << one.name;
    }
}

// The reader refuses it, as over tcp.
TEST_P(ws_decoder_of, a_size_of_2_to_63_less_1_is_shown_to_the_reader) {
    std::string head = "\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff" + (masked() ? "\0\0\0\0"s : ""s);
    head[1] = static_cast<char>(head[1] | (masked() ? '\x80' : '\0'));
    const outcome found = after_handshake(head + "\0"s);
    EXPECT_EQ(found.out, shown("\2\x7f\xff\xff\xff\xff\xff\xff\xfe"s));
}

TEST_P(ws_decoder_of, fragments_take_no_more_memory_than_the_longest_message) {
    const zws_terms terms = terms_of(GetParam(), false, 100);
    const std::string begun = shaken(peer(0x02, "\0"s + std::string(60, 'x')));
    const outcome fits = decode(terms, begun + peer(0x80, std::string(40, 'y')));
    EXPECT_EQ(fits.out, shown(zmtp_frame(0, std::string(60, 'x') + std::string(40, 'y'))));
    const outcome found = decode(terms, begun + peer(0x00, std::string(41, 'y')), 4096, 4096);
    EXPECT_EQ(found.out, shown("\0\x65"s));
    EXPECT_TRUE(found.over);
    // A peer that has not finished its handshake gets no more than a handshake needs.
    const outcome early = decode(terms_of(GetParam()), peer(0x02, "\2"s + std::string(70'000, 'x')));
    EXPECT_TRUE(early.broken);
}

TEST_P(ws_decoder_of, with_bare_terms_the_first_message_is_the_routing_id) {
    const std::string metadata = "\5READY\x0bSocket-Type\0\0\0\4PULL\x08Identity\0\0\0\2id"s;
    for (const std::string &first : {peer(0x82, "\0id"s), peer(0x02, "\0"s) + peer(0x80, "id")}) {
        const outcome found =
            decode(terms_of(GetParam(), true), first + peer(0x82, "\1a"s) + peer(0x82, "\0b"s));
        EXPECT_EQ(found.out, zmtp_frame(4, metadata) + zmtp_frame(1, "a") + zmtp_frame(0, "b"));
    }
    const outcome longest = decode(terms_of(GetParam(), true), peer(0x82, "\0"s + std::string(255, 'i')));
    EXPECT_FALSE(longest.broken);
    EXPECT_TRUE(decode(terms_of(GetParam(), true), peer(0x82, "\0"s + std::string(256, 'i'))).broken);
    EXPECT_TRUE(decode(terms_of(GetParam(), true), peer(0x82, "\1id")).broken);
    EXPECT_TRUE(decode(terms_of(GetParam(), true), peer(0x82, "\2id")).broken);
}

// Its own limit holds, and not that of messages, however the bytes come.
TEST_P(ws_decoder_of, the_limit_of_messages_does_not_count_in_the_handshake) {
    for (const std::size_t size : {99U, 101U, 255U, 256U, 1000U}) {
        const outcome bare =
            decode(terms_of(GetParam(), true, 100), peer(0x82, "\0"s + std::string(size, 'i')));
        EXPECT_EQ(bare.broken, size > 255) << size;
        const outcome command = decode(terms_of(GetParam(), false, 100),
                                       peer(0x02, "\2"s + std::string(size, 'c')) + peer(0x80, ""));
        EXPECT_FALSE(command.broken) << size;
        EXPECT_EQ(command.out, zmtp_frame(4, std::string(size, 'c'))) << size;
    }
}

// Messages of many sizes, one behind the other, with a few others between them. The borders of a small frame
// are among the sizes.
TEST_P(ws_decoder_of, a_row_of_small_messages_is_the_same_wherever_it_is_cut) {
    std::string in = peer(0x82, "\2" + ready);
    std::string expected = zmtp_frame(4, ready);
    for (const std::size_t size : {64U, 64U, 64U, 0U,  1U,  123U, 124U, 125U, 126U, 64U,  64U, 300U, 64U, 15U,
                                   16U, 17U, 64U, 64U, 64U, 64U,  64U,  124U, 124U, 124U, 2U,  2U,   2U}) {
        std::string body;
        for (std::size_t i = 0; i < size; ++i)
            body += static_cast<char>(i * 7 + size);
        const char more = size % 3 == 0 ? '\1' : '\0';
        in += peer(0x82, std::string(1, more) + body);
        expected += zmtp_frame(more, body);
        if (size == 17) {
            in += peer(0x89, "hello");
            in += peer(0x02, "\0frag"s) + peer(0x80, "ment");
            expected += pong + zmtp_frame(0, "fragment");
        }
    }
    for (const std::size_t room : {1U, 150U, 1000U, 4096U}) {
        const outcome found = decode(terms_of(GetParam()), in, in.size(), room);
        EXPECT_FALSE(found.broken) << room;
        EXPECT_TRUE(found.out == expected) << room;
        EXPECT_EQ(found.ping, "hello") << room;
    }
    for (std::size_t piece = 1; piece < in.size(); ++piece)
        ASSERT_TRUE(decode(terms_of(GetParam()), in, piece, 4096).out == expected) << piece;
}

TEST_P(ws_decoder_of, a_wrong_frame_in_a_row_of_small_ones_breaks_the_rules) {
    std::string row;
    for (int count = 0; count < 20; ++count)
        row += peer(0x82, std::string(1, '\0') + std::string(64, 'x'));
    const std::string other_way = frame(0x82, std::string(1, '\0') + std::string(64, 'x'), !masked());
    for (const std::string &wrong : {peer(0x82, "\3bad"), peer(0x82, ""), peer(0xC2, "\0x"s), other_way})
        EXPECT_TRUE(decode(terms_of(GetParam()), row + wrong + row, 100'000, 100'000).broken);
}

TEST(utf8, the_borders_of_each_size) {
    for (const char *good : {"", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                             "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_TRUE(is_utf8(bytes_of(good))) << good;
    for (const char *bad :
         {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xed\xa0\x80",
          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xe2\x82\x41"})
        EXPECT_FALSE(is_utf8(bytes_of(bad))) << bad;
}

} // namespace
} // namespace zlink::transport
