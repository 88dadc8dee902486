// SPDX-License-Identifier: MPL-2.0
#include "zmtp/command.hpp"

#include "message/frame_header.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace zlink::zmtp {

namespace {

struct known_command {
    command_kind kind;
    std::string_view name;
};
constexpr std::array<known_command, 8> known_commands{{
    {command_kind::ready, "READY"},
    {command_kind::error, "ERROR"},
    {command_kind::ping, "PING"},
    {command_kind::pong, "PONG"},
    {command_kind::subscribe, "SUBSCRIBE"},
    {command_kind::cancel, "CANCEL"},
    {command_kind::join, "JOIN"},
    {command_kind::leave, "LEAVE"},
}};

constexpr std::size_t value_length_size = 4;
constexpr std::size_t ttl_size = 2;

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

void append(byte_buffer &out, byte_view bytes) {
    out.insert(out.end(), bytes.begin(), bytes.end());
}

// The header of a COMMAND frame with `data_size` bytes behind the name, and the name.
void append_start(byte_buffer &out, std::string_view name, std::size_t data_size) {
    assert(!name.empty() && name.size() <= 255);
    std::array<std::uint8_t, large_header_size> header{};
    const std::size_t size =
        encode_frame_header(header.data(), frame_flag::command, 1 + name.size() + data_size);
    out.reserve(out.size() + size + 1 + name.size() + data_size);
    append(out, byte_view(header).first(size));
    out.push_back(static_cast<std::uint8_t>(name.size()));
    append(out, as_bytes(name));
}

std::uint32_t load_be32(const std::uint8_t *from) noexcept {
    return std::uint32_t{from[0]} << 24 | std::uint32_t{from[1]} << 16 | std::uint32_t{from[2]} << 8 |
           from[3];
}

} // namespace

std::string_view to_string(command_kind kind) noexcept {
    const auto *row = std::find_if(known_commands.begin(), known_commands.end(),
                                   [kind](const known_command &known) { return known.kind == kind; });
    return row != known_commands.end() ? row->name : std::string_view("unknown");
}

std::optional<command> parse_command(byte_view body) noexcept {
    if (body.empty() || body[0] == 0 || body.size() - 1 < body[0]) {
        return std::nullopt;
    }
    const std::string_view name = as_text(body.subspan(1, body[0]));
    const auto *row = std::find_if(known_commands.begin(), known_commands.end(),
                                   [name](const known_command &known) { return known.name == name; });
    return command{row != known_commands.end() ? row->kind : command_kind::unknown, name,
                   body.subspan(1 + std::size_t{body[0]})};
}

bool same_property_name(std::string_view a, std::string_view b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char left, char right) { return lower(left) == lower(right); });
}

const std::string *find_property(std::span<const property> properties, std::string_view name) noexcept {
    for (const property &candidate : properties) {
        if (same_property_name(candidate.name, name)) {
            return &candidate.value;
        }
    }
    return nullptr;
}

void append_property(byte_buffer &out, std::string_view name, std::string_view value) {
    assert(!name.empty() && name.size() <= max_property_name && value.size() <= 0x7FFFFFFF);
    out.push_back(static_cast<std::uint8_t>(name.size()));
    append(out, as_bytes(name));
    for (int shift = 24; shift >= 0; shift -= 8) {
        out.push_back(static_cast<std::uint8_t>(value.size() >> shift));
    }
    append(out, as_bytes(value));
}

std::optional<std::vector<property>> parse_properties(byte_view data) {
    std::vector<property> properties;
    while (!data.empty()) {
        const std::size_t name_size = data[0];
        if (name_size == 0 || data.size() < 1 + name_size + value_length_size) {
            return std::nullopt;
        }
        const std::string_view name = as_text(data.subspan(1, name_size));
        const std::size_t value_size = load_be32(data.data() + 1 + name_size);
        data = data.subspan(1 + name_size + value_length_size);
        if (value_size > data.size()) {
            return std::nullopt;
        }
        properties.push_back({std::string(name), std::string(as_text(data.first(value_size)))});
        data = data.subspan(value_size);
    }
    return properties;
}

std::optional<std::string_view> parse_error(byte_view data) noexcept {
    if (data.empty() || data.size() - 1 != data[0]) {
        return std::nullopt;
    }
    return as_text(data.subspan(1));
}

std::optional<ping> parse_ping(byte_view data) noexcept {
    if (data.size() < ttl_size || data.size() > ttl_size + max_ping_context) {
        return std::nullopt;
    }
    const auto ttl = static_cast<std::uint16_t>(data[0] << 8 | data[1]);
    return ping{ttl, data.subspan(ttl_size)};
}

std::optional<byte_view> parse_pong(byte_view data) noexcept {
    return data.size() <= max_ping_context ? std::optional(data) : std::nullopt;
}

void append_command(byte_buffer &out, std::string_view name, byte_view data) {
    append_start(out, name, data.size());
    append(out, data);
}

void append_ready(byte_buffer &out, std::span<const property> properties) {
    byte_buffer data;
    for (const property &one : properties) {
        append_property(data, one.name, one.value);
    }
    append_command(out, to_string(command_kind::ready), data);
}

void append_error(byte_buffer &out, std::string_view reason) {
    reason = reason.substr(0, max_error_reason);
    append_start(out, to_string(command_kind::error), 1 + reason.size());
    out.push_back(static_cast<std::uint8_t>(reason.size()));
    append(out, as_bytes(reason));
}

void append_ping(byte_buffer &out, std::uint16_t ttl_deciseconds, byte_view context) {
    assert(context.size() <= max_ping_context);
    append_start(out, to_string(command_kind::ping), ttl_size + context.size());
    out.push_back(static_cast<std::uint8_t>(ttl_deciseconds >> 8));
    out.push_back(static_cast<std::uint8_t>(ttl_deciseconds & 0xFF));
    append(out, context);
}

void append_pong(byte_buffer &out, byte_view context) {
    assert(context.size() <= max_ping_context);
    append_command(out, to_string(command_kind::pong), context);
}

void append_subscribe(byte_buffer &out, byte_view topic) {
    append_command(out, to_string(command_kind::subscribe), topic);
}

void append_cancel(byte_buffer &out, byte_view topic) {
    append_command(out, to_string(command_kind::cancel), topic);
}

} // namespace zlink::zmtp
