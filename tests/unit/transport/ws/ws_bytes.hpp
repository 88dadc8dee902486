// SPDX-License-Identifier: MPL-2.0
// Bytes and frames for the tests of ws.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/ws/ws_frame.hpp"

namespace zlink::transport::test {

using namespace std::string_literals;

inline std::span<const std::uint8_t> bytes_of(std::string_view text) {
    return {reinterpret_cast<const std::uint8_t *>(text.data()), text.size()};
}
inline std::string text_of(std::span<const std::uint8_t> bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// A frame as RFC 6455 shows it. The size takes the shortest form. A mask is 37 fa 21 3d.
inline std::string frame(std::uint8_t first, const std::string &payload, bool masked) {
    std::string made(1, static_cast<char>(first));
    const unsigned mask_bit = masked ? 0x80U : 0U;
    const std::size_t size = payload.size();
    if (size <= 125) {
        made += static_cast<char>(mask_bit | size);
    } else if (size <= 0xFFFF) {
        made += static_cast<char>(mask_bit | 126U);
        made += static_cast<char>(size >> 8U);
        made += static_cast<char>(size);
    } else {
        made += static_cast<char>(mask_bit | 127U);
        for (int shift = 56; shift >= 0; shift -= 8)
            made += static_cast<char>(static_cast<std::uint64_t>(size) >> static_cast<unsigned>(shift));
    }
    const std::string key = "\x37\xfa\x21\x3d";
    if (masked)
        made += key;
    for (std::size_t i = 0; i < size; ++i)
        made += masked ? static_cast<char>(payload[i] ^ key[i % 4]) : payload[i];
    return made;
}

inline std::string zmtp_frame(char flags, const std::string &body) {
    if (body.size() <= 255)
        return std::string(1, flags) + static_cast<char>(body.size()) + body;
    std::string made(1, static_cast<char>(flags | 2));
    for (int shift = 56; shift >= 0; shift -= 8)
        made += static_cast<char>(static_cast<std::uint64_t>(body.size()) >> static_cast<unsigned>(shift));
    return made + body;
}

} // namespace zlink::transport::test
