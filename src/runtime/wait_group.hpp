// SPDX-License-Identifier: MPL-2.0
// gate: counts who is inside and lets one thread wait until nobody is.
//
// Threads: any; wait_empty() by one thread at a time.
#pragma once

#include <cstddef>
#include <mutex>

#include "runtime/parker.hpp"

namespace zlink::runtime {

class wait_group {
  public:
    void enter() {
        std::lock_guard lock(guard_);
        ++inside_;
    }
    void leave() {
        std::lock_guard lock(guard_);
        if (--inside_ == 0 && waiter_ != nullptr)
            waiter_->unpark();
    }
    [[nodiscard]] std::size_t inside() {
        std::lock_guard lock(guard_);
        return inside_;
    }
    // Returns false if a signal came first.
    [[nodiscard]] bool wait_empty() {
        for (bool interrupted = false;;) {
            {
                std::lock_guard lock(guard_);
                if (inside_ == 0 || interrupted) {
                    waiter_ = nullptr;
                    return inside_ == 0;
                }
                waiter_ = &parker::of_this_thread();
            }
            interrupted = parker::of_this_thread().park(never) == park_result::interrupted;
        }
    }

  private:
    std::mutex guard_;
    std::size_t inside_ = 0;   // guarded
    parker *waiter_ = nullptr; // guarded
};

} // namespace zlink::runtime
