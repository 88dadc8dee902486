// SPDX-License-Identifier: MPL-2.0
// http_proxy_client: the client's side of a proxy of HTTP/1.1. CONNECT (RFC 9110, section 9.3.6) asks it for
// a tunnel to a host; Basic (RFC 7617) tells it the login.
//
// Threads: one owner at a time. Pure: no I/O, no clock. Use: send output(), feed() what comes, until state()
// is done or failed. At most wanted() bytes may be received before the next feed(): bytes behind the answer
// are the peer's, and stay in the stream. Every copy of the login is wiped.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "transport/endpoint.hpp"
#include "transport/http_head.hpp"

namespace zlink::transport {

enum class http_proxy_state : std::uint8_t { asking, done, failed };

class http_proxy_client {
  public:
    // `login`: user name, colon, password; empty: none. Failed from the start: a host that is no word. Throws
    // std::bad_alloc.
    http_proxy_client(const tcp_host_port &host, std::string_view login);
    ~http_proxy_client(); // wipes the login
    http_proxy_client(const http_proxy_client &) = delete;
    http_proxy_client &operator=(const http_proxy_client &) = delete;

    [[nodiscard]] std::span<const std::uint8_t> output() const noexcept;
    void consume_output(std::size_t count) noexcept { sent_ += count; }
    // 0 when it is over.
    [[nodiscard]] std::size_t wanted() const noexcept;
    // At most wanted() bytes. Throws std::bad_alloc.
    void feed(std::span<const std::uint8_t> in);
    [[nodiscard]] http_proxy_state state() const noexcept { return state_; }
    // Returns an errno: EACCES for a wrong login, EPROTO for what is no answer, ECONNREFUSED for any other
    // refusal; 0: it has not failed.
    [[nodiscard]] int failure() const noexcept { return failure_; }

  private:
    void on_answer();
    void fail(int code) noexcept;

    std::string output_;
    std::size_t sent_ = 0;
    http_head answer_;
    http_proxy_state state_ = http_proxy_state::asking;
    int failure_ = 0;
};

} // namespace zlink::transport
