// SPDX-License-Identifier: MPL-2.0
// The client's side of SOCKS 5 (RFC 1928), with user name and password (RFC 1929): asks a proxy to connect to
// a host.
//
// Threads: none of its own; one owner at a time. Pure: no I/O and no clock. Use: send output(), feed() what
// comes, until state() is done or failed. At most wanted() bytes may be received before the next feed().
// Bytes after the proxy's answer are the peer's, and must stay in the stream. Every length is checked before
// it is used. Every copy of the password is wiped.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/endpoint.hpp"

namespace zlink::transport {

enum class socks5_state : std::uint8_t { choosing, authenticating, connecting, done, failed };
[[nodiscard]] const char *to_string(socks5_state state) noexcept;

struct socks5_login {
    std::string_view username; // empty: none is offered
    std::string_view password;
};

class socks5_client {
  public:
    // The host as its address where it is numeric, else as a name that the proxy looks up. Failed from the
    // start: a host or a login of more than 255 bytes.
    socks5_client(const tcp_host_port &host, bool ipv6, const socks5_login &login);
    ~socks5_client(); // wipes the password
    socks5_client(const socks5_client &) = delete;
    socks5_client &operator=(const socks5_client &) = delete;

    [[nodiscard]] std::span<const std::uint8_t> output() const noexcept {
        return std::span(output_).subspan(output_sent_);
    }
    void consume_output(std::size_t count) noexcept { output_sent_ += count; }
    // 0 when it is over.
    [[nodiscard]] std::size_t wanted() const noexcept;
    // At most wanted() bytes.
    void feed(std::span<const std::uint8_t> in);
    [[nodiscard]] socks5_state state() const noexcept { return state_; }

  private:
    void offer_methods();
    void on_method();
    void on_login();
    void on_answer();
    void log_in();
    void request();
    void send(std::vector<std::uint8_t> bytes) noexcept;
    void want(std::size_t more) noexcept { needed_ += more; }
    void next(socks5_state state, std::size_t bytes) noexcept;

    std::vector<std::uint8_t> request_;
    std::vector<std::uint8_t> login_; // the message with the user name and the password; empty: none
    socks5_state state_ = socks5_state::choosing;
    std::vector<std::uint8_t> output_;
    std::size_t output_sent_ = 0;
    std::vector<std::uint8_t> input_; // of the answer that is being received
    std::size_t needed_ = 0;          // its size, as far as it is known
};

} // namespace zlink::transport
