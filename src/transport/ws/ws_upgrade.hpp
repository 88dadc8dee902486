// SPDX-License-Identifier: MPL-2.0
// The opening handshake of WebSocket (RFC 6455, section 4) with the subprotocols of ZWS (RFC 45), from either
// side.
//
// Threads: one owner at a time. Ownership: it keeps what it was fed until it is done. No I/O, no clock.
//
// Use: send output(), feed() what arrives, repeat until state() is `done` or `failed`. A server that has
// failed has a response as its output. feed() takes at most the head: what follows belongs to the frames.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "transport/http_head.hpp"
#include "transport/ws/ws_frame.hpp"

namespace zlink::transport {

// The wish of this end. `mechanism`: NULL, PLAIN or CURVE.
struct ws_wish {
    ws_side side = ws_side::client;
    std::string host; // of a client: for the field Host
    std::string path = "/";
    std::string mechanism = "NULL";
    std::string origins = {}; // of a server: the sites whose pages may connect, with commas; empty: all
};

enum class ws_upgrade_state : std::uint8_t { going_on, done, failed };

// Why it has failed. http: the other side does not speak WebSocket, or breaks its rules. path: there is
// nothing at the path. subprotocol: there is no common one. refused: another answer than 101. origin: a page
// of a site that may not connect.
enum class ws_upgrade_failure : std::uint8_t {
    none,
    http,
    path,
    subprotocol,
    refused,
    no_randomness,
    origin
};

class ws_upgrade {
  public:
    // Throws std::bad_alloc, as the other functions.
    explicit ws_upgrade(ws_wish wish);

    std::size_t feed(std::span<const std::uint8_t> in);
    [[nodiscard]] std::span<const std::uint8_t> output() const noexcept;
    void sent(std::size_t size) noexcept { output_sent_ += size; }

    [[nodiscard]] ws_upgrade_state state() const noexcept { return state_; }
    [[nodiscard]] ws_upgrade_failure failure() const noexcept { return failure_; }
    // Returns the path that a client has asked for, and its request; when a server has failed because of it.
    [[nodiscard]] std::string asked_path() const;
    [[nodiscard]] std::string_view request() const noexcept { return head_.text(); }
    // Returns true if ZWS2.0 without a mechanism was agreed on; when it is done.
    [[nodiscard]] bool bare() const noexcept { return bare_; }

  private:
    void ask();
    void on_request();
    void on_response();
    [[nodiscard]] bool may_come() const;
    void accept(std::string_view key, std::string_view subprotocol);
    void answer(std::string_view status, std::string_view fields, ws_upgrade_failure why);
    void fail(ws_upgrade_failure why) noexcept;

    ws_wish wish_;
    ws_upgrade_state state_ = ws_upgrade_state::going_on;
    ws_upgrade_failure failure_ = ws_upgrade_failure::none;
    bool bare_ = false;
    http_head head_;
    std::string key_; // of a client
    std::string output_;
    std::size_t output_sent_ = 0;
};

// Returns the value of Sec-WebSocket-Accept for a key; empty: there is no memory.
[[nodiscard]] std::string accept_value(std::string_view key);

} // namespace zlink::transport
