// SPDX-License-Identifier: MPL-2.0
// The NULL mechanism: each side sends READY with its properties, and that is all.
//
// Threads and ownership: see zmtp/mechanism.hpp.
#pragma once

#include "zmtp/mechanism.hpp"

#include <utility>
#include <vector>

namespace zlink::zmtp {

class null_mechanism final : public mechanism {
  public:
    [[nodiscard]] std::string_view name() const noexcept override { return "NULL"; }
    [[nodiscard]] bool as_server() const noexcept override { return false; }
    [[nodiscard]] bool allows_old_peers() const noexcept override { return true; }
    [[nodiscard]] bool may_start_early() const noexcept override { return true; }

    void begin(std::vector<property> own) override { own_ = std::move(own); }
    [[nodiscard]] bool append_next(byte_buffer &out) override;
    [[nodiscard]] handshake_failure accept(const command &incoming) override;
    [[nodiscard]] bool done() const noexcept override { return sent_ && received_; }
    [[nodiscard]] std::span<const property> peer_properties() const noexcept override { return peer_; }

  private:
    std::vector<property> own_;
    std::vector<property> peer_;
    bool sent_ = false;
    bool received_ = false;
};

} // namespace zlink::zmtp
