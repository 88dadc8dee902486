// SPDX-License-Identifier: MPL-2.0
// shared_access: the monitor of a socket that many threads may use at once (SERVER, CLIENT, ...). One thread
// at a time works; the others wait for the lock or for events.
//
// Threads: any. A call holds the lock (socket::in_turn), and gives it up while it sleeps. Whoever changes
// what others may wait for in another way than by the mailbox calls tell().
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "base/fork.hpp"
#include "core/persistence.hpp"
#include "runtime/shared_mailbox.hpp"

namespace zlink::core {

// A lock that says whether a thread waits for it, and how often it was taken.
class turn_lock {
  public:
    void lock() {
        if (!guard_.try_lock()) {
            waiting_.fetch_add(1, std::memory_order_relaxed);
            guard_.lock();
            waiting_.fetch_sub(1, std::memory_order_relaxed);
        }
        turns_.store(turns() + 1, std::memory_order_relaxed);
    }
    void unlock() { guard_.unlock(); }
    // Hints, for any thread.
    [[nodiscard]] bool awaited() const noexcept { return waiting_.load(std::memory_order_relaxed) != 0; }
    [[nodiscard]] std::uint64_t turns() const noexcept { return turns_.load(std::memory_order_relaxed); }

  private:
    std::mutex guard_;
    std::atomic<std::uint32_t> waiting_{0};
    std::atomic<std::uint64_t> turns_{0}; // stored by the thread that has the lock
};

class shared_access final : private fork_handler {
  public:
    explicit shared_access(runtime::shared_mailbox &box) noexcept : box_(box) {}
    shared_access(const shared_access &) = delete;
    shared_access &operator=(const shared_access &) = delete;

    [[nodiscard]] turn_lock &guard() noexcept { return guard_; }
    [[nodiscard]] runtime::shared_mailbox &box() noexcept { return box_; }
    // The calling thread is about to sleep on several sockets, or has slept. Throws std::bad_alloc.
    void announce_sleep(bool asleep) {
        runtime::parker &self = runtime::parker::of_this_thread();
        asleep ? box_.add(self) : box_.remove(self);
    }

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

    // The socket ends. Returns when nobody sleeps in it any more.
    void wake_all() {
        std::unique_lock<turn_lock> lock(guard_);
        closing_ = true;
        box_.wake();
        left_.wait(lock, [this] { return sleeping_ == 0; });
    }

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
            all.guard_.unlock();
        }
        ~unlocked() {
            all.guard_.lock();
            if (--all.sleeping_ == 0 && all.closing_)
                all.left_.notify_all();
        }
        unlocked(const unlocked &) = delete;
        unlocked &operator=(const unlocked &) = delete;
        shared_access &all;
    };

    // In a child of fork(2) nobody is left who could give the lock back.
    void on_fork() noexcept override { ::new (&guard_) turn_lock; }

    // Sleeps without the lock, unless something is there to be done.
    template <class HasEvents> runtime::park_result sleep(runtime::time_ms deadline, HasEvents &&has_events) {
        runtime::parker &self = runtime::parker::of_this_thread();
        const watch until_woken(box_, self);
        if (has_events())
            return runtime::park_result::woken;
        const unlocked meanwhile(*this);
        return self.park(deadline);
    }
    // Between two attempts of a call that always finds events: who waits for the lock gets it first.
    void let_others_in() {
        if (!guard_.awaited())
            return;
        const std::uint64_t before = guard_.turns();
        const unlocked meanwhile(*this);
        while (guard_.awaited() && guard_.turns() == before)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
    }

    runtime::shared_mailbox &box_; // the socket's, which outlives it
    turn_lock guard_;
    std::condition_variable_any left_;
    std::size_t sleeping_ = 0; // guarded
    bool closing_ = false;     // guarded
};

} // namespace zlink::core
