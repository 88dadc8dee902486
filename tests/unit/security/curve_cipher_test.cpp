// SPDX-License-Identifier: MPL-2.0
// Frames of CURVE against NaCl's own crypto_box, and everything that may be done to them on the way.
#include "security/curve_cipher.hpp"

#include "base/bytes.hpp"
#include "message/frame_header.hpp"
#include "security/curve_commands.hpp"
#include "unit/security/some_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <sodium.h>
#include <vector>

namespace zlink::security {
namespace {

using side = curve_cipher::side;
constexpr std::size_t before_body = 33; // name, number, tag, flags

curve::key some_key() {
    curve::key key;
    for (std::size_t index = 0; index < key.size(); ++index)
        key[index] = static_cast<std::uint8_t>(7 * index + 1);
    return key;
}

struct ends {
    curve_cipher client{side::client, some_key(), 3, 1};
    curve_cipher server{side::server, some_key(), 2, 2};
};

// The sealed frame, without its header.
bytes sealed(curve_cipher &from, const bytes &body, std::uint8_t flags = 0) {
    bytes wire(from.sealed_size(body.size()));
    from.seal(flags, body, wire.data());
    const frame_header header = parse_frame_header(wire.data(), wire.size());
    EXPECT_EQ(header.status, header_status::ok);
    EXPECT_EQ(header.flags & ~frame_flag::large, 0);
    EXPECT_EQ(header.header_size + header.body_size, wire.size());
    wire.erase(wire.begin(), wire.begin() + header.header_size);
    return wire;
}

// Opens it in both ways, each with a cipher of its own, and checks that both say the same.
bool opens(const bytes &wire, const bytes &body, std::uint8_t flags = 0) {
    bool both[2];
    for (const bool in_place : {false, true}) {
        ends there;
        bytes copy = wire;
        bytes elsewhere(wire.size());
        const auto frame = there.server.open(copy, in_place ? copy.data() : elsewhere.data());
        both[in_place] =
            frame && frame->flags == flags && bytes(frame->body.begin(), frame->body.end()) == body;
        if (!in_place) {
            EXPECT_EQ(copy, wire);
        }
        if (frame && !both[in_place])
            ADD_FAILURE() << "opened as something else";
    }
    EXPECT_EQ(both[0], both[1]);
    return both[0];
}

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> all;
    for (std::size_t size = 0; size < 700; ++size)
        all.push_back(size);
    for (const std::size_t around : {1024U, 2048U, 4096U, 8192U, 16384U, 65536U, 262144U})
        for (std::size_t size = around - 34; size < around + 34; ++size)
            all.push_back(size);
    return all;
}

TEST(curve_cipher, makes_the_boxes_of_nacl) {
    ASSERT_TRUE(curve::ready());
    for (const std::size_t size : sizes()) {
        const bytes body = some_body(size);
        ends here;
        const bytes wire = sealed(here.client, body, frame_flag::more);
        bytes plain{1};
        plain.insert(plain.end(), body.begin(), body.end());
        bytes expected{7, 'M', 'E', 'S', 'S', 'A', 'G', 'E', 0, 0, 0, 0, 0, 0, 0, 3};
        expected.resize(expected.size() + crypto_box_MACBYTES + plain.size());
        const curve::nonce nonce = curve::make_nonce("CurveZMQMESSAGEC", 3);
        crypto_box_easy_afternm(expected.data() + 16, plain.data(), plain.size(), nonce.data(),
                                some_key().data());
        ASSERT_EQ(wire, expected) << size;
        ASSERT_TRUE(opens(wire, body, frame_flag::more)) << size;
    }
}

// Decrypts in steps of so many bytes. Returns nothing if it was refused, on the way or at the end.
std::optional<bytes> opened_ahead(curve_cipher &with, bytes wire, std::size_t step) {
    bytes arrived(wire.size(), 0xEE);
    for (std::size_t there = 0; there < wire.size();) {
        const std::size_t next = std::min(there + step, wire.size());
        std::copy(wire.begin() + static_cast<std::ptrdiff_t>(there),
                  wire.begin() + static_cast<std::ptrdiff_t>(next),
                  arrived.begin() + static_cast<std::ptrdiff_t>(there));
        there = next;
        if (!with.open_ahead(arrived, there))
            return std::nullopt;
    }
    const auto frame = with.open(arrived, arrived.data());
    if (!frame)
        return std::nullopt;
    return bytes(frame->body.begin(), frame->body.end());
}

TEST(curve_cipher, opens_what_arrives_in_pieces) {
    ends here;
    for (const std::size_t size :
         {0U, 31U, 32U, 510U, 511U, 512U, 8191U, 8192U, 8193U, 20000U, 65535U, 65536U, 200001U})
        for (const std::size_t step : {61U, 64U, 1448U, 8192U, 9001U, 32768U, 65483U, 300000U}) {
            const bytes body = some_body(size);
            const bytes wire = sealed(here.client, body);
            ASSERT_EQ(opened_ahead(here.server, wire, step), body) << size << " in steps of " << step;
            ASSERT_EQ(opened_ahead(here.server, wire, step), std::nullopt) << "again: " << size;
        }
}

TEST(curve_cipher, refuses_what_was_changed_in_any_piece) {
    const bytes body = some_body(70000);
    ends here;
    const bytes wire = sealed(here.client, body);
    for (const std::size_t at : {0U, 8U, 16U, 31U, 32U, 33U, 63U, 64U, 8191U, 40000U, 69999U}) {
        bytes changed = wire;
        changed[at] ^= 0x10;
        ends there;
        EXPECT_EQ(opened_ahead(there.server, changed, 10000), std::nullopt) << at;
        if (at > 15) { // with the number it is another frame's
            EXPECT_EQ(opened_ahead(there.server, wire, 10000), body) << at;
        }
    }
}

TEST(curve_cipher, carries_the_flags_inside) {
    for (const std::uint8_t flags : {std::uint8_t{0}, frame_flag::more, frame_flag::command}) {
        ends here;
        EXPECT_TRUE(opens(sealed(here.client, {1, 2, 3}, flags), {1, 2, 3}, flags));
    }
}

TEST(curve_cipher, both_directions_go_on) {
    ends here;
    for (int turn = 0; turn < 1000; ++turn) {
        const bytes body = some_body(static_cast<std::size_t>(turn));
        bytes there = sealed(here.client, body);
        auto frame = here.server.open(there, there.data());
        ASSERT_TRUE(frame && bytes(frame->body.begin(), frame->body.end()) == body);
        bytes back = sealed(here.server, body);
        frame = here.client.open(back, back.data());
        ASSERT_TRUE(frame && bytes(frame->body.begin(), frame->body.end()) == body);
    }
}

TEST(curve_cipher, a_frame_opens_for_nobody_else) {
    ends here;
    const bytes body = some_body(100);
    bytes wire = sealed(here.client, body);
    curve::key other = some_key();
    other[0] ^= 1;
    curve_cipher stranger(side::server, other, 2, 2);
    curve_cipher client(side::client, some_key(), 3, 1);
    bytes room(wire.size());
    EXPECT_FALSE(stranger.open(wire, room.data()));
    EXPECT_FALSE(client.open(wire, room.data())); // its own, sent back
}

TEST(curve_cipher, no_bit_can_be_changed) {
    for (const std::size_t size : {0U, 1U, 31U, 32U, 100U, 300U, 511U, 1100U}) {
        const bytes body = some_body(size);
        ends here;
        const bytes wire = sealed(here.client, body);
        for (std::size_t place = 0; place < wire.size(); ++place)
            for (int bit = 0; bit < 8; ++bit) {
                bytes changed = wire;
                changed[place] = static_cast<std::uint8_t>(changed[place] ^ (1 << bit));
                ASSERT_FALSE(opens(changed, body)) << size << " at " << place;
            }
    }
}

TEST(curve_cipher, no_byte_can_be_cut_off_or_added) {
    const bytes body = some_body(100);
    ends here;
    const bytes wire = sealed(here.client, body);
    for (std::size_t size = 0; size < wire.size(); ++size) {
        const bytes cut(wire.begin(), wire.begin() + static_cast<std::ptrdiff_t>(size));
        ASSERT_FALSE(opens(cut, body)) << size;
    }
    bytes longer = wire;
    longer.push_back(0);
    EXPECT_FALSE(opens(longer, body));
    EXPECT_EQ(here.client.least_sealed(), before_body);
}

TEST(curve_cipher, no_frame_is_taken_twice_or_late) {
    ends here;
    const bytes body = some_body(50);
    const bytes first = sealed(here.client, body);
    const bytes second = sealed(here.client, body);
    const bytes third = sealed(here.client, body);
    bytes room(first.size());
    EXPECT_TRUE(here.server.open(second, room.data())); // gaps are allowed, RFC 26 says rising
    EXPECT_FALSE(here.server.open(second, room.data()));
    EXPECT_FALSE(here.server.open(first, room.data()));
    EXPECT_TRUE(here.server.open(third, room.data()));
}

// A forged frame with a high number must not keep genuine ones out.
TEST(curve_cipher, a_forged_number_counts_for_nothing) {
    ends here;
    const bytes genuine = sealed(here.client, some_body(50));
    bytes forged = genuine;
    store_big_endian_64(forged.data() + 8, 0xFFFFFFFFFFFFFFFF);
    bytes room(genuine.size());
    EXPECT_FALSE(here.server.open(forged, room.data()));
    EXPECT_FALSE(here.server.open(forged, forged.data()));
    EXPECT_TRUE(here.server.open(genuine, room.data()));
}

// Sealed by a genuine peer, but against the specification.
TEST(curve_cipher, reserved_flags_end_it) {
    for (const std::uint8_t flags : {std::uint8_t{0x04}, std::uint8_t{0x80}, std::uint8_t{0xFF}}) {
        const bytes plain{flags, 'x'};
        bytes wire{7, 'M', 'E', 'S', 'S', 'A', 'G', 'E', 0, 0, 0, 0, 0, 0, 0, 9};
        wire.resize(wire.size() + crypto_box_MACBYTES + plain.size());
        const curve::nonce nonce = curve::make_nonce("CurveZMQMESSAGEC", 9);
        crypto_box_easy_afternm(wire.data() + 16, plain.data(), plain.size(), nonce.data(),
                                some_key().data());
        EXPECT_FALSE(opens(wire, {'x'}));
    }
}

} // namespace
} // namespace zlink::security
