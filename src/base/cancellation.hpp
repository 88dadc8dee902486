// SPDX-License-Identifier: MPL-2.0
// Cancellation of threads (pthreads(7)). A thread of the application is cancelled in the library where it
// waits, and nowhere else: the stack is unwound then, which ends the process where it meets a noexcept
// function. So calls of the system that are points of cancellation are made where none acts (uncancelled) or
// in a way that is none (system_calls.hpp), but for the waits, which everything up to the API lets pass.
#pragma once

#include <pthread.h>

namespace zlink {

class uncancelled {
  public:
    uncancelled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~uncancelled() {
        int unused = 0;
        pthread_setcancelstate(before_, &unused);
    }
    uncancelled(const uncancelled &) = delete;
    uncancelled &operator=(const uncancelled &) = delete;

  private:
    int before_ = 0;
};

} // namespace zlink
