// SPDX-License-Identifier: MPL-2.0
// turn_lock: lets one thread at a time into a socket that many threads use, until it is closed for good.
//
// The lock is biased towards one thread: the first that comes in many times in a row. That thread enters and
// leaves by plain stores while it has the bias. Other threads use one atomic instruction, and revoke the bias
// first. The thread gets it back when it comes in many times in a row again.
//
// Threads: any. Order: enter() acquires what leave() released. A thread that finds the lock taken looks
// again, and then sleeps (futex(2)). Two hand-overs have the two halves of an asymmetric fence between a
// store and a load, so that one side sees the other:
// - The biased thread stores `inside_` and looks whether it still has the bias. Whoever revokes the bias
//   clears `bias_` and looks whether that thread is inside. Only one thread ever stores `inside_`: its store
//   may be late, and must not be taken for another thread's.
// - Whoever leaves stores `word_` and looks for sleepers. A sleeper says so and looks at `word_`.
// Life: a thread that comes late may still look at a lock that is closed. Its memory has to stay readable,
// and may be zeroed.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/asymmetric_fence.hpp"
#include "base/thread_mark.hpp"

namespace zlink::core {

class turn_lock {
  public:
    // Returns false if it is closed.
    [[nodiscard, gnu::always_inline]] bool enter() noexcept {
        return enter_biased() || enter_by_word(this_thread()) || enter_later(this_thread());
    }
    // Enters if the calling thread has the bias, and does nothing if not. After true leave_biased() must
    // follow.
    [[nodiscard, gnu::always_inline]] bool enter_biased() noexcept {
        const void *const self = this_thread();
        if (bias_.load(std::memory_order_relaxed) != self)
            return false;
        inside_.store(self, std::memory_order_relaxed);
        asymmetric_fence_light();
        if (bias_.load(std::memory_order_acquire) == self) [[likely]]
            return true;
        leave_biased();
        return false;
    }
    [[gnu::always_inline]] void leave_biased() noexcept { inside_.store(nullptr, std::memory_order_release); }
    // Returns false if it is taken or closed. It may wait for the rest of a turn of the biased thread.
    [[nodiscard]] bool try_enter() noexcept;
    [[gnu::always_inline]] void leave() noexcept {
        if (inside_.load(std::memory_order_relaxed) == this_thread())
            leave_biased();
        else
            give_word_back();
    }
    // By the thread that has it, which never leaves. Nobody enters any more. Returns when nobody waits for
    // it.
    void close() noexcept;
    // By the thread that has it. Leaves, and enters again when another thread was in, or about to be.
    void let_others_in() noexcept;
    // In a child of fork(2) nobody is left who could leave it.
    void reset() noexcept;

  private:
    enum state : std::uint32_t { closed, unowned, owned };

    [[nodiscard, gnu::always_inline]] bool take_word() noexcept {
        std::uint32_t found = unowned;
        return word_.compare_exchange_strong(found, owned, std::memory_order_acquire,
                                             std::memory_order_relaxed);
    }
    [[gnu::always_inline]] void give_word_back() noexcept {
        word_.store(unowned, std::memory_order_release);
        asymmetric_fence_light();
        if (asleep_.load(std::memory_order_relaxed) != 0) [[unlikely]]
            wake_one();
    }
    // Does not wait. Returns false also if another thread has the bias: enter_later() revokes it. With the
    // word the bias is looked for again, since nobody else can get it then.
    [[nodiscard, gnu::always_inline]] bool enter_by_word(const void *self) noexcept {
        if (bias_.load(std::memory_order_relaxed) != nullptr || !take_word()) [[unlikely]]
            return false;
        if (bias_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
            give_word_back();
            return false;
        }
        count_turn(self);
        return true;
    }
    [[gnu::always_inline]] void count_turn(const void *self) noexcept {
        if (last_ != self) {
            last_ = self;
            in_a_row_ = 0;
        } else if (++in_a_row_ >= enough_) [[unlikely]] {
            give_bias(self);
        }
    }
    [[nodiscard]] bool enter_later(const void *self) noexcept;
    [[nodiscard]] bool look_a_while() noexcept;
    void give_bias(const void *self) noexcept;
    void revoke_bias() noexcept;
    void sleep() noexcept;
    void wake(int most) noexcept;
    void wake_one() noexcept;

    static constexpr std::uint32_t first_enough = 64;
    static constexpr std::uint32_t most_enough = 1U << 12;

    std::atomic<const void *> bias_{nullptr};   // the biased thread, or null; stored by who has `word_`
    std::atomic<const void *> inside_{nullptr}; // the biased thread, or null; stored by it alone
    std::atomic<std::uint32_t> word_{unowned};
    std::atomic<std::uint32_t> asleep_{0}; // threads about to sleep, or asleep

    // ---- of the thread that has `word_`
    const void *biased_to_ = nullptr; // the one thread; null: none has come in often enough yet
    const void *last_ = nullptr;      // who had the word last
    std::uint32_t in_a_row_ = 0;      // its turns
    // So many turns in a row give the bias. The number doubles when the bias is revoked.
    std::uint32_t enough_ = first_enough;

    // ---- of threads that wait
    std::atomic<std::uint32_t> waiting_{0}; // threads in enter_later()
    std::atomic<std::uint32_t> entered_{0}; // how often one of these came in
    std::atomic<std::uint32_t> wakeups_{0}; // what sleepers wait for: it changes with each wakeup
    std::atomic<bool> woken_{false};        // a sleeper was woken, and has not come in yet
};

} // namespace zlink::core
