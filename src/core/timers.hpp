// SPDX-License-Identifier: MPL-2.0
// timers: a set of repeating timers that runs their handlers when it is asked to (zmq_timers).
//
// Threads: one at a time, its owner's. A handler may add, change and cancel timers, itself too. Units:
// milliseconds of runtime/clock.hpp, which the caller passes as `now`. Errors: EINVAL: there is no such
// timer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/result.hpp"
#include "runtime/clock.hpp"

namespace zlink::core {

class timers {
  public:
    using handler = void (*)(int timer_id, void *argument);

    timers() = default;
    ~timers() { tag_ = 0; }
    timers(const timers &) = delete;
    timers &operator=(const timers &) = delete;

    // Is this a set, and not something else?
    [[nodiscard]] bool valid() const noexcept { return tag_ == living; }

    // The id of the new timer; the first is 1.
    int add(std::size_t interval_ms, handler called, void *argument, runtime::time_ms now);
    // The timer runs no more. It is forgotten when timeout_ms() or execute() comes to it; until then it may
    // be changed.
    result<void> cancel(int id);
    // The timer's next time is a new interval from now on.
    result<void> set_interval(int id, std::size_t interval_ms, runtime::time_ms now);
    result<void> reset(int id, runtime::time_ms now);

    // How long until the next one is due; 0: one is. -1: there is none.
    [[nodiscard]] long timeout_ms(runtime::time_ms now) noexcept;
    // Runs every timer that is due, each once, in the order of their times.
    void execute(runtime::time_ms now);

  private:
    // Timers of the same time run in the order in which they were set.
    struct moment {
        runtime::time_ms time;
        std::uint64_t serial;
        friend bool operator<(const moment &a, const moment &b) noexcept {
            return std::tie(a.time, a.serial) < std::tie(b.time, b.serial);
        }
    };
    struct timer {
        std::size_t interval_ms;
        handler called;
        void *argument;
        moment due;
        bool cancelled = false;
    };
    using queue = std::map<moment, int>; // ids by their next time

    [[nodiscard]] moment moment_after(std::size_t interval_ms, runtime::time_ms now) noexcept;
    void set_due(int id, timer &changed, runtime::time_ms now);
    // Forgets a timer. Returns the entry after it.
    queue::iterator forget(queue::iterator entry) noexcept;

    static constexpr std::uint32_t living = 0x7A74696D;
    std::uint32_t tag_ = living;
    int last_id_ = 0;
    std::uint64_t last_serial_ = 0;
    std::unordered_map<int, timer> timers_;
    queue queue_;
};

} // namespace zlink::core
