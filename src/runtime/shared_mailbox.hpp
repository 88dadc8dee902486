// SPDX-License-Identifier: MPL-2.0
// shared_mailbox: the mailbox of a socket that many threads use at once: a wakeup is for all who sleep on it.
// If nobody sleeps, an I/O thread can be asked to take a turn in the socket.
//
// Threads: any; what it does is behind a mutex of its own, which is held for no wait. A thread that is about
// to sleep adds its parker, looks at what it waits for, and parks; signals are raised with every wakeup.
// Ownership: none.
#pragma once

#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "base/fork.hpp"
#include "runtime/background_turn.hpp"
#include "runtime/event_signal.hpp"
#include "runtime/socket_mailbox.hpp"

namespace zlink::runtime {

class shared_mailbox final : public socket_mailbox, private fork_handler {
  public:
    void wake() noexcept override;

    void ask_for_turn() noexcept override;

    // Who takes a turn when nobody sleeps here; null: nobody. `always`: with every wakeup. So a publisher has
    // it, to which nothing comes but subscriptions. Else only when it is asked for.
    void set_turn(std::shared_ptr<background_turn> taken_by, bool always) noexcept;
    void add(parker &sleeper); // throws std::bad_alloc
    void remove(parker &sleeper) noexcept;
    void add(event_signal &raised); // throws std::bad_alloc
    void remove(event_signal &raised) noexcept;

  private:
    // In a child of fork(2) nobody is left who could give the lock back.
    void on_fork() noexcept override { ::new (&guard_) std::mutex; }

    std::mutex guard_;
    std::vector<parker *> sleepers_;        // guarded; a thread is here as often as it was added
    std::vector<event_signal *> signals_;   // guarded
    std::shared_ptr<background_turn> turn_; // guarded
    bool always_ = false;                   // guarded
};

} // namespace zlink::runtime
