// SPDX-License-Identifier: MPL-2.0
// Frames of old peers: ZMTP 1.0 (length, flags, body; the length counts the flags byte) and ZMTP 2.0 (as 3.x,
// without commands).
//
// Threads: none of its own; one owner at a time. Ownership: nothing of the body is kept: pieces are views
// into the bytes given. Invariants: resumable at every byte; at most max_legacy_header_size bytes are kept,
// of an incomplete header. Sizes are below 2^63. Units: bytes.
#pragma once

#include "message/frame_header.hpp"
#include "zmtp/bytes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace zlink::zmtp {

inline constexpr std::size_t max_legacy_header_size = 10;

// As encode_frame_header and parse_frame_header, for the two old framings. The only flag is MORE; a parsed
// `flags` is MORE or 0.
std::size_t encode_v1_header(std::uint8_t *out, std::uint8_t flags, std::uint64_t size) noexcept;
frame_header parse_v1_header(const std::uint8_t *data, std::size_t available) noexcept;
std::size_t encode_v2_header(std::uint8_t *out, std::uint8_t flags, std::uint64_t size) noexcept;
frame_header parse_v2_header(const std::uint8_t *data, std::size_t available) noexcept;

// Result of one call of next(). A frame is one piece with `begins`, any number without, and one with `ends`
// (they may be the same piece). An empty body is one empty piece with both.
struct frame_piece {
    bool begins = false;
    bool ends = false;
    bool more = false;            // the frame's MORE flag
    std::uint64_t frame_size = 0; // of the whole body
    byte_view body;
};

enum class decode_status : std::uint8_t { piece, need_more, error };

class legacy_decoder {
  public:
    using header_parser = frame_header (*)(const std::uint8_t *, std::size_t) noexcept;
    explicit legacy_decoder(header_parser parser) noexcept : parser_(parser) {}

    // Takes bytes from the front of `in` (moving the view on) until there is a piece, an error, or nothing
    // left. After an error every call says error.
    [[nodiscard]] decode_status next(byte_view &in, frame_piece &out) noexcept;

  private:
    [[nodiscard]] decode_status next_header(byte_view &in) noexcept;

    header_parser parser_;
    std::array<std::uint8_t, max_legacy_header_size> header_{};
    std::size_t header_filled_ = 0;
    bool in_body_ = false;
    bool begun_ = false;
    bool failed_ = false;
    bool more_ = false;
    std::uint64_t size_ = 0;
    std::uint64_t left_ = 0;
};

} // namespace zlink::zmtp
