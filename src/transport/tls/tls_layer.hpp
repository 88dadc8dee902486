// SPDX-License-Identifier: MPL-2.0
// tls_layer: encrypts and decrypts the bytes of a stream after the handshake.
//
// Threads, ownership: see stream_layer.hpp. A call moves a bounded number of bytes, so that no connection
// stalls the others of its I/O thread.
#pragma once

#include <memory>

#include "transport/stream_layer.hpp"
#include "transport/tls/tls_session.hpp"

namespace zlink::transport {

class tls_layer final : public stream_layer {
  public:
    explicit tls_layer(std::unique_ptr<tls_session> session) noexcept : session_(std::move(session)) {}

    [[nodiscard]] io_result receive(stream &on, std::span<std::uint8_t> room) noexcept override;
    [[nodiscard]] io_result send(stream &on, std::span<const byte_range> pieces) noexcept override;
    [[nodiscard]] bool has_buffered() const noexcept override { return ended_ || session_->has_buffered(); }
    [[nodiscard]] bool holds_output() const noexcept override { return !session_->output().empty(); }
    [[nodiscard]] io_status flush(stream &on) noexcept override;
    void end(stream &on) noexcept override;
    [[nodiscard]] stream_facts facts() const override { return session_->facts(); }

  private:
    [[nodiscard]] io_result receive_some(stream &on, std::span<std::uint8_t> room) noexcept;
    [[nodiscard]] bool bring(stream &on, std::size_t &taken) noexcept;
    void note_failure(stream &on) noexcept;

    std::unique_ptr<tls_session> session_;
    bool ended_ = false; // the stream below
};

} // namespace zlink::transport
