// SPDX-License-Identifier: MPL-2.0
// ws_opening: the opening handshake of WebSocket on a connected stream. The layer that it puts on the stream
// carries all that follows in frames.
//
// Threads, ownership: see opening.hpp.
#pragma once

#include "transport/opening.hpp"
#include "transport/stream_layer.hpp"
#include "transport/ws/ws_upgrade.hpp"
#include "transport/ws/zws_terms.hpp"

namespace zlink::transport {

class ws_opening final : public opening {
  public:
    // `terms.bare` is found out. Throws std::bad_alloc.
    ws_opening(ws_wish wish, zws_terms terms) : upgrade_(std::move(wish)), terms_(std::move(terms)) {}

    [[nodiscard]] opening_status go_on(stream &with) override;
    [[nodiscard]] opening_failure failure() const noexcept override { return failure_; }

  private:
    [[nodiscard]] io_status send(stream &with) noexcept;
    [[nodiscard]] opening_status lost(const stream &with) noexcept;
    [[nodiscard]] opening_status failed() noexcept;

    ws_upgrade upgrade_;
    zws_terms terms_;
    std::vector<std::uint8_t> early_; // behind the handshake
    opening_failure failure_{opening_fault::connection, 0};
};

} // namespace zlink::transport
