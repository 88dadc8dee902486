// SPDX-License-Identifier: MPL-2.0
// ws_decoder: makes the bytes of ZMTP 3.0 from the WebSocket frames of a peer. The reader behind it sees no
// WebSocket. The greeting, which ZWS does not have, comes first.
//
// Threads: one owner at a time. Ownership: keeps no input. It keeps the fragments of a message until the last
// one has come, and the payload of the latest Ping. No I/O, no clock. Errors: over() and closing_code().
//
// The flags of a message become those of a frame of ZMTP. A Ping or a Pong becomes a PONG command, which
// tells the heartbeat that the peer lives. There is none before the handshake of the mechanism is over, and
// none where messages are encrypted.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/ws/ws_frame.hpp"
#include "transport/ws/zws_terms.hpp"

namespace zlink::transport {

class ws_decoder {
  public:
    // `terms` outlives it. Throws std::bad_alloc.
    explicit ws_decoder(const zws_terms &terms);

    // Uses all of the input, unless the output is full or over(). Throws std::bad_alloc.
    zws_progress decode(std::span<const std::uint8_t> in, std::span<std::uint8_t> out);
    // Returns true if decode() has output without input.
    [[nodiscard]] bool has_pending() const noexcept { return pending_at_ < pending_.size(); }
    // Returns how many of the next bytes of the peer are those of a body. They may be received to where the
    // output is to be. took() makes output of them.
    [[nodiscard]] std::uint64_t body_left() const noexcept {
        return state_ == state::body && !has_pending() ? left_ : 0;
    }
    void took(std::span<std::uint8_t> bytes) noexcept;

    // Returns true if the peer has closed the connection or has broken the rules. Nothing more is decoded.
    [[nodiscard]] bool over() const noexcept { return state_ == state::over && !has_pending(); }
    [[nodiscard]] bool broken() const noexcept { return broken_; }
    // Returns the code that our Close frame is to have.
    [[nodiscard]] ws_close closing_code() const noexcept { return closing_code_; }
    // The payload of a Ping that is to be answered.
    [[nodiscard]] bool has_ping() const noexcept { return pinged_; }
    [[nodiscard]] std::span<const std::uint8_t> take_ping() noexcept;

  private:
    struct control_payload {
        std::array<std::uint8_t, max_control_payload> bytes{};
        std::size_t size = 0;
    };
    enum class state : std::uint8_t { header, flags, body, gather, control, over };

    [[nodiscard]] std::size_t drain(std::span<std::uint8_t> out) noexcept;
    [[nodiscard]] zws_progress decode_small(std::span<const std::uint8_t> in,
                                            std::span<std::uint8_t> out) const noexcept;
    template <bool Masked, bool Ample> static void
    decode_row(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, zws_progress &done) noexcept;
    void step(std::span<const std::uint8_t> in, std::span<std::uint8_t> out, zws_progress &done);
    void collect_header(std::span<const std::uint8_t> in, zws_progress &done);
    void on_header();
    void on_flags(std::uint8_t flags);
    void gather(std::span<const std::uint8_t> in, zws_progress &done);
    void on_gathered();
    void give_up_if_too_long();
    void on_identity();
    void collect_control(std::span<const std::uint8_t> in, zws_progress &done);
    void on_control();
    void on_close();
    void put_frame_header(std::uint8_t flags, std::uint64_t size);
    void fail(ws_close code) noexcept;

    const zws_terms &terms_;
    state state_ = state::header;
    ws_side peer_;
    bool in_message_ = false; // fragments of it are to come
    bool wants_identity_;
    bool broken_ = false;
    bool pinged_ = false;
    int commands_left_; // of the handshake of the mechanism
    ws_close closing_code_ = ws_close::normal;
    ws_header header_;                                // of the current frame
    std::uint64_t left_ = 0;                          // of its payload
    masking_key key_{};                               // for the next byte of its payload
    std::array<std::uint8_t, max_ws_header> begun_{}; // of a header that is not complete
    std::size_t begun_size_ = 0;
    std::vector<std::uint8_t> gathered_; // room for a header of ZMTP, and fragments
    std::vector<std::uint8_t> pending_;  // output
    std::size_t pending_at_ = 0;
    control_payload control_; // of the current control frame
    control_payload ping_;
};

} // namespace zlink::transport
