// SPDX-License-Identifier: MPL-2.0
// connection_timers: the times at which a connection has something to do, and one timer for the next of them.
//
// Threads: the I/O thread. Ownership: of the connection; the timer exists while there is a time to wait for.
#pragma once

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <new>
#include <utility>

#include "runtime/clock.hpp"

namespace zlink::connections {

enum class timed : std::uint8_t {
    handshake_deadline,
    parting_check,
    read_lease_check,
    write_lease_check,
    heartbeat
};

class connection_timers {
  public:
    using time = std::chrono::steady_clock::time_point;

    explicit connection_timers(boost::asio::io_context &context) noexcept : context_(context) {
        at_.fill(never);
    }

    // A change counts from the next arm() on.
    void set(timed what, std::chrono::microseconds from_now) noexcept {
        at(what) = std::chrono::steady_clock::now() + from_now;
    }
    void set_at(timed what, runtime::time_ms deadline) noexcept {
        at(what) = deadline == runtime::never ? never : time(std::chrono::milliseconds(deadline));
    }
    void clear(timed what) noexcept { at(what) = never; }
    // Returns true once when the time has come.
    [[nodiscard]] bool take(timed what, time now) noexcept {
        if (now < at(what))
            return false;
        clear(what);
        return true;
    }

    // Waits for the next time. The handler gets the error of the wait. Returns false if memory is short.
    template <class Handler> [[nodiscard]] bool arm(Handler &&handler) noexcept {
        const time next = *std::min_element(at_.begin(), at_.end());
        if (next == never) {
            timer_.reset();
            return true;
        }
        try {
            if (!timer_)
                timer_ = std::make_unique<boost::asio::steady_timer>(context_);
            timer_->expires_at(next);
            timer_->async_wait(std::forward<Handler>(handler));
        } catch (const std::bad_alloc &) {
            return false;
        }
        return true;
    }
    void stop() noexcept { timer_.reset(); }

  private:
    static constexpr time never = time::max();

    [[nodiscard]] time &at(timed what) noexcept { return at_[static_cast<std::size_t>(what)]; }

    boost::asio::io_context &context_;
    std::array<time, static_cast<std::size_t>(timed::heartbeat) + 1> at_;
    std::unique_ptr<boost::asio::steady_timer> timer_;
};

} // namespace zlink::connections
