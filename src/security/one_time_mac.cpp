// SPDX-License-Identifier: MPL-2.0
#include "security/one_time_mac.hpp"

#include <atomic>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <utility>

namespace zlink::security {

namespace {

static_assert(crypto_onetimeauth_poly1305_KEYBYTES == curve::key_size);

// OpenSSL's Poly1305, with the library context that it lives in. Loading it takes half a millisecond, once
// per process; nothing frees it, for connections may still be at work while the process ends.
std::atomic<EVP_MAC *> loaded{nullptr};

// In a library context of its own: the process's default one would read openssl.cnf, and is the
// application's to configure. Without a lock, which a fork would leave locked in the child: of two threads
// that come at once one throws away what it made.
EVP_MAC *load() noexcept {
    OSSL_LIB_CTX *const library = OSSL_LIB_CTX_new();
    if (library == nullptr)
        return nullptr;
    EVP_MAC *const made = EVP_MAC_fetch(library, OSSL_MAC_NAME_POLY1305, nullptr);
    EVP_MAC *there = nullptr;
    if (made != nullptr && loaded.compare_exchange_strong(there, made, std::memory_order_acq_rel))
        return made;
    EVP_MAC_free(made);
    OSSL_LIB_CTX_free(library);
    return there;
}

EVP_MAC_CTX *make_context() noexcept {
    ERR_set_mark(); // an application that uses OpenSSL too must not find our failures
    EVP_MAC *mac = loaded.load(std::memory_order_acquire);
    if (mac == nullptr)
        mac = load();
    EVP_MAC_CTX *const made = mac != nullptr ? EVP_MAC_CTX_new(mac) : nullptr;
    ERR_pop_to_mark();
    return made;
}

} // namespace

one_time_mac::~one_time_mac() {
    if (current_ != message::none) [[maybe_unused]]
        const auto forgotten = finish(); // both libraries wipe the key then
    EVP_MAC_CTX_free(context_);
}

one_time_mac::tag one_time_mac::of(zmtp::byte_view whole, const curve::key &key) noexcept {
    if (whole.size() >= long_message) {
        begin(key, whole.size());
        update(whole);
        if (const auto made = finish())
            return *made;
    }
    tag made;
    crypto_onetimeauth_poly1305(made.data(), whole.data(), whole.size(), key.data());
    return made;
}

void one_time_mac::begin(const curve::key &key, std::size_t size) noexcept {
    if (size >= long_message && begin_with_openssl(key)) {
        current_ = message::with_openssl;
        return;
    }
    crypto_onetimeauth_poly1305_init(&state_, key.data());
    current_ = message::with_libsodium;
}

bool one_time_mac::begin_with_openssl(const curve::key &key) noexcept {
    if (!std::exchange(asked_openssl_, true))
        context_ = make_context();
    return context_ != nullptr && EVP_MAC_init(context_, key.data(), key.size(), nullptr) == 1;
}

void one_time_mac::update(zmtp::byte_view piece) noexcept {
    if (current_ == message::with_libsodium)
        crypto_onetimeauth_poly1305_update(&state_, piece.data(), piece.size());
    else if (EVP_MAC_update(context_, piece.data(), piece.size()) != 1)
        current_ = message::broken;
}

std::optional<one_time_mac::tag> one_time_mac::finish() noexcept {
    const message ended = std::exchange(current_, message::none);
    if (ended != message::with_libsodium) {
        const auto made = finish_with_openssl();
        return ended == message::with_openssl ? made : std::nullopt;
    }
    tag made;
    crypto_onetimeauth_poly1305_final(&state_, made.data());
    return made;
}

std::optional<one_time_mac::tag> one_time_mac::finish_with_openssl() noexcept {
    tag made;
    std::size_t size = 0;
    if (EVP_MAC_final(context_, made.data(), &size, made.size()) != 1 || size != made.size())
        return std::nullopt;
    return made;
}

} // namespace zlink::security
