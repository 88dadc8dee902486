// SPDX-License-Identifier: MPL-2.0
// Commands of ZMTP 3.x: the body of a COMMAND frame is a name (1-byte length) and data.
//
// Threads: pure functions. Ownership: parsed views point into the bytes given and live as long as those;
// builders append one whole frame, header included, to the caller's buffer. Invariants: every length is
// checked before it is used; a parser that finds fewer or more bytes than its command has returns nullopt.
// Units: bytes; TTLs in tenths of a second. Builders assert the programmer (name and context lengths),
// parsers never assert.
#pragma once

#include "zmtp/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace zlink::zmtp {

enum class command_kind : std::uint8_t { unknown, ready, error, ping, pong, subscribe, cancel, join, leave };

std::string_view to_string(command_kind kind) noexcept;

// Names of commands are compared byte by byte, with case.
struct command {
    command_kind kind;
    std::string_view name;
    byte_view data;
};

// Splits the body of a COMMAND frame. A name has 1 to 255 bytes.
std::optional<command> parse_command(byte_view body) noexcept;

// One property of a handshake. Names have 1 to 255 bytes and compare without case (ASCII).
struct property {
    std::string name;
    std::string value;
    friend bool operator==(const property &, const property &) = default;
};

inline constexpr std::size_t max_property_name = 255;
inline constexpr std::size_t max_ping_context = 16;
inline constexpr std::size_t max_ping_size = 5 + 2 + max_ping_context; // of the body: name, TTL, context
inline constexpr std::size_t max_error_reason = 255;

bool same_property_name(std::string_view a, std::string_view b) noexcept;
// The value of the first property of that name, or nullptr.
const std::string *find_property(std::span<const property> properties, std::string_view name) noexcept;

void append_property(byte_buffer &out, std::string_view name, std::string_view value);
std::optional<std::vector<property>> parse_properties(byte_view data);

// A PING as received: the context is what the PONG has to return.
struct ping {
    std::uint16_t ttl_deciseconds;
    byte_view context;
};

// Parsers of a command's data.
std::optional<std::string_view> parse_error(byte_view data) noexcept;
std::optional<ping> parse_ping(byte_view data) noexcept;
std::optional<byte_view> parse_pong(byte_view data) noexcept;

// Builders of whole COMMAND frames.
void append_command(byte_buffer &out, std::string_view name, byte_view data);
void append_ready(byte_buffer &out, std::span<const property> properties);
void append_error(byte_buffer &out, std::string_view reason); // cut to max_error_reason
void append_ping(byte_buffer &out, std::uint16_t ttl_deciseconds, byte_view context);
void append_pong(byte_buffer &out, byte_view context);
void append_subscribe(byte_buffer &out, byte_view topic);
void append_cancel(byte_buffer &out, byte_view topic);

} // namespace zlink::zmtp
