// SPDX-License-Identifier: MPL-2.0
// Frame headers of ZMTP 3.x (RFC 37): a flags byte and a size of 1 byte, or of 8 when LONG is set.
//
// Threads: pure functions. Ownership: nothing is kept. Invariants: no function reads behind `available` or
// writes more than max_header_size bytes. A size is below 2^63. A header that breaks the rules is
// header_status::error, and nothing else of it may be used. Units: bytes, big-endian.
#pragma once

#include "base/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace zlink::zmtp {

namespace frame_flags {
inline constexpr std::uint8_t more = 0x01;
inline constexpr std::uint8_t long_size = 0x02;
inline constexpr std::uint8_t command = 0x04;
inline constexpr std::uint8_t reserved = 0xF8;
} // namespace frame_flags

inline constexpr std::size_t short_header_size = 2;
inline constexpr std::size_t max_header_size = 9;
inline constexpr std::uint64_t max_short_body = 255;

enum class header_status : std::uint8_t { ok, incomplete, error };

// `flags` as on the wire, LONG included. The fields are meaningful when status is ok.
struct frame_header {
    header_status status;
    std::uint8_t flags;
    std::uint8_t header_size;
    std::uint64_t body_size;
};

// Writes the header of a frame of `size` bytes; LONG is set here and must not be in `flags`. Returns 2 or 9.
// `out` has room for max_header_size bytes.
inline std::size_t encode_header(std::uint8_t *out, std::uint8_t flags, std::uint64_t size) noexcept {
    if (size <= max_short_body) [[likely]] {
        out[0] = flags;
        out[1] = static_cast<std::uint8_t>(size);
        return short_header_size;
    }
    out[0] = static_cast<std::uint8_t>(flags | frame_flags::long_size);
    store_big_endian_64(out + 1, size);
    return max_header_size;
}

namespace detail {
// Classes of a flags byte: 0 short, 1 long, 2 refused (a reserved bit, or COMMAND with MORE).
inline constexpr std::uint8_t flags_short = 0, flags_long = 1, flags_refused = 2;
constexpr std::array<std::uint8_t, 256> make_flags_table() {
    std::array<std::uint8_t, 256> table{};
    for (unsigned flags = 0; flags < 256; ++flags) {
        const bool refused =
            (flags & frame_flags::reserved) != 0 || (flags & (frame_flags::command | frame_flags::more)) ==
                                                        (frame_flags::command | frame_flags::more);
        table[flags] =
            refused ? flags_refused : ((flags & frame_flags::long_size) != 0 ? flags_long : flags_short);
    }
    return table;
}
} // namespace detail

// Reads a header from the front of `available` bytes. Says `error` as soon as the bytes seen show it, so that
// a peer that sends a wrong flags byte is not waited for.
inline frame_header parse_header(const std::uint8_t *data, std::size_t available) noexcept {
    using namespace detail;
    if (available >= short_header_size && (data[0] & ~frame_flags::more) == 0) [[likely]]
        return {header_status::ok, data[0], short_header_size, data[1]};
    if (available == 0)
        return {header_status::incomplete, 0, 0, 0};
    static constexpr std::array<std::uint8_t, 256> table = make_flags_table();
    const std::uint8_t flags = data[0];
    const std::uint8_t form = table[flags];
    if (form == flags_refused)
        return {header_status::error, flags, 0, 0};
    if (form == flags_short) {
        if (available < short_header_size)
            return {header_status::incomplete, flags, 0, 0};
        return {header_status::ok, flags, short_header_size, data[1]};
    }
    if (available >= 2 && (data[1] & 0x80) != 0)
        return {header_status::error, flags, 0, 0};
    if (available < max_header_size)
        return {header_status::incomplete, flags, 0, 0};
    return {header_status::ok, flags, max_header_size, load_big_endian_64(data + 1)};
}

} // namespace zlink::zmtp
