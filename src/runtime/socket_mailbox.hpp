// SPDX-License-Identifier: MPL-2.0
// socket_mailbox: the mailbox of a socket, whose owner is whichever application thread is in a call on it.
//
// Threads: wake() from any thread; everything else from the owner. A thread that is about to sleep says so
// with sleeping(true), looks at ready.empty() and what else it waits for, and parks; then sleeping(false).
// descriptor() is what ZMQ_FD gives: readable from the moment something waits in the queue until
// clear_descriptor(). For an event loop it is so only while the loop waits: ring_for_loop(true) is
// sleeping(true) and the look at ready.empty().
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/mailbox.hpp"
#include "runtime/parker.hpp"

namespace zlink::runtime {

class socket_mailbox : public mailbox {
  public:
    ~socket_mailbox() override;

    void wake() noexcept override;
    void ring() noexcept override {
        if (rings_.load(std::memory_order_seq_cst) != ringing::off)
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
    // The owner's note that a poll has met this socket. Returns the note before.
    bool counted_in_poll(bool now) noexcept { return std::exchange(counted_, now); }
    // An eventfd, made with the first call; -1 with errno when there is none to be had.
    [[nodiscard]] int descriptor() noexcept;
    // It is the same one, for an event loop that says with ring_for_loop() when it is to be readable.
    [[nodiscard]] int loop_descriptor() noexcept { return has_descriptor() ? number() : make(); }
    // `waits`: until the next call the loop waits for the descriptor. Else it looks at the queue itself.
    void ring_for_loop(bool waits) noexcept {
        if (rings_.load(std::memory_order_relaxed) != ringing::always)
            rings_.store(waits ? ringing::in_a_wait : ringing::off, std::memory_order_seq_cst);
        if (waits && !ready.empty())
            signal_descriptor();
    }
    [[nodiscard]] bool has_descriptor() const noexcept { return number() >= 0; }
    // To be called before the queue is drained, by a call that tells the program what there is: what comes
    // later signals again.
    void clear_descriptor() noexcept;
    // To be called at the end of a call that has drained the queue.
    void clear_descriptor_at_end() noexcept;
    // In a child of fork(2) it is the parent's.
    void forget_descriptor() noexcept {
        rings_.store(ringing::off, std::memory_order_relaxed);
        descriptor_.store(-1, std::memory_order_relaxed);
    }
    // Makes the descriptor readable although the queue may be empty: now, or once there is one.
    void announce() noexcept;

  private:
    enum class ringing : std::uint8_t { off, in_a_wait, always }; // of a loop; for ZMQ_FD

    [[nodiscard]] int number() const noexcept { return descriptor_.load(std::memory_order_relaxed); }
    [[nodiscard]] int make() noexcept;
    void signal_descriptor() noexcept;

    std::atomic<parker *> sleeper_{nullptr};   // stored by the owner
    std::atomic<int> descriptor_{-1};          // stored by the owner, once, before `rings_`
    std::atomic<ringing> rings_{ringing::off}; // when wakers signal it; stored by the owner
    std::atomic<bool> signalled_{false};       // set by wakers, cleared by the owner
    bool announced_ = false;                   // the owner's; before there was a descriptor
    bool rings_after_call_ = false;            // the owner's
    bool counted_ = false;                     // the owner's
};

} // namespace zlink::runtime
