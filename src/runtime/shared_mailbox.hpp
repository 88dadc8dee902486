// SPDX-License-Identifier: MPL-2.0
// shared_mailbox: the mailbox of a socket that many threads use at once: a wakeup is for all who sleep on it.
//
// Threads: any; what it does is behind a mutex of its own, which is held for no wait. A thread that is about
// to sleep adds its parker, looks at what it waits for, and parks; signals are raised with every wakeup.
// Ownership: none.
#pragma once

#include <mutex>
#include <vector>

#include "runtime/event_signal.hpp"
#include "runtime/socket_mailbox.hpp"

namespace zlink::runtime {

class shared_mailbox final : public socket_mailbox {
  public:
    void wake() noexcept override;

    void add(parker &sleeper); // throws std::bad_alloc
    void remove(parker &sleeper) noexcept;
    void add(event_signal &raised); // throws std::bad_alloc
    void remove(event_signal &raised) noexcept;

  private:
    std::mutex guard_;
    std::vector<parker *> sleepers_;      // guarded; a thread is here as often as it was added
    std::vector<event_signal *> signals_; // guarded
};

} // namespace zlink::runtime
