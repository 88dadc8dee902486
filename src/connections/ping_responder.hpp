// SPDX-License-Identifier: MPL-2.0
// ping_responder: answers each PING of the peer with a PONG, and keeps the TTL of the last one.
//
// Threads: those of the frame reader, which calls it. Ownership: borrows the frame writer.
#pragma once

#include <cstdint>
#include <optional>

#include "connections/frame_writer.hpp"
#include "zmtp/command.hpp"

namespace zlink::connections {

class ping_responder {
  public:
    explicit ping_responder(frame_writer &writer) noexcept : writer_(writer) {}

    // Throws std::bad_alloc.
    void on_ping(const zmtp::ping &received);
    // Returns true if a PING came since the last take_ttl().
    [[nodiscard]] bool has_ttl() const noexcept { return ttl_deciseconds_.has_value(); }
    [[nodiscard]] std::optional<std::uint16_t> take_ttl() noexcept {
        return std::exchange(ttl_deciseconds_, std::nullopt);
    }

  private:
    frame_writer &writer_;
    std::optional<std::uint16_t> ttl_deciseconds_;
};

} // namespace zlink::connections
