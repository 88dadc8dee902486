// SPDX-License-Identifier: MPL-2.0
// socket_mailbox: the mailbox of a socket, whose owner is whichever application thread is in a call on it.
//
// Threads: wake() from any thread; everything else from the owner. A thread that is about to sleep says so
// with sleeping(true), looks at ready.empty() and what else it waits for, and parks; then sleeping(false).
// descriptor() is what ZMQ_FD gives: readable from the moment something waits in the queue until
// clear_descriptor().
#pragma once

#include <atomic>

#include "base/mailbox.hpp"
#include "runtime/parker.hpp"

namespace zlink::runtime {

class socket_mailbox : public mailbox {
  public:
    ~socket_mailbox() override;

    void wake() noexcept override;
    void ring() noexcept override {
        if (descriptor_.load(std::memory_order_seq_cst) >= 0)
            signal_descriptor();
    }

    void ring_after_call() noexcept override {
        rings_after_call_ = true;
        ring();
    }

    // The thread has its parker already: of_this_thread() may need memory.
    void sleeping(bool on) noexcept {
        sleeper_.store(on ? &parker::of_this_thread() : nullptr, std::memory_order_seq_cst);
    }
    // An eventfd, made with the first call; -1 with errno when there is none to be had.
    [[nodiscard]] int descriptor() noexcept;
    [[nodiscard]] bool has_descriptor() const noexcept {
        return descriptor_.load(std::memory_order_relaxed) >= 0;
    }
    // To be called before the queue is drained, by a call that tells the program what there is: what comes
    // later signals again.
    void clear_descriptor() noexcept;
    // To be called at the end of a call that has drained the queue.
    void clear_descriptor_at_end() noexcept;
    // In a child of fork(2) it is the parent's.
    void forget_descriptor() noexcept { descriptor_.store(-1, std::memory_order_relaxed); }
    // Makes the descriptor readable although the queue may be empty: now, or once there is one.
    void announce() noexcept;

  private:
    void signal_descriptor() noexcept;

    std::atomic<parker *> sleeper_{nullptr}; // stored by the owner
    std::atomic<int> descriptor_{-1};        // stored by the owner, once
    std::atomic<bool> signalled_{false};     // set by wakers, cleared by the owner
    bool announced_ = false;                 // the owner's; before there was a descriptor
    bool rings_after_call_ = false;          // the owner's
};

} // namespace zlink::runtime
