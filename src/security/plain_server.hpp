// SPDX-License-Identifier: MPL-2.0
// The server's side of PLAIN (RFC 24): an authenticator decides about the name and the password of HELLO.
//
// Threads and ownership: see zmtp/mechanism.hpp.
#pragma once

#include "zmtp/mechanism.hpp"

#include <utility>

namespace zlink::security {

class plain_server final : public zmtp::mechanism {
  public:
    plain_server() = default;
    ~plain_server() override;
    plain_server(const plain_server &) = delete;
    plain_server &operator=(const plain_server &) = delete;

    [[nodiscard]] std::string_view name() const noexcept override;
    [[nodiscard]] bool as_server() const noexcept override { return true; }
    [[nodiscard]] bool allows_old_peers() const noexcept override { return false; }
    [[nodiscard]] bool may_start_early() const noexcept override { return false; }

    void begin(std::vector<zmtp::property> own) override { own_ = std::move(own); }
    [[nodiscard]] bool append_next(zmtp::byte_buffer &out) override;
    [[nodiscard]] zmtp::handshake_failure accept(const zmtp::command &incoming) override;
    [[nodiscard]] bool done() const noexcept override { return step_ == step::over; }
    [[nodiscard]] std::span<const zmtp::property> peer_properties() const noexcept override { return peer_; }

    [[nodiscard]] const zmtp::authentication *awaits() const noexcept override {
        return step_ == step::ask ? &asked_ : nullptr;
    }
    void authenticated() override;
    void append_refusal(zmtp::byte_buffer &out, std::string_view reason) const override;

  private:
    enum class step : std::uint8_t { await_hello, ask, send_welcome, await_initiate, send_ready, over };

    [[nodiscard]] bool take_hello(zmtp::byte_view data);
    void forget_credentials() noexcept;

    zmtp::authentication asked_; // never optional: a password that nobody checks protects nothing
    std::vector<zmtp::property> own_;
    std::vector<zmtp::property> peer_;
    step step_ = step::await_hello;
};

} // namespace zlink::security
