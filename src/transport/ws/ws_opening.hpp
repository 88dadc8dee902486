// SPDX-License-Identifier: MPL-2.0
// ws_opening: the opening handshake of WebSocket on a connected stream. The layer that it puts on the stream
// carries all that follows in frames. A client that asks for another endpoint of the same port is passed on
// to it (ws_port.hpp). The opening has failed then, without a fault.
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
    // `terms.bare` is found out. `received`: of a connection that another endpoint has accepted; empty for
    // others. Throws std::bad_alloc.
    ws_opening(ws_wish wish, zws_terms terms, std::string rules, std::vector<std::uint8_t> received = {})
        : upgrade_(std::move(wish)), terms_(std::move(terms)), rules_(std::move(rules)),
          received_(std::move(received)) {}

    [[nodiscard]] opening_status go_on(stream &with) override;
    [[nodiscard]] opening_failure failure() const noexcept override { return failure_; }

  private:
    [[nodiscard]] io_status send(stream &with) noexcept;
    [[nodiscard]] opening_status lost(const stream &with) noexcept;
    [[nodiscard]] opening_status failed() noexcept;
    void take(std::span<const std::uint8_t> bytes);
    [[nodiscard]] bool pass_on(stream &with) const;

    ws_upgrade upgrade_;
    zws_terms terms_;
    const std::string rules_;            // of the port (ws_port.hpp)
    std::vector<std::uint8_t> received_; // by another opening
    std::vector<std::uint8_t> early_;    // behind the handshake
    opening_failure failure_{opening_fault::connection, 0};
};

} // namespace zlink::transport
