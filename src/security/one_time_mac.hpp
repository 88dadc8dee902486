// SPDX-License-Identifier: MPL-2.0
// Poly1305 as crypto_box uses it: a tag of sixteen bytes for one message, under a key used for nothing else.
// OpenSSL computes it for long messages, with the widest vectors that the processor has. libsodium computes
// it for short ones, where the call itself costs most. It does so too where OpenSSL has no Poly1305, or no
// memory.
//
// Threads: one owner at a time; objects know nothing of each other. Ownership: keeps one context of
// OpenSSL's, made for the first long message. Invariants: the tags are the same whoever computes them;
// nothing is allocated but that context; a key is gone after finish() and after the destructor. Calls of
// OpenSSL are not visible to its other users in the process: no configuration is read or changed, no error is
// left queued. Units: bytes.
#pragma once

#include "security/curve_box.hpp"
#include "zmtp/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <sodium.h>

struct evp_mac_ctx_st; // OpenSSL's EVP_MAC_CTX

namespace zlink::security {

class one_time_mac {
  public:
    using tag = std::array<std::uint8_t, crypto_onetimeauth_poly1305_BYTES>;
    // Shorter messages are libsodium's. Both take about 80 ns for 128 bytes; for 512, OpenSSL takes 110 ns
    // and libsodium 160.
    static constexpr std::size_t long_message = 512;

    one_time_mac() noexcept = default;
    ~one_time_mac();
    one_time_mac(const one_time_mac &) = delete;
    one_time_mac &operator=(const one_time_mac &) = delete;

    // Returns the tag of a complete message.
    [[nodiscard]] tag of(zmtp::byte_view message, const curve::key &key) noexcept;

    // Begins a message that comes in pieces, of `size` bytes altogether; the one before it has been finished.
    void begin(const curve::key &key, std::size_t size) noexcept;
    void update(zmtp::byte_view piece) noexcept;
    // Nothing: OpenSSL broke off, which its Poly1305 has no reason to, and there is no tag for this message.
    [[nodiscard]] std::optional<tag> finish() noexcept;

  private:
    enum class message : std::uint8_t { none, with_libsodium, with_openssl, broken };

    [[nodiscard]] bool begin_with_openssl(const curve::key &key) noexcept;
    [[nodiscard]] std::optional<tag> finish_with_openssl() noexcept;

    evp_mac_ctx_st *context_ = nullptr;
    bool asked_openssl_ = false; // for the context, and never again
    message current_ = message::none;
    crypto_onetimeauth_poly1305_state state_; // libsodium's; meaningless without a message of its
};

} // namespace zlink::security
