// SPDX-License-Identifier: MPL-2.0
// parting: the end of a connection whose socket is gone. Sent bytes still go out, and bytes that come are
// thrown away.
//
// Before closing, the connection waits while the peer takes what the system has not sent yet. If the peer has
// sent something meanwhile, it waits until the peer has confirmed all. Bytes that come after the close are
// answered by a reset, which could discard ours. It does not wait for confirmations otherwise, since they may
// take their time.
//
// Threads: the I/O thread. Ownership: of the connection.
#pragma once

#include <chrono>
#include <cstddef>

#include "runtime/clock.hpp"
#include "transport/stream.hpp"

namespace zlink::connections {

class parting {
  public:
    static constexpr std::chrono::milliseconds check_interval{5};

    // Reads the bytes that nobody wants. If a stream is closed with unread bytes, the system may drop what it
    // has still to send (RFC 1122, 4.2.2.13). Returns false if the peer has closed the stream.
    [[nodiscard]] bool discard(transport::stream &from) noexcept;
    // From now on the peer has a limited time to take any of what was sent before.
    void begin() noexcept;
    // Returns true if the stream may be closed. To be asked every check_interval after begin().
    [[nodiscard]] bool is_delivered(transport::stream &to) noexcept;

  private:
    static constexpr runtime::time_ms longest_ms = 1000;

    runtime::time_ms deadline_ = runtime::never;
    std::size_t undelivered_ = 0; // bytes, when last asked
    bool discarded_ = false;      // something came
};

} // namespace zlink::connections
