// SPDX-License-Identifier: MPL-2.0
// Salsa20 and Poly1305 against libsodium's, for every size around their blocks and for extreme numbers.
#include "security/curve_box.hpp"
#include "security/poly1305.hpp"
#include "security/salsa20.hpp"

#include "base/random.hpp"

#include <gtest/gtest.h>

#include <array>
#include <sodium.h>
#include <vector>

namespace zlink::security {
namespace {

using bytes = std::vector<std::uint8_t>;

bytes random_bytes(std::size_t size, std::uint64_t seed) {
    random_generator random(seed);
    bytes made(size);
    for (std::uint8_t &byte : made)
        byte = static_cast<std::uint8_t>(random.next());
    return made;
}

std::vector<std::size_t> sizes() {
    std::vector<std::size_t> all;
    for (std::size_t size = 0; size < 2500; ++size)
        all.push_back(size);
    for (const std::size_t around : {4096U, 65536U, 1048576U})
        for (std::size_t size = around - 20; size < around + 20; ++size)
            all.push_back(size);
    return all;
}

TEST(salsa20, is_libsodiums) {
    ASSERT_TRUE(curve::ready());
    const bytes key = random_bytes(salsa20_key_size, 1);
    const bytes nonce = random_bytes(salsa20_nonce_size, 2);
    const bytes text = random_bytes(1048576 + 100, 3);
    bytes expected(text.size());
    bytes made(text.size() + 1);
    for (const std::size_t size : sizes()) {
        const std::uint64_t block = size % 5;
        crypto_stream_salsa20_xor_ic(expected.data(), text.data(), size, nonce.data(), block, key.data());
        made[size] = 0xEE;
        salsa20_xor(made.data(), text.data(), size, nonce.data(), block, key.data());
        ASSERT_TRUE(
            std::equal(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(size), expected.begin()))
            << size;
        ASSERT_EQ(made[size], 0xEE) << size;
    }
}

TEST(salsa20, works_in_place_and_over_the_turn_of_the_counter) {
    const bytes key = random_bytes(salsa20_key_size, 4);
    const bytes nonce = random_bytes(salsa20_nonce_size, 5);
    for (const std::uint64_t block :
         {std::uint64_t{0}, 0xFFFFFFF0 + std::uint64_t{3}, 0xFFFFFFFF + std::uint64_t{0},
          std::uint64_t{0x100000000}, std::uint64_t{0x123456789ABCDEF0}}) {
        bytes text = random_bytes(5000, block);
        bytes expected(text.size());
        crypto_stream_salsa20_xor_ic(expected.data(), text.data(), text.size(), nonce.data(), block,
                                     key.data());
        salsa20_xor(text.data(), text.data(), text.size(), nonce.data(), block, key.data());
        EXPECT_EQ(text, expected) << block;
    }
}

std::array<std::uint8_t, poly1305_tag_size> libsodiums(const std::uint8_t *from, std::size_t size,
                                                       const bytes &key) {
    std::array<std::uint8_t, poly1305_tag_size> tag;
    crypto_onetimeauth_poly1305(tag.data(), from, size, key.data());
    return tag;
}

TEST(poly1305, is_libsodiums) {
    ASSERT_TRUE(curve::ready());
    const bytes text = random_bytes(1048576 + 100, 6);
    for (const std::size_t size : sizes()) {
        const bytes key = random_bytes(poly1305_key_size, size);
        std::array<std::uint8_t, poly1305_tag_size> tag;
        poly1305(tag.data(), text.data(), size, key.data());
        ASSERT_EQ(tag, libsodiums(text.data(), size, key)) << size;
        ASSERT_TRUE(poly1305_verify(tag.data(), text.data(), size, key.data()));
        tag[size % tag.size()] ^= 0x10;
        ASSERT_FALSE(poly1305_verify(tag.data(), text.data(), size, key.data()));
    }
}

// Where carries run through all limbs, and where the result lies around the modulus.
TEST(poly1305, extreme_numbers) {
    for (const int of_text : {0x00, 0x01, 0x7F, 0x80, 0xFB, 0xFE, 0xFF})
        for (const int of_key : {0x00, 0x01, 0x02, 0x0F, 0x10, 0x7F, 0xFC, 0xFF})
            for (std::size_t size = 2000; size < 4400; size += 7) {
                const bytes text(size, static_cast<std::uint8_t>(of_text));
                const bytes key(poly1305_key_size, static_cast<std::uint8_t>(of_key));
                std::array<std::uint8_t, poly1305_tag_size> tag;
                poly1305(tag.data(), text.data(), size, key.data());
                ASSERT_EQ(tag, libsodiums(text.data(), size, key)) << of_text << " " << of_key << " " << size;
            }
}

} // namespace
} // namespace zlink::security
