// SPDX-License-Identifier: MPL-2.0
// The server's side of CURVE (RFC 26). An authenticator may decide about the client's permanent key, once the
// client has shown that it owns it.
//
// Threads and ownership: see zmtp/mechanism.hpp. Secret keys are wiped when it goes. The cookie's key lives
// as long as the handshake: a cookie is of use in its own connection only.
#pragma once

#include "security/curve_box.hpp"
#include "zmtp/mechanism.hpp"

#include <utility>

namespace zlink::security {

class curve_server final : public zmtp::mechanism {
  public:
    // `secret`: the server's permanent one. `optional`: clients are accepted where there is no authenticator.
    curve_server(const curve::key &secret, bool optional);
    ~curve_server() override;

    [[nodiscard]] std::string_view name() const noexcept override;
    [[nodiscard]] bool as_server() const noexcept override { return true; }
    [[nodiscard]] bool allows_old_peers() const noexcept override { return false; }
    [[nodiscard]] bool may_start_early() const noexcept override { return false; }

    void begin(std::vector<zmtp::property> own) override { own_properties_ = std::move(own); }
    [[nodiscard]] bool append_next(zmtp::byte_buffer &out) override;
    [[nodiscard]] zmtp::handshake_failure accept(const zmtp::command &incoming) override;
    [[nodiscard]] bool done() const noexcept override { return step_ == step::over; }
    [[nodiscard]] std::span<const zmtp::property> peer_properties() const noexcept override { return peer_; }
    [[nodiscard]] bool seals_traffic() const noexcept override { return true; }
    [[nodiscard]] std::unique_ptr<zmtp::frame_cipher> take_cipher() override;

    [[nodiscard]] const zmtp::authentication *awaits() const noexcept override {
        return step_ == step::ask ? &asked_ : nullptr;
    }
    void authenticated() override { step_ = step::send_ready; }

  private:
    enum class step : std::uint8_t { await_hello, send_welcome, await_initiate, ask, send_ready, over };

    void append_welcome(zmtp::byte_buffer &out);
    void append_ready(zmtp::byte_buffer &out);
    [[nodiscard]] zmtp::handshake_failure take_hello(zmtp::byte_view data);
    [[nodiscard]] zmtp::handshake_failure take_initiate(zmtp::byte_view data);
    [[nodiscard]] bool is_our_cookie(zmtp::byte_view cookie) const;
    [[nodiscard]] zmtp::handshake_failure take_client(zmtp::byte_view told);
    [[nodiscard]] zmtp::handshake_failure check_vouch(zmtp::byte_view vouch, const curve::key &client) const;

    curve::key secret_;
    curve::key_pair transient_; // s', S'
    curve::key cookie_key_;
    curve::key client_transient_{}; // C'
    std::uint64_t last_received_ = 0;
    zmtp::authentication asked_;
    std::vector<zmtp::property> own_properties_;
    std::vector<zmtp::property> peer_;
    step step_ = step::await_hello;
};

} // namespace zlink::security
