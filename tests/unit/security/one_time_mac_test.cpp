// SPDX-License-Identifier: MPL-2.0
// The tags of OpenSSL and libsodium are the same, whatever the message's size and pieces, and whatever
// OpenSSL lacks. OpenSSL gets its memory from the functions below, which can refuse.
#include "security/one_time_mac.hpp"

#include "base/random.hpp"
#include "security/curve_cipher.hpp"
#include "unit/security/some_body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <optional>
#include <sodium.h>
#include <string>
#include <thread>
#include <vector>

namespace zlink::security {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

// How much OpenSSL may still allocate, its blocks since that is limited, and its requests without success.
// OpenSSL 3.0 itself loses some when a library context cannot be made; its blocks are therefore kept
// here, where a search for leaks finds it. Threads: those of a test that limits.
struct {
    std::size_t left = unlimited;
    std::size_t refused = 0;
    std::vector<void *> &given = *new std::vector<void *>;
} memory;

void *noted(void *given) {
    if (memory.left != unlimited) {
        --memory.left;
        memory.given.push_back(given);
    }
    return given;
}

bool refuses() {
    if (memory.left != 0)
        return false;
    ++memory.refused;
    return true;
}

void *allocate(std::size_t size, const char * /*file*/, int /*line*/) {
    return refuses() ? nullptr : noted(std::malloc(size));
}

void *reallocate(void *old, std::size_t size, const char * /*file*/, int /*line*/) {
    return refuses() ? nullptr : noted(std::realloc(old, size));
}

void release(void *old, const char * /*file*/, int /*line*/) {
    std::free(old);
}

// OpenSSL takes them only before its first allocation.
const bool installed = CRYPTO_set_mem_functions(allocate, reallocate, release) == 1;

class scarce {
  public:
    explicit scarce(std::size_t allocations) {
        memory.left = allocations;
        memory.refused = 0;
    }
    ~scarce() { memory.left = unlimited; }
    scarce(const scarce &) = delete;
    scarce &operator=(const scarce &) = delete;
    [[nodiscard]] static bool refused() { return memory.refused != 0; }
};

curve::key key_of(std::uint64_t seed) {
    random_generator random(seed);
    curve::key key;
    for (std::uint8_t &byte : key)
        byte = static_cast<std::uint8_t>(random.next());
    return key;
}

one_time_mac::tag expected(const bytes &message, const curve::key &key) {
    one_time_mac::tag tag;
    crypto_onetimeauth_poly1305(tag.data(), message.data(), message.size(), key.data());
    return tag;
}

std::optional<one_time_mac::tag> in_pieces(one_time_mac &mac, const bytes &message, const curve::key &key,
                                           random_generator &random, std::size_t most) {
    mac.begin(key, message.size());
    const zmtp::byte_view all(message);
    for (std::size_t at = 0; at < all.size();) {
        const std::size_t size = std::min<std::size_t>(random.next() % (most + 1), all.size() - at);
        mac.update(all.subspan(at, size));
        at += size;
    }
    return mac.finish();
}

TEST(one_time_mac, is_poly1305_for_every_size) {
    one_time_mac mac;
    for (std::size_t size = 0; size < 3 * one_time_mac::long_message; ++size) {
        const bytes message = some_body(size);
        const curve::key key = key_of(size);
        ASSERT_EQ(mac.of(message, key), expected(message, key)) << size;
    }
    for (const std::size_t size : {4095U, 4096U, 4097U, 65535U, 65536U, 65553U, 1000001U}) {
        const bytes message = some_body(size);
        ASSERT_EQ(mac.of(message, key_of(size)), expected(message, key_of(size))) << size;
    }
}

TEST(one_time_mac, is_the_same_in_any_pieces) {
    one_time_mac mac;
    random_generator random(7);
    for (const std::size_t size : {0U, 1U, 511U, 512U, 513U, 1025U, 8191U, 65569U})
        for (const std::size_t most : {1U, 17U, 64U, 1000U, 32768U})
            for (int turn = 0; turn < 5; ++turn) {
                const bytes message = some_body(size);
                const curve::key key = key_of(size + most);
                ASSERT_EQ(in_pieces(mac, message, key, random, most), expected(message, key))
                    << size << " in pieces of up to " << most;
            }
}

// Keys at the edges of the arithmetic: all ones, nothing, and messages of all ones.
TEST(one_time_mac, carries_as_libsodium_does) {
    one_time_mac mac;
    for (const unsigned filled : {0x00U, 0x01U, 0x7FU, 0xFFU}) {
        curve::key key;
        key.fill(static_cast<std::uint8_t>(filled));
        for (const std::size_t size : {511U, 512U, 1024U, 4099U, 65536U}) {
            const bytes message(size, 0xFF);
            EXPECT_EQ(mac.of(message, key), expected(message, key)) << size << " with " << filled;
        }
    }
}

TEST(one_time_mac, one_changed_bit_changes_the_tag) {
    one_time_mac mac;
    const curve::key key = key_of(1);
    bytes message = some_body(2000);
    const auto before = mac.of(message, key);
    for (std::size_t at = 0; at < message.size(); at += 37) {
        message[at] ^= 0x80;
        EXPECT_NE(mac.of(message, key), before) << at;
        message[at] ^= 0x80;
    }
}

TEST(one_time_mac, asks_openssl_for_long_messages_only_and_once) {
    ASSERT_TRUE(installed);
    one_time_mac mac;
    const bytes little = some_body(one_time_mac::long_message - 1);
    const bytes large = some_body(one_time_mac::long_message);
    {
        const scarce none(0);
        EXPECT_EQ(mac.of(little, key_of(1)), expected(little, key_of(1)));
        EXPECT_FALSE(scarce::refused());
    }
    {
        const std::size_t before = memory.given.size();
        const scarce enough(unlimited - 1);
        EXPECT_EQ(mac.of(large, key_of(1)), expected(large, key_of(1)));
        EXPECT_GT(memory.given.size(), before);
    }
    const scarce none(0);
    for (std::uint64_t turn = 0; turn < 100; ++turn)
        EXPECT_EQ(mac.of(large, key_of(turn)), expected(large, key_of(turn)));
    EXPECT_FALSE(scarce::refused());
}

bool works_with(std::size_t allocations, const bytes &message) {
    random_generator random(allocations);
    const curve::key key = key_of(allocations);
    const scarce few(allocations);
    one_time_mac mac;
    EXPECT_EQ(mac.of(message, key), expected(message, key)) << allocations;
    EXPECT_EQ(in_pieces(mac, message, key, random, 900), expected(message, key)) << allocations;
    EXPECT_EQ(ERR_peek_error(), 0U) << allocations;
    return !scarce::refused();
}

TEST(one_time_mac, does_without_openssl_where_memory_fails) {
    ASSERT_TRUE(installed);
    const bytes message = some_body(5000);
    // Loading Poly1305 takes some thousand allocations.
    std::size_t allocations = 0;
    while (!works_with(allocations, message))
        allocations += 1 + allocations / 16;
    // The context alone takes a few.
    EXPECT_FALSE(works_with(0, message));
    EXPECT_FALSE(works_with(1, message));
}

bool crosses(curve_cipher &from, curve_cipher &to, const bytes &body) {
    bytes wire(from.sealed_size(body.size()));
    from.seal(0, body, wire.data());
    wire.erase(wire.begin(), wire.end() - static_cast<std::ptrdiff_t>(body.size() + from.least_sealed()));
    for (std::size_t there = 1; there < wire.size(); there += 10001)
        if (!to.open_ahead(wire, there))
            return false;
    const auto opened = to.open(wire, wire.data());
    return opened && std::equal(opened->body.begin(), opened->body.end(), body.begin(), body.end());
}

void expect_crossing(curve_cipher &from, curve_cipher &to) {
    for (const std::size_t size : {511U, 512U, 4096U, 65536U, 100000U})
        EXPECT_TRUE(crosses(from, to, some_body(size))) << size;
}

TEST(one_time_mac, no_frame_is_lost_where_memory_fails) {
    ASSERT_TRUE(installed);
    const curve::key key = key_of(9);
    using side = curve_cipher::side;
    const scarce none(0);
    curve_cipher poor_client(side::client, key, 3, 1);
    curve_cipher poor_server(side::server, key, 2, 2);
    expect_crossing(poor_client, poor_server);
    expect_crossing(poor_server, poor_client);
    EXPECT_TRUE(scarce::refused());
    memory.left = unlimited;
    curve_cipher rich_client(side::client, key, 100, 1);
    curve_cipher rich_server(side::server, key, 100, 2);
    expect_crossing(rich_client, poor_server);
    expect_crossing(rich_server, poor_client);
}

bool holds(const void *place, std::size_t size, const curve::key &key) {
    // The second half is added to the tag at the end; it lies in a state as it is.
    const std::string state(static_cast<const char *>(place), size);
    const std::string half(reinterpret_cast<const char *>(key.data()) + 16, 8);
    return state.find(half) != std::string::npos;
}

TEST(one_time_mac, forgets_the_key) {
    alignas(one_time_mac) unsigned char place[sizeof(one_time_mac)] = {};
    const curve::key key = key_of(5);
    const bytes message = some_body(100);
    auto *mac = new (place) one_time_mac;
    mac->begin(key, message.size());
    mac->update(message);
    EXPECT_TRUE(holds(place, sizeof place, key)); // or this test sees nothing
    EXPECT_EQ(mac->finish(), expected(message, key));
    EXPECT_FALSE(holds(place, sizeof place, key));
    mac->begin(key, message.size());
    std::destroy_at(mac);
    EXPECT_FALSE(holds(place, sizeof place, key));
}

// As in a static object's destructor, or in a program that cleans up early.
TEST(one_time_mac, outlives_openssl) {
    const bytes message = some_body(3000);
    const auto right = [&message](one_time_mac &mac) {
        return mac.of(message, key_of(6)) == expected(message, key_of(6));
    };
    const auto cleaned_up_before = [&] {
        OPENSSL_cleanup();
        one_time_mac mac;
        std::_Exit(right(mac) ? 0 : 1);
    };
    const auto cleaned_up_between = [&] {
        bool fine = false;
        {
            one_time_mac mac;
            fine = right(mac);
            OPENSSL_cleanup();
            fine = right(mac) && fine;
        }
        one_time_mac another;
        std::_Exit(fine && right(another) ? 0 : 1);
    };
    EXPECT_EXIT(cleaned_up_before(), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(cleaned_up_between(), testing::ExitedWithCode(0), "");
}

TEST(one_time_mac, threads_come_at_once) {
    const bytes message = some_body(3000);
    std::vector<std::thread> threads;
    std::vector<one_time_mac::tag> tags(8);
    for (std::size_t index = 0; index < tags.size(); ++index)
        threads.emplace_back([&message, &tag = tags[index]] {
            one_time_mac mac;
            tag = mac.of(message, key_of(4));
        });
    for (std::thread &thread : threads)
        thread.join();
    for (const one_time_mac::tag &tag : tags)
        EXPECT_EQ(tag, expected(message, key_of(4)));
}

} // namespace
} // namespace zlink::security
