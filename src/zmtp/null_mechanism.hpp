// SPDX-License-Identifier: MPL-2.0
// The NULL mechanism: each side sends READY with its properties, and that is all. Where the application wants
// to be asked about peers, it is before our READY.
//
// Threads and ownership: see zmtp/mechanism.hpp.
#pragma once

#include "zmtp/mechanism.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace zlink::zmtp {

class null_mechanism final : public mechanism {
  public:
    explicit null_mechanism(std::optional<authentication> asked = {}) : asked_(std::move(asked)) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "NULL"; }
    [[nodiscard]] bool as_server() const noexcept override { return false; }
    // Who is to be asked about can be asked about in 3.x only.
    [[nodiscard]] bool allows_old_peers() const noexcept override { return !asked_; }
    [[nodiscard]] bool may_start_early() const noexcept override { return !asked_; }

    void begin(std::vector<property> own) override { own_ = std::move(own); }
    [[nodiscard]] bool append_next(byte_buffer &out) override;
    [[nodiscard]] handshake_failure accept(const command &incoming) override;
    [[nodiscard]] bool done() const noexcept override { return sent_ && received_; }
    [[nodiscard]] std::span<const property> peer_properties() const noexcept override { return peer_; }
    [[nodiscard]] const authentication *awaits() const noexcept override {
        return asked_ && !answered_ ? &*asked_ : nullptr;
    }
    void authenticated() override { answered_ = true; }

  private:
    std::optional<authentication> asked_;
    std::vector<property> own_;
    std::vector<property> peer_;
    bool answered_ = false;
    bool sent_ = false;
    bool received_ = false;
};

} // namespace zlink::zmtp
