// SPDX-License-Identifier: MPL-2.0
// Frame headers of ZMTP 3 (RFC 37), on the wire and in a queue. A header is a flags byte, and a size of one
// byte or of eight.
//
// Threads: pure functions. Ownership: nothing is kept. Invariants: the encoder writes large_header_size bytes
// at most; parse_frame_header() reads no byte behind `available`, and gives only sizes below 2^63. Units:
// bytes, big-endian.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"

namespace zlink {

// The bits of the flags byte.
namespace frame_flag {
constexpr std::uint8_t more = 0x01;
constexpr std::uint8_t large = 0x02; // the size takes eight bytes, not one
constexpr std::uint8_t command = 0x04;
constexpr std::uint8_t reserved = 0xF8;
} // namespace frame_flag

constexpr std::size_t small_header_size = 2;
constexpr std::size_t large_header_size = 9;
constexpr std::uint64_t largest_small_body = 255; // more bytes need a large header

// Returns the size of the header that encode_frame_header() writes, for flags without `large`.
constexpr std::size_t frame_header_size(std::uint64_t body_size) noexcept {
    return body_size <= largest_small_body ? small_header_size : large_header_size;
}

// Writes a header at `at` and returns its size. The header is a large one when the size needs it, or when
// `flags` has `large`. `at` has room for large_header_size bytes, or for frame_header_size().
[[gnu::always_inline]] inline std::size_t encode_frame_header(std::uint8_t *at, std::uint8_t flags,
                                                              std::uint64_t body_size) noexcept {
    if (body_size <= largest_small_body && (flags & frame_flag::large) == 0) {
        at[0] = flags;
        at[1] = static_cast<std::uint8_t>(body_size);
        return small_header_size;
    }
    at[0] = flags | frame_flag::large;
    store_big_endian_64(at + 1, body_size);
    return large_header_size;
}

// The fast form of the decoder: looks at a header that is known to be whole, and does not check it. Each
// function reads what it returns and no more, so a caller that tests the flags first reads one byte for it.
class whole_frame_header {
  public:
    explicit whole_frame_header(const std::uint8_t *at) noexcept : at_(at) {}

    [[nodiscard]] std::uint8_t flags() const noexcept { return at_[0]; } // with `large`
    [[nodiscard]] bool large() const noexcept { return (flags() & frame_flag::large) != 0; }
    [[nodiscard]] std::size_t size() const noexcept {
        return large() ? large_header_size : small_header_size;
    }
    [[nodiscard, gnu::always_inline]] std::uint64_t body_size() const noexcept {
        return large() ? load_big_endian_64(at_ + 1) : at_[1];
    }

  private:
    const std::uint8_t *at_;
};

enum class header_status : std::uint8_t { ok, incomplete, error };

// `flags` as on the wire, `large` included. The fields mean something when the status is ok.
struct frame_header {
    header_status status;
    std::uint8_t flags;
    std::uint8_t header_size;
    std::uint64_t body_size;
};

// Whether no frame has this flags byte. A command is a single frame.
constexpr bool refuses_flags(std::uint8_t flags) noexcept {
    constexpr std::uint8_t both = frame_flag::command | frame_flag::more;
    return (flags & frame_flag::reserved) != 0 || (flags & both) == both;
}

// The decoder: reads a header from the front of `available` bytes. Says `error` as soon as the bytes seen
// show it, so that a peer that sends a wrong flags byte is not waited for.
inline frame_header parse_frame_header(const std::uint8_t *data, std::size_t available) noexcept {
    if (available >= small_header_size && (data[0] & ~frame_flag::more) == 0) [[likely]]
        return {header_status::ok, data[0], small_header_size, data[1]};
    if (available == 0)
        return {header_status::incomplete, 0, 0, 0};
    const whole_frame_header seen(data);
    if (refuses_flags(seen.flags()) || (seen.large() && available > 1 && (data[1] & 0x80) != 0))
        return {header_status::error, seen.flags(), 0, 0};
    if (available < seen.size())
        return {header_status::incomplete, seen.flags(), 0, 0};
    return {header_status::ok, seen.flags(), static_cast<std::uint8_t>(seen.size()), seen.body_size()};
}

} // namespace zlink
