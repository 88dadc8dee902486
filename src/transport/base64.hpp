// SPDX-License-Identifier: MPL-2.0
// base64: bytes as text (RFC 4648, section 4), with padding and without line ends.
//
// Threads: pure. Throws std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <openssl/evp.h>

namespace zlink::transport {

[[nodiscard]] inline std::string to_base64(std::span<const std::uint8_t> bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char *>(text.data()), bytes.data(),
                                     static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(size));
    return text;
}

} // namespace zlink::transport
