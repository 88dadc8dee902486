// SPDX-License-Identifier: MPL-2.0
#include "security/curve_box.hpp"

#include "base/bytes.hpp"

#include <algorithm>
#include <cassert>
#include <sodium.h>

namespace zlink::security::curve {

static_assert(key_size == crypto_box_PUBLICKEYBYTES && key_size == crypto_box_SECRETKEYBYTES &&
              key_size == crypto_box_BEFORENMBYTES && key_size == crypto_secretbox_KEYBYTES);
static_assert(nonce_size == crypto_box_NONCEBYTES && nonce_size == crypto_secretbox_NONCEBYTES);
static_assert(box_overhead == crypto_box_MACBYTES && box_overhead == crypto_secretbox_MACBYTES);

bool ready() noexcept {
    static const bool initialised = sodium_init() >= 0;
    return initialised;
}

key_pair make_key_pair() noexcept {
    key_pair made;
    crypto_box_keypair(made.public_key.data(), made.secret_key.data());
    return made;
}

key public_key_of(const key &secret_key) noexcept {
    key made{};
    [[maybe_unused]] const int failed = crypto_scalarmult_base(made.data(), secret_key.data());
    return made;
}

key random_key() noexcept {
    key made;
    randombytes_buf(made.data(), made.size());
    return made;
}

long_nonce random_long_nonce() noexcept {
    long_nonce made;
    randombytes_buf(made.data(), made.size());
    return made;
}

void wipe(key &secret) noexcept {
    sodium_memzero(secret.data(), secret.size());
}

key_pair::~key_pair() {
    wipe(secret_key);
}

secret_bytes::~secret_bytes() {
    sodium_memzero(bytes.data(), bytes.size());
}

nonce make_nonce(std::string_view prefix, std::uint64_t number) noexcept {
    assert(prefix.size() + short_nonce_size == nonce_size);
    nonce made;
    std::copy(prefix.begin(), prefix.end(), made.begin());
    store_big_endian_64(made.data() + prefix.size(), number);
    return made;
}

nonce make_nonce(std::string_view prefix, const long_nonce &random) noexcept {
    assert(prefix.size() + long_nonce_size == nonce_size);
    nonce made;
    std::copy(random.begin(), random.end(), std::copy(prefix.begin(), prefix.end(), made.begin()));
    return made;
}

bool append_box(zmtp::byte_buffer &out, zmtp::byte_view plain, const nonce &with, const key &to,
                const key &from_secret) {
    const std::size_t before = out.size();
    out.resize(before + box_overhead + plain.size());
    if (crypto_box_easy(out.data() + before, plain.data(), plain.size(), with.data(), to.data(),
                        from_secret.data()) == 0)
        return true;
    out.resize(before);
    return false;
}

std::optional<zmtp::byte_buffer> open_box(zmtp::byte_view boxed, const nonce &with, const key &from,
                                          const key &to_secret) {
    if (boxed.size() < box_overhead)
        return std::nullopt;
    zmtp::byte_buffer plain(boxed.size() - box_overhead);
    if (crypto_box_open_easy(plain.data(), boxed.data(), boxed.size(), with.data(), from.data(),
                             to_secret.data()) != 0)
        return std::nullopt;
    return plain;
}

void append_secret_box(zmtp::byte_buffer &out, zmtp::byte_view plain, const nonce &with, const key &secret) {
    const std::size_t before = out.size();
    out.resize(before + box_overhead + plain.size());
    crypto_secretbox_easy(out.data() + before, plain.data(), plain.size(), with.data(), secret.data());
}

std::optional<zmtp::byte_buffer> open_secret_box(zmtp::byte_view boxed, const nonce &with,
                                                 const key &secret) {
    if (boxed.size() < box_overhead)
        return std::nullopt;
    zmtp::byte_buffer plain(boxed.size() - box_overhead);
    if (crypto_secretbox_open_easy(plain.data(), boxed.data(), boxed.size(), with.data(), secret.data()) != 0)
        return std::nullopt;
    return plain;
}

std::optional<key> shared_key(const key &theirs, const key &own_secret) noexcept {
    key made;
    if (crypto_box_beforenm(made.data(), theirs.data(), own_secret.data()) != 0)
        return std::nullopt;
    return made;
}

bool same(zmtp::byte_view a, zmtp::byte_view b) noexcept {
    return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

} // namespace zlink::security::curve
