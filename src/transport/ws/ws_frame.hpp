// SPDX-License-Identifier: MPL-2.0
// The frames of WebSocket (RFC 6455, section 5), and the flags that begin each message of ZWS (RFC 45).
//
// Threads: pure functions. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/ws/masking.hpp"

namespace zlink::transport {

enum class ws_side : std::uint8_t { client, server };

enum class ws_opcode : std::uint8_t {
    continuation = 0,
    text = 1,
    binary = 2,
    close = 8,
    ping = 9,
    pong = 10,
};
[[nodiscard]] constexpr bool is_control(ws_opcode code) noexcept {
    return static_cast<std::uint8_t>(code) >= 8;
}

// Codes of a Close frame; none: it has no code, or nothing has failed.
enum class ws_close : std::uint16_t {
    none = 0,
    normal = 1000,
    protocol = 1002,
    unsupported = 1003,
    invalid_text = 1007,
    refused = 1008,
    no_memory = 1011,
};

inline constexpr std::uint8_t whole_binary = 0x82; // the first byte of a binary message that is no fragment
inline constexpr std::size_t max_control_payload = 125;
inline constexpr std::size_t max_ws_header = 14;
inline constexpr std::uint64_t max_ws_payload = 0x7FFF'FFFF'FFFF'FFFF;

struct ws_header {
    ws_opcode opcode = ws_opcode::binary;
    bool last = true; // fragment of its message
    bool masked = false;
    std::uint64_t payload = 0;
    masking_key key{};
};

// Returns the size of a header by its first two bytes.
[[nodiscard]] constexpr std::size_t ws_header_size(std::uint8_t second) noexcept {
    const unsigned size = second & 0x7FU;
    return 2U + (size == 126 ? 2U : size == 127 ? 8U : 0U) + ((second & 0x80U) != 0 ? 4U : 0U);
}
// Parses a whole header that `from` has sent. Returns false for one that the RFC forbids, whatever came
// before. It forbids reserved bits and codes, and a long form that is not needed. A control frame is short
// and no fragment. A client masks, and a server does not.
[[nodiscard]] bool parse_ws_header(std::span<const std::uint8_t> bytes, ws_side from,
                                   ws_header &header) noexcept;
// Writes at most max_ws_header bytes and returns how many.
std::size_t write_ws_header(std::uint8_t *to, const ws_header &header) noexcept;

// Returns what is wrong with the payload of a Close frame; none: nothing.
[[nodiscard]] ws_close check_close(std::span<const std::uint8_t> payload) noexcept;
[[nodiscard]] bool is_utf8(std::span<const std::uint8_t> text) noexcept;

// The first byte of each message of ZWS.
namespace zws_flag {
inline constexpr std::uint8_t last = 0;
inline constexpr std::uint8_t more = 1;
inline constexpr std::uint8_t command = 2;
} // namespace zws_flag

} // namespace zlink::transport
