// SPDX-License-Identifier: MPL-2.0
#include "transport/ws/ws_frame.hpp"

#include <algorithm>
#include <cstring>

#include "base/bytes.hpp"

namespace zlink::transport {
namespace {

constexpr std::uint8_t last_bit = 0x80;
constexpr std::uint8_t reserved_bits = 0x70;
constexpr std::uint8_t mask_bit = 0x80;
constexpr std::uint8_t short_size = 125;
constexpr std::uint8_t size_in_2 = 126;
constexpr std::uint8_t size_in_8 = 127;

bool is_known(std::uint8_t opcode) noexcept {
    return opcode <= 2 || (opcode >= 8 && opcode <= 10);
}

// Returns the size of the character that begins here; 0: it is none.
std::size_t character_size(std::span<const std::uint8_t> text) noexcept {
    struct row {
        std::uint8_t first, last;     // byte of the character
        std::uint8_t lowest, highest; // second byte
        std::size_t size;
    };
    constexpr row rows[]{
        {0x00, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
        {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
        {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (const row &one : rows) {
        if (text[0] < one.first || text[0] > one.last)
            continue;
        if (text.size() < one.size)
            return 0;
        if (one.size > 1 && (text[1] < one.lowest || text[1] > one.highest))
            return 0;
        const auto rest = text.subspan(std::min<std::size_t>(2, one.size), one.size > 2 ? one.size - 2 : 0);
        const bool follows =
            std::ranges::all_of(rest, [](std::uint8_t byte) { return (byte & 0xC0U) == 0x80; });
        return follows ? one.size : 0;
    }
    return 0;
}

bool may_be_sent(unsigned code) noexcept {
    return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

} // namespace

bool parse_ws_header(std::span<const std::uint8_t> bytes, ws_side from, ws_header &header) noexcept {
    const std::uint8_t opcode = bytes[0] & 0x0FU;
    if ((bytes[0] & reserved_bits) != 0 || !is_known(opcode))
        return false;
    header.opcode = ws_opcode{opcode};
    header.last = (bytes[0] & last_bit) != 0;
    header.masked = (bytes[1] & mask_bit) != 0;
    const std::uint8_t size = bytes[1] & 0x7FU;
    header.payload = size;
    if (size == size_in_2)
        header.payload = static_cast<std::uint64_t>(bytes[2]) << 8U | bytes[3];
    else if (size == size_in_8)
        header.payload = load_big_endian_64(bytes.data() + 2);
    const bool needed = size == size_in_2 ? header.payload > short_size : header.payload > 0xFFFF;
    if (size > short_size && (!needed || header.payload > max_ws_payload))
        return false;
    header.key = {};
    if (header.masked)
        std::memcpy(header.key.data(), bytes.data() + ws_header_size(bytes[1]) - header.key.size(),
                    header.key.size());
    if (is_control(header.opcode) && (!header.last || header.payload > max_control_payload))
        return false;
    return header.masked == (from == ws_side::client);
}

std::size_t write_ws_header(std::uint8_t *to, const ws_header &header) noexcept {
    std::size_t size = 2;
    to[0] = static_cast<std::uint8_t>((header.last ? last_bit : 0U) | static_cast<unsigned>(header.opcode));
    if (header.payload <= short_size) {
        to[1] = static_cast<std::uint8_t>(header.payload);
    } else if (header.payload <= 0xFFFF) {
        to[1] = size_in_2;
        to[2] = static_cast<std::uint8_t>(header.payload >> 8U);
        to[3] = static_cast<std::uint8_t>(header.payload);
        size += 2;
    } else {
        to[1] = size_in_8;
        store_big_endian_64(to + 2, header.payload);
        size += 8;
    }
    if (header.masked) {
        to[1] |= mask_bit;
        std::memcpy(to + size, header.key.data(), header.key.size());
        size += header.key.size();
    }
    return size;
}

ws_close check_close(std::span<const std::uint8_t> payload) noexcept {
    if (payload.empty())
        return ws_close::none;
    if (payload.size() == 1 || !may_be_sent(static_cast<unsigned>(payload[0]) << 8U | payload[1]))
        return ws_close::protocol;
    return is_utf8(payload.subspan(2)) ? ws_close::none : ws_close::invalid_text;
}

bool is_utf8(std::span<const std::uint8_t> text) noexcept {
    while (!text.empty()) {
        const std::size_t size = character_size(text);
        if (size == 0)
            return false;
        text = text.subspan(size);
    }
    return true;
}

} // namespace zlink::transport
