// SPDX-License-Identifier: MPL-2.0
// signals_blocked: while it lives, signals to the process go to other threads than the one that made it.
//
// Threads: the one that made it. A thread that is started meanwhile inherits the mask for good: signals are
// for the application's threads, whose blocked calls they end with EINTR. Those that tell of a fault of the
// thread itself are left, so that a debugger's or sanitizer's handler runs.
#pragma once

#include <csignal>
#include <pthread.h>

namespace zlink::runtime {

class signals_blocked {
  public:
    signals_blocked() noexcept {
        sigset_t blocked;
        sigfillset(&blocked);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
            sigdelset(&blocked, fault);
        pthread_sigmask(SIG_BLOCK, &blocked, &before_);
    }
    ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    // The mask that the thread had.
    [[nodiscard]] const sigset_t &before() const noexcept { return before_; }
    signals_blocked(const signals_blocked &) = delete;
    signals_blocked &operator=(const signals_blocked &) = delete;

  private:
    sigset_t before_;
};

} // namespace zlink::runtime
