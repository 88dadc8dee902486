// SPDX-License-Identifier: MPL-2.0
// The frames that are sent: their bytes as a server, and what a decoder makes of those of a client.
#include "transport/ws/ws_encoder.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "transport/ws/ws_decoder.hpp"
#include "ws_bytes.hpp"

namespace zlink::transport {
namespace {

using namespace test;

const std::string greeting(64, 'g');
const std::string ready = "\5READY\x0bSocket-Type\0\0\0\4PUSH"s;

zws_terms terms_of(ws_side side, bool bare = false) {
    return {.side = side, .bare = bare, .peer_type = "PULL", .routing_id = "me"};
}

std::string encode(const zws_terms &terms, const std::string &in, std::size_t piece, std::size_t room) {
    ws_encoder encoder(terms);
    std::string all;
    std::vector<std::uint8_t> out(room);
    for (std::size_t at = 0; at < in.size();) {
        const zws_progress done =
            encoder.encode(bytes_of(in).subspan(at, std::min(piece, in.size() - at)), out);
        at += done.used;
        all += text_of(std::span(out).first(done.made));
    }
    EXPECT_TRUE(encoder.at_boundary());
    EXPECT_FALSE(encoder.failed());
    return all;
}

std::string decoded(ws_side side, const std::string &in) {
    const zws_terms terms = terms_of(side);
    ws_decoder decoder(terms);
    std::vector<std::uint8_t> out(in.size() + 1000);
    const zws_progress done = decoder.decode(bytes_of(in), out);
    EXPECT_EQ(done.used, in.size());
    EXPECT_FALSE(decoder.broken());
    return text_of(std::span(out).first(done.made)).substr(zmtp_greeting_size);
}

TEST(ws_encoder, a_server_sends_each_frame_as_a_message_without_a_mask) {
    for (const std::size_t size : {0U, 1U, 124U, 125U, 255U, 256U, 65534U, 65535U, 66000U}) {
        const std::string body(size, 'b');
        const std::string in = greeting + zmtp_frame(4, ready) + zmtp_frame(1, body) + zmtp_frame(0, "end");
        const std::string expected =
            frame(0x82, "\2" + ready, false) + frame(0x82, "\1" + body, false) + frame(0x82, "\0end"s, false);
        EXPECT_EQ(encode(terms_of(ws_side::server), in, in.size(), 4096), expected) << size;
        for (std::size_t piece = 1; size < 1000 && piece < 20; ++piece)
            EXPECT_EQ(encode(terms_of(ws_side::server), in, piece, 600), expected) << size << ' ' << piece;
    }
}

TEST(ws_encoder, a_client_masks_each_frame_by_another_key) {
    for (const std::size_t size :
         {0U, 1U, 2U, 3U, 15U, 16U, 17U, 63U, 64U, 65U, 255U, 256U, 65535U, 70000U}) {
        std::string body;
        for (std::size_t i = 0; i < size; ++i)
            body += static_cast<char>(i * 7);
        const std::string frames = zmtp_frame(4, ready) + zmtp_frame(1, body) + zmtp_frame(0, body);
        for (const std::size_t piece : {std::size_t{1}, std::size_t{5}, std::size_t{1'000'000}}) {
            const std::string out = encode(terms_of(ws_side::client), greeting + frames, piece, 4096);
            EXPECT_EQ(decoded(ws_side::server, out), frames) << size << ' ' << piece;
        }
    }
    const std::string one = encode(terms_of(ws_side::client), greeting + zmtp_frame(0, "x"), 100, 4096);
    const std::string other = encode(terms_of(ws_side::client), greeting + zmtp_frame(0, "x"), 100, 4096);
    EXPECT_NE(one.substr(2, 4), other.substr(2, 4));
}

TEST(ws_encoder, a_ping_of_zmtp_becomes_one_of_websocket) {
    const std::string in = greeting + zmtp_frame(4, ready) + zmtp_frame(4, "\4PING\0\x0a"s) +
                           zmtp_frame(4, "\4PING\0\x0a"s + std::string(16, 'c')) +
                           zmtp_frame(4, "\4PONGcontext") + zmtp_frame(4, "\4PIN"s);
    for (std::size_t piece = 1; piece < 30; ++piece)
        EXPECT_EQ(encode(terms_of(ws_side::server), in, piece, 4096),
                  frame(0x82, "\2" + ready, false) + frame(0x89, "\0\x0a"s, false) +
                      frame(0x89, "\0\x0a"s + std::string(16, 'c'), false) +
                      frame(0x82, "\2\4PONGcontext", false) + frame(0x82, "\2\4PIN", false));
}

TEST(ws_encoder, with_bare_terms_the_routing_id_goes_out_for_the_metadata) {
    for (std::size_t piece = 1; piece < 90; ++piece) {
        const std::string in = greeting + zmtp_frame(4, ready + std::string(300, 'm')) + zmtp_frame(0, "x");
        EXPECT_EQ(encode(terms_of(ws_side::server, true), in, piece, 4096),
                  frame(0x82, "\0me"s, false) + frame(0x82, "\0x"s, false));
        EXPECT_EQ(
            encode(terms_of(ws_side::server, true), greeting + zmtp_frame(4, "\5ERROR\3400"), piece, 4096),
            "");
    }
}

TEST(ws_encoder, a_large_body_of_a_server_may_be_sent_as_it_is) {
    const zws_terms terms = terms_of(ws_side::server);
    ws_encoder encoder(terms);
    std::vector<std::uint8_t> out(600);
    const std::string in = greeting + zmtp_frame(0, std::string(100'000, 'x')).substr(0, 9);
    const zws_progress done = encoder.encode(bytes_of(in), out);
    EXPECT_EQ(done.used, in.size());
    EXPECT_EQ(encoder.direct_left(), 100'000U);
    EXPECT_FALSE(encoder.at_boundary());
    encoder.sent_directly(100'000);
    EXPECT_TRUE(encoder.at_boundary());
}

TEST(ws_encoder, a_row_of_small_frames_is_the_same_wherever_it_is_cut) {
    std::string frames = zmtp_frame(4, ready);
    std::string expected = frame(0x82, "\2" + ready, false);
    for (const std::size_t size : {64U, 64U, 64U, 0U,  1U,  123U, 124U, 125U, 126U, 64U, 64U, 300U, 64U,
                                   15U, 16U, 17U, 64U, 64U, 64U,  124U, 124U, 124U, 2U,  2U,  2U}) {
        std::string body;
        for (std::size_t i = 0; i < size; ++i)
            body += static_cast<char>(i * 7 + size);
        const char more = size % 3 == 0 ? '\1' : '\0';
        frames += zmtp_frame(more, body);
        expected += frame(0x82, std::string(1, more) + body, false);
    }
    const std::string in = greeting + frames;
    for (std::size_t piece = 1; piece <= in.size(); ++piece) {
        ASSERT_TRUE(encode(terms_of(ws_side::server), in, piece, 4096) == expected) << piece;
        ASSERT_TRUE(decoded(ws_side::server, encode(terms_of(ws_side::client), in, piece, 700)) == frames);
    }
}

} // namespace
} // namespace zlink::transport
