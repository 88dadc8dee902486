// SPDX-License-Identifier: MPL-2.0
// The seam between traffic and a mechanism that encrypts it (CURVE in src/security).
//
// Threads: one owner at a time; the two directions know nothing of each other. Ownership: nothing of the
// bytes given is kept. Invariants: no I/O, no clock, nothing allocated per frame. Units: bytes.
#pragma once

#include "zmtp/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace zlink::zmtp {

class frame_cipher {
  public:
    frame_cipher() = default;
    frame_cipher(const frame_cipher &) = delete;
    frame_cipher &operator=(const frame_cipher &) = delete;
    virtual ~frame_cipher() = default;

    struct opened_frame {
        std::uint8_t flags; // frame_flag::more and ::command
        std::span<std::uint8_t> body;
    };

    // The size on the wire, header included, of a frame with a body of `size` bytes.
    [[nodiscard]] virtual std::size_t sealed_size(std::size_t size) const noexcept = 0;
    // Writes that frame to `out`, which has room for it and does not overlap the body. Flags: more, command.
    virtual void seal(std::uint8_t flags, byte_view body, std::uint8_t *out) noexcept = 0;
    // Opens the body of a received frame into `out`, which has as much room as `sealed`. It may be the same
    // place, but must not overlap otherwise. Returns nothing if the body is forged, replayed or malformed;
    // the content of `out` is then of no use.
    [[nodiscard]] virtual std::optional<opened_frame> open(byte_view sealed, std::uint8_t *out) noexcept = 0;
    // For a frame that is opened in place while it is still being received. Works on as many of the received
    // bytes as is worth it. `sealed` is the whole body, of at least least_sealed() bytes. open() for the same
    // place has to follow, with no other frame between. Returns false if open() will refuse it.
    [[nodiscard]] virtual bool open_ahead(std::span<std::uint8_t> sealed, std::size_t there) noexcept = 0;
    // The least size of a body of a received frame that can be opened.
    [[nodiscard]] virtual std::size_t least_sealed() const noexcept = 0;
};

} // namespace zlink::zmtp
