// SPDX-License-Identifier: MPL-2.0
// parker: the sleep of one application thread, until somebody wakes it, a deadline, or a signal.
//
// Threads: park() by its own thread, unpark() by any. Ownership: one per thread, from of_this_thread(); the
// memory is never returned, so a late unpark() meets a parker (perhaps of another thread, which then checks
// its condition once for nothing). An unpark() before the park() makes that one return at once. Linux: a
// futex (futex(2)); with descriptors to be watched as well, ppoll(2) and an eventfd(2) made on demand. A
// thread may be cancelled in its sleep, which unwinds its stack: who calls park() lets that pass.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <span>

#include "base/fork.hpp"
#include "runtime/clock.hpp"

struct pollfd;

namespace zlink::runtime {

enum class park_result : std::uint8_t { woken, timed_out, interrupted, failed };

class parker final : private fork_handler {
  public:
    static parker &of_this_thread();

    park_result park(time_ms deadline);
    // Sleeps on descriptors too; the last entry of `descriptors` is left free for the parker's own. `failed`:
    // no descriptor is to be had; failure() says why. `mask`: the thread's signal mask while it sleeps.
    park_result park_with(std::span<pollfd> descriptors, time_ms deadline, const sigset_t *mask = nullptr);
    // Parks without a descriptor of its own: no thread can wake it, so it ends after a moment, as if woken.
    park_result doze(std::span<pollfd> descriptors, time_ms deadline, const sigset_t *mask);
    // Why one of these failed: an errno number.
    [[nodiscard]] int failure() const noexcept { return failure_; }
    void unpark() noexcept;
    // By its thread, outside of a park: no waker uses it then.
    void close_descriptor() noexcept;

    parker() noexcept = default;
    parker(const parker &) = delete;
    parker &operator=(const parker &) = delete;

  private:
    void on_fork() noexcept override { close_descriptor(); } // it is the parent's
    enum state : std::uint32_t { running, signalled, parked, polling };

    class sleep;

    // Returns false if it was woken already.
    [[nodiscard]] bool lie_down(state how) noexcept;
    // Turns the result of ppoll(2) into that of a sleeper that no thread woke.
    [[nodiscard]] park_result outcome(int ready, int error, time_ms deadline) noexcept;
    // Returns true if it was woken.
    bool get_up(state from) noexcept;

    std::atomic<std::uint32_t> state_{running};
    int failure_ = 0;
    int event_fd_ = -1; // made by the owner before it says `polling`
};

} // namespace zlink::runtime
