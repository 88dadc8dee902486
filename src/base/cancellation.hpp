// SPDX-License-Identifier: MPL-2.0
// Cancellation of threads (pthreads(7)). A thread of the application is cancelled in the library where it
// waits, and nowhere else. A cancellation unwinds the stack, and a noexcept function in the way ends the
// process. So a system call that is a point of cancellation is made while cancellation is off (uncancelled),
// or without the C library (system_calls.hpp). The waits are the exception: every function from there up to
// the API lets the unwinding pass.
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
