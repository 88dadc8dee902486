// SPDX-License-Identifier: MPL-2.0
// tls_opening: the handshake of TLS on a connected stream. The layer that it puts on the stream encrypts all
// that follows. Without a handshake that was done there is no layer, and the opening has failed.
//
// Threads, ownership: see opening.hpp.
#pragma once

#include <memory>

#include "transport/opening.hpp"
#include "transport/stream_layer.hpp"
#include "transport/tls/tls_session.hpp"

namespace zlink::transport {

class tls_opening final : public opening {
  public:
    // `session` may be null: the opening fails.
    explicit tls_opening(std::unique_ptr<tls_session> session) noexcept : session_(std::move(session)) {}

    [[nodiscard]] opening_status go_on(stream &with) override;
    [[nodiscard]] opening_failure failure() const noexcept override { return failure_; }

  private:
    [[nodiscard]] io_status send(stream &with) noexcept;
    [[nodiscard]] opening_status lost(const stream &with) noexcept;
    [[nodiscard]] opening_status failed(stream &with) noexcept;

    std::unique_ptr<tls_session> session_;
    opening_failure failure_{opening_fault::connection, 0};
};

} // namespace zlink::transport
