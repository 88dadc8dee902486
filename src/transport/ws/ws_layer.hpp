// SPDX-License-Identifier: MPL-2.0
// ws_layer: carries the bytes of ZMTP in WebSocket frames, after the opening handshake.
//
// Threads, ownership: see stream_layer.hpp. A call moves a bounded number of bytes, so that no connection
// stalls the others of its I/O thread. An idle layer keeps no buffer: the calls use one of their thread.
// Large bodies pass without a copy, unless they are masked.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transport/stream_layer.hpp"
#include "transport/ws/ws_decoder.hpp"
#include "transport/ws/ws_encoder.hpp"
#include "transport/ws/zws_terms.hpp"

namespace zlink::transport {

class ws_layer final : public stream_layer {
  public:
    // `early`: what came behind the opening handshake. Throws std::bad_alloc.
    ws_layer(zws_terms terms, std::span<const std::uint8_t> early);

    [[nodiscard]] io_result receive(stream &on, std::span<std::uint8_t> room) noexcept override;
    [[nodiscard]] io_result send(stream &on, std::span<const byte_range> pieces) noexcept override;
    [[nodiscard]] bool has_buffered() const noexcept override;
    [[nodiscard]] bool holds_output() const noexcept override;
    [[nodiscard]] io_status flush(stream &on) noexcept override;
    void end(stream &on) noexcept override;

  private:
    static constexpr std::size_t stretch_unit = 1024;

    // Bytes that wait for room, or for the stream below.
    struct held_bytes {
        std::vector<std::uint8_t> bytes;
        std::size_t at = 0;

        [[nodiscard]] bool empty() const noexcept { return at == bytes.size(); }
        [[nodiscard]] std::span<const std::uint8_t> rest() const noexcept {
            return std::span(bytes).subspan(at);
        }
        void hold(std::span<const std::uint8_t> more);
        void took(std::size_t size) noexcept;
    };

    [[nodiscard]] io_result receive_some(stream &on, std::span<std::uint8_t> room);
    [[nodiscard]] std::size_t bring(stream &on, std::span<std::uint8_t> room, bool &dry);
    [[nodiscard]] std::size_t bring_body(stream &on, std::span<std::uint8_t> room, bool &dry);
    [[nodiscard]] std::size_t wanted_for(std::size_t room, std::size_t most) const noexcept;
    void note_brought(const zws_progress &done) noexcept;
    [[nodiscard]] io_result send_some(stream &on, std::span<const byte_range> pieces);
    [[nodiscard]] io_status send_piece(stream &on, byte_range piece, std::size_t &made, std::size_t &taken);
    [[nodiscard]] io_status push(stream &on, std::span<const std::uint8_t> bytes);
    [[nodiscard]] io_status push_body(stream &on, std::span<const std::uint8_t> head, byte_range body,
                                      std::size_t &sent);
    [[nodiscard]] io_status answer_ping(stream &on);
    [[nodiscard]] io_status send_held(stream &on) noexcept;
    void note_end(stream &on) noexcept;

    const zws_terms terms_;
    ws_decoder decoder_;
    ws_encoder encoder_;
    held_bytes in_;
    held_bytes out_;
    // So many bytes of the peer became `stretch_unit` bytes of ZMTP, in its latest batch.
    std::size_t stretch_ = stretch_unit;
    bool large_ = false; // the latest body was
    bool ended_ = false; // the stream below
    bool no_memory_ = false;
    bool said_close_ = false;
};

} // namespace zlink::transport
