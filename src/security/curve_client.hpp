// SPDX-License-Identifier: MPL-2.0
// The client's side of CURVE (RFC 26): HELLO, WELCOME, INITIATE, READY.
//
// Threads and ownership: see zmtp/mechanism.hpp. Secret keys are wiped when it goes.
#pragma once

#include "security/curve_box.hpp"
#include "zmtp/mechanism.hpp"

#include <utility>

namespace zlink::security {

class curve_client final : public zmtp::mechanism {
  public:
    // `own`: the permanent pair; `server`: the server's permanent public key.
    curve_client(const curve::key_pair &own, const curve::key &server);

    [[nodiscard]] std::string_view name() const noexcept override;
    [[nodiscard]] bool as_server() const noexcept override { return false; }
    [[nodiscard]] bool allows_old_peers() const noexcept override { return false; }
    [[nodiscard]] bool may_start_early() const noexcept override { return false; }

    void begin(std::vector<zmtp::property> own) override { own_properties_ = std::move(own); }
    [[nodiscard]] bool append_next(zmtp::byte_buffer &out) override;
    [[nodiscard]] zmtp::handshake_failure accept(const zmtp::command &incoming) override;
    [[nodiscard]] bool done() const noexcept override { return step_ == step::over; }
    [[nodiscard]] std::span<const zmtp::property> peer_properties() const noexcept override { return peer_; }
    [[nodiscard]] bool seals_traffic() const noexcept override { return true; }
    [[nodiscard]] std::unique_ptr<zmtp::frame_cipher> take_cipher() override;

  private:
    enum class step : std::uint8_t { send_hello, await_welcome, send_initiate, await_ready, over };

    void append_hello(zmtp::byte_buffer &out);
    void append_initiate(zmtp::byte_buffer &out);
    [[nodiscard]] zmtp::handshake_failure take_welcome(zmtp::byte_view data);
    [[nodiscard]] zmtp::handshake_failure take_ready(zmtp::byte_view data);

    curve::key_pair own_;
    curve::key server_;
    curve::key_pair transient_; // c', C'
    curve::key server_transient_{};
    zmtp::byte_buffer cookie_;
    std::uint64_t last_received_ = 0;
    std::vector<zmtp::property> own_properties_;
    std::vector<zmtp::property> peer_;
    step step_ = step::send_hello;
};

} // namespace zlink::security
