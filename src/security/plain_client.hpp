// SPDX-License-Identifier: MPL-2.0
// The client's side of PLAIN (RFC 24): HELLO with name and password, INITIATE with the properties.
//
// Threads and ownership: see zmtp/mechanism.hpp.
#pragma once

#include "base/wipe.hpp"
#include "zmtp/mechanism.hpp"

#include <string>
#include <utility>

namespace zlink::security {

class plain_client final : public zmtp::mechanism {
  public:
    // Each up to 255 bytes.
    plain_client(const std::string &username, const std::string &password)
        : username_(username), password_(password) {}
    ~plain_client() override { wipe(password_); }
    plain_client(const plain_client &) = delete;
    plain_client &operator=(const plain_client &) = delete;

    [[nodiscard]] std::string_view name() const noexcept override;
    [[nodiscard]] bool as_server() const noexcept override { return false; }
    [[nodiscard]] bool allows_old_peers() const noexcept override { return false; }
    // The password is for a server that has said that it speaks PLAIN.
    [[nodiscard]] bool may_start_early() const noexcept override { return false; }

    void begin(std::vector<zmtp::property> own) override { own_ = std::move(own); }
    [[nodiscard]] bool append_next(zmtp::byte_buffer &out) override;
    [[nodiscard]] zmtp::handshake_failure accept(const zmtp::command &incoming) override;
    [[nodiscard]] std::optional<std::string_view>
    misspelt_error(zmtp::byte_view body) const noexcept override;
    [[nodiscard]] bool done() const noexcept override { return step_ == step::over; }
    [[nodiscard]] std::span<const zmtp::property> peer_properties() const noexcept override { return peer_; }

  private:
    enum class step : std::uint8_t { send_hello, await_welcome, send_initiate, await_ready, over };

    std::string username_;
    std::string password_;
    std::vector<zmtp::property> own_;
    std::vector<zmtp::property> peer_;
    step step_ = step::send_hello;
};

} // namespace zlink::security
