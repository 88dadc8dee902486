// SPDX-License-Identifier: MPL-2.0
// ws_encoder: makes WebSocket frames from the bytes of ZMTP 3. Each frame of ZMTP becomes one binary message.
// The greeting, which ZWS does not have, is left out. A PING command becomes a Ping.
//
// Threads: one owner at a time. Ownership: keeps the beginning of a frame that is not complete. No I/O, no
// clock. The bytes of ZMTP are our own, and hence correct.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "transport/ws/masking.hpp"
#include "transport/ws/ws_frame.hpp"
#include "transport/ws/zws_terms.hpp"

namespace zlink::transport {

class ws_encoder {
  public:
    // With less room than this, encode() may make nothing.
    static constexpr std::size_t least_room = 512;

    // `terms` outlives it.
    explicit ws_encoder(const zws_terms &terms) noexcept;

    // Uses all of the input, unless the output is nearly full or failed().
    zws_progress encode(std::span<const std::uint8_t> in, std::span<std::uint8_t> out) noexcept;
    // Returns how many of the next bytes are those of a body that may be sent as they are.
    [[nodiscard]] std::uint64_t direct_left() const noexcept { return masks_ || drops_ ? 0 : left_; }
    void sent_directly(std::uint64_t size) noexcept { left_ -= size; }

    // Returns true if a control frame may come next. The routing id comes before all others.
    [[nodiscard]] bool at_boundary() const noexcept { return left_ == 0 && !tells_identity_; }
    // Needs least_room. Returns the size of the frame; 0: failed().
    std::size_t control(ws_opcode opcode, std::span<const std::uint8_t> payload, std::uint8_t *out) noexcept;
    // There is no randomness for the keys.
    [[nodiscard]] bool failed() const noexcept { return failed_; }

  private:
    [[nodiscard]] zws_progress encode_small(std::span<const std::uint8_t> in,
                                            std::span<std::uint8_t> out) noexcept;
    template <bool Masks> [[nodiscard]] zws_progress encode_row(std::span<const std::uint8_t> in,
                                                                std::span<std::uint8_t> out) noexcept;
    std::size_t collect(std::span<const std::uint8_t> in) noexcept;
    [[nodiscard]] std::size_t wanted() const noexcept;
    [[nodiscard]] std::size_t header_size() const noexcept;
    [[nodiscard]] std::uint64_t body_size() const noexcept;
    std::size_t begin_frame(std::uint8_t *out) noexcept;
    std::size_t frame(ws_opcode opcode, std::span<const std::uint8_t> first,
                      std::span<const std::uint8_t> rest, std::uint64_t size, std::uint8_t *out) noexcept;
    std::size_t put(std::span<const std::uint8_t> bytes, std::uint8_t *out) noexcept;

    const zws_terms &terms_;
    const bool masks_;
    bool failed_ = false;
    bool drops_ = false;  // the rest of the frame is left out
    bool tells_identity_; // instead of the command that comes first
    std::uint64_t left_;  // of the body of the current frame, or of what is left out
    masking_key key_{};   // for the next byte of the payload
    masking_key_source keys_;
    std::array<std::uint8_t, 32>
        begun_{}; // of a frame of ZMTP: the header and, of a command, some of its body
    std::size_t begun_size_ = 0;
};

} // namespace zlink::transport
