// SPDX-License-Identifier: MPL-2.0
// blocked_time: measures how long a send waits for room.
//
// Threads: the socket's. Ownership: borrows the counters of the socket.
#pragma once

#include <chrono>

#include "base/probe.hpp"
#include "counters/layout.hpp"

namespace zlink::core {

// Adds the time until its end.
class blocked_time {
  public:
    explicit blocked_time(counters::socket_record &to) noexcept : to_(to) { ZLINK_PROBE(block, to.id.get()); }
    ~blocked_time() {
        const std::chrono::nanoseconds time = std::chrono::steady_clock::now() - began_;
        to_.send_blocked_ns.add(static_cast<std::uint64_t>(time.count()));
        ZLINK_PROBE(unblock, to_.id.get(), time.count());
    }
    blocked_time(const blocked_time &) = delete;
    blocked_time &operator=(const blocked_time &) = delete;

  private:
    counters::socket_record &to_;
    const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

} // namespace zlink::core
