// SPDX-License-Identifier: MPL-2.0
// When to send PING, and when silence means that the connection is gone (RFC 37; HEARTBEAT_IVL, _TIMEOUT and
// _TTL of zmq_setsockopt(3)).
//
// Threads: none of its own; one owner at a time. No clock: `now` is an argument, in milliseconds of any
// monotonic clock. Use: arm one timer for next_deadline() after each on_timer() and on_ping(), and call
// on_timer() when it fires. on_traffic() only moves the deadline later, so a timer that is already armed may
// just fire early. Calling early is harmless.
//
// Rules: a PING goes out every interval. Any traffic is a sign of life. The connection is dead when nothing
// came within the timeout after a PING, or within the TTL that the peer named in its last PING.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace zlink::zmtp {

struct heartbeat_config {
    std::int64_t interval_ms = 0; // 0: send no PING
    std::int64_t timeout_ms = -1; // after a PING; 0: none, below 0: as interval_ms
    std::int64_t ttl_ms = 0;      // what our PINGs ask of the peer
};

struct heartbeat_actions {
    bool send_ping = false;
    bool close = false;
    bool missed = false; // with `close`: it is a PING of ours that had no answer in time
};

class heartbeat {
  public:
    static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

    heartbeat(const heartbeat_config &config, std::int64_t now) noexcept
        : interval_ms_(config.interval_ms),
          timeout_ms_(config.timeout_ms < 0 ? config.interval_ms : config.timeout_ms),
          ttl_deciseconds_(
              static_cast<std::uint16_t>(std::clamp<std::int64_t>(config.ttl_ms / 100, 0, 0xFFFF))),
          last_traffic_(now), next_ping_(config.interval_ms > 0 ? now + config.interval_ms : never) {}

    // Bytes came from the peer.
    void on_traffic(std::int64_t now) noexcept {
        last_traffic_ = now;
        awaited_since_ = never;
    }
    // A PING came, and is traffic. A TTL of 0 lifts the one before.
    void on_ping(std::uint16_t ttl_deciseconds, std::int64_t now) noexcept {
        peer_ttl_ms_ = std::int64_t{ttl_deciseconds} * 100;
        on_traffic(now);
    }
    // Returns the actions that are due now. `close` comes alone. A send_ping counts as done.
    [[nodiscard]] heartbeat_actions on_timer(std::int64_t now) noexcept {
        if (now >= dead_at())
            return {.send_ping = false, .close = true, .missed = now >= answer_due_at()};
        if (now < next_ping_)
            return {};
        next_ping_ = now + interval_ms_;
        if (awaited_since_ == never)
            awaited_since_ = now;
        return {.send_ping = true};
    }
    // The moment of the next on_timer, or `never`.
    [[nodiscard]] std::int64_t next_deadline() const noexcept { return std::min(next_ping_, dead_at()); }
    // The TTL to put in our PINGs.
    [[nodiscard]] std::uint16_t ttl_deciseconds() const noexcept { return ttl_deciseconds_; }

  private:
    [[nodiscard]] std::int64_t answer_due_at() const noexcept {
        return awaited_since_ != never && timeout_ms_ > 0 ? awaited_since_ + timeout_ms_ : never;
    }
    [[nodiscard]] std::int64_t dead_at() const noexcept {
        return std::min(answer_due_at(), peer_ttl_ms_ > 0 ? last_traffic_ + peer_ttl_ms_ : never);
    }

    std::int64_t interval_ms_;
    std::int64_t timeout_ms_;
    std::uint16_t ttl_deciseconds_;
    std::int64_t last_traffic_;
    std::int64_t next_ping_;
    std::int64_t awaited_since_ = never; // the first PING since the last traffic
    std::int64_t peer_ttl_ms_ = 0;
};

} // namespace zlink::zmtp
