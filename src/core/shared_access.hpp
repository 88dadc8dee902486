// SPDX-License-Identifier: MPL-2.0
// shared_access: how threads wait in a socket that many of them use at once (SERVER, ZLINK_THREAD_SAFE, ...).
// One thread at a time works; the others wait for the lock or for events. A thread that sends or receives a
// message of several frames has that side of the socket to itself until the last one.
//
// Threads: any. A call holds the lock (socket::in_turn), and gives it up while it sleeps. The mailbox wakes
// the sleepers. A thread that makes room, or brings a message, for another thread wakes the mailbox.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>

#include "base/fork.hpp"
#include "base/thread_mark.hpp"
#include "core/persistence.hpp"
#include "core/turn_lock.hpp"
#include "runtime/shared_mailbox.hpp"

namespace zlink::core {

// One of the two ways of a socket, for the messages of several frames that go it. Behind the lock.
class message_turn {
  public:
    // Returns false if another thread is in the middle of a message. This one waits for its end, perhaps.
    [[nodiscard]] bool mine() noexcept {
        if (thread_ == nullptr || thread_ == this_thread())
            return true;
        wanted_ = true;
        return false;
    }
    // Is no thread in the middle of a message?
    [[nodiscard]] bool free() const noexcept { return thread_ == nullptr; }
    // Is this thread?
    [[nodiscard]] bool taken_by_me() const noexcept { return thread_ == this_thread(); }
    // A frame has passed. Returns true if others that had to wait may begin now.
    [[nodiscard]] bool passed(bool in_message) noexcept {
        thread_ = in_message ? this_thread() : nullptr;
        return !in_message && std::exchange(wanted_, false);
    }

  private:
    const void *thread_ = nullptr; // null: between two messages
    bool wanted_ = false;          // by another thread, since it was taken
};

class shared_access final : private fork_handler {
  public:
    shared_access(runtime::shared_mailbox &box, turn_lock &guard) noexcept : box_(box), guard_(guard) {}
    shared_access(const shared_access &) = delete;
    shared_access &operator=(const shared_access &) = delete;

    // ---- behind the lock
    // Waits once, without the lock. Returns 0 if something may have come, else EAGAIN (the time is over),
    // EINTR, or ENOTSOCK: the socket was closed meanwhile. Throws std::bad_alloc.
    template <class HasEvents> int wait(persistence &limits, HasEvents &&has_events) {
        if (has_events()) {
            if (limits.in_vain())
                let_others_in();
            return closing_ ? ENOTSOCK : 0;
        }
        if (const int interrupted = limits.before_sleep(); interrupted != 0)
            return interrupted;
        const auto result = sleep(limits.deadline(), has_events);
        if (closing_)
            return ENOTSOCK;
        if (result != runtime::park_result::woken && has_events())
            box_.ask_for_turn(); // this call may end now: nobody was asked while it slept
        switch (result) {
        case runtime::park_result::timed_out:
            return EAGAIN;
        case runtime::park_result::interrupted:
            return EINTR;
        case runtime::park_result::woken:
        case runtime::park_result::failed: // it needs no descriptor, so it does not fail
            break;
        }
        return 0;
    }

    [[nodiscard]] bool closing() const noexcept { return closing_; }
    // The socket ends. Returns true when nobody sleeps in it or waits for the lock any more: the lock is
    // closed. Returns false, with the lock as it was, if another thread closes the socket.
    [[nodiscard]] bool close() {
        if (closing_)
            return false;
        closing_ = true;
        box_.wake();
        while (sleeping_ != 0)
            pause();
        guard_.close();
        return true;
    }

    message_turn sending;
    message_turn receiving;

  private:
    // These end with the thread, too, when that is cancelled in its sleep.
    struct watch {
        watch(runtime::shared_mailbox &watched, runtime::parker &by) : box(watched), self(by) {
            box.add(self);
        }
        ~watch() { box.remove(self); }
        watch(const watch &) = delete;
        watch &operator=(const watch &) = delete;
        runtime::shared_mailbox &box;
        runtime::parker &self;
    };
    struct unlocked {
        explicit unlocked(shared_access &left) : all(left) {
            ++all.sleeping_;
            all.guard_.leave();
        }
        ~unlocked() {
            (void)all.guard_.enter(); // it is not closed while this thread counts as asleep
            --all.sleeping_;
        }
        unlocked(const unlocked &) = delete;
        unlocked &operator=(const unlocked &) = delete;
        shared_access &all;
    };

    // In a child of fork(2) nobody is left who could give the lock back.
    void on_fork() noexcept override { guard_.reset(); }

    // Sleeps without the lock, unless something is there to be done.
    template <class HasEvents> runtime::park_result sleep(runtime::time_ms deadline, HasEvents &&has_events) {
        runtime::parker &self = runtime::parker::of_this_thread();
        const watch until_woken(box_, self);
        if (has_events())
            return runtime::park_result::woken;
        const unlocked meanwhile(*this);
        return self.park(deadline);
    }
    // Without the lock.
    void pause() {
        const unlocked meanwhile(*this);
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    // Between two attempts of a call that always finds events: who waits for the lock gets it first.
    void let_others_in() noexcept {
        ++sleeping_;
        guard_.let_others_in();
        --sleeping_;
    }

    runtime::shared_mailbox &box_; // the socket's, which outlives it
    turn_lock &guard_;             // likewise
    std::size_t sleeping_ = 0;     // guarded
    bool closing_ = false;         // guarded
};

} // namespace zlink::core
