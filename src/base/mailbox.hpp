// SPDX-License-Identifier: MPL-2.0
// mailbox: where a thread hears from others: a ready queue and the way to end the thread's sleep.
//
// Threads: see ready_queue. Ownership: shared by the thread's side and everybody who may notify it, so that a
// late wakeup never meets a dead object.
#pragma once

#include <cstddef>

#include "base/ready_queue.hpp"

namespace zlink {

class mailbox : public waker {
  public:
    mailbox() noexcept : ready(*this) {}
    mailbox(const mailbox &) = delete;
    mailbox &operator=(const mailbox &) = delete;
    virtual ~mailbox() = default;

    // Any thread. Something happened that a program may wait for with the descriptor of ZMQ_FD, although no
    // node has news.
    virtual void ring() noexcept {}
    // Like ring(), by the owner, in a call that may clear the descriptor at its end.
    virtual void ring_after_call() noexcept {}

    // Any thread. There is work for the owner that it may not come for by itself. Where many threads are the
    // owner, an I/O thread does it; else it waits for the owner's next call.
    virtual void ask_for_turn() noexcept {}

    ready_queue ready;
    // Who was attached here and may still be queued; touched by the thread that drains. Before it goes it
    // drains until there is nobody: what another thread is about to push comes soon, and would stay for ever.
    std::size_t attached = 0;
};

} // namespace zlink
