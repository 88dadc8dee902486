// SPDX-License-Identifier: MPL-2.0
#include "core/turn_lock.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "base/brief_yield.hpp"
#include "base/cancellation.hpp"

namespace zlink::core {
namespace {

constexpr int most_looks = 64;
constexpr int most_yields = 4;
// Where there is no asymmetric fence a sleeper may miss its wakeup, and looks again after this time.
constexpr timespec longest_blind_sleep{0, 1'000'000};
constexpr std::chrono::microseconds short_pause{50};

} // namespace

// Most owners leave sooner than a sleep begins.
bool turn_lock::look_a_while() noexcept {
    for (int looks = 0; looks < most_looks + most_yields; ++looks) {
        if (word_.load(std::memory_order_relaxed) == unowned && take_word())
            return true;
        if (looks >= most_looks)
            brief_yield(); // the owner may be ready to run
    }
    return false;
}

// Whoever comes in clears `woken_`: when it leaves, it wakes the next sleeper.
[[gnu::cold]] bool turn_lock::enter_later(const void *self) noexcept {
    waiting_.fetch_add(1, std::memory_order_seq_cst);
    bool in = false;
    while (!(in = look_a_while()) && word_.load(std::memory_order_relaxed) != closed)
        sleep();
    if (in) {
        revoke_bias();
        last_ = self;
        in_a_row_ = 0;
        woken_.store(false, std::memory_order_relaxed);
        entered_.fetch_add(1, std::memory_order_relaxed);
    }
    waiting_.fetch_sub(1, std::memory_order_seq_cst);
    return in;
}

bool turn_lock::try_enter() noexcept {
    if (inside_.load(std::memory_order_relaxed) != nullptr || !take_word())
        return false;
    revoke_bias();
    last_ = nullptr;
    return true;
}

// ---- the bias

void turn_lock::give_bias(const void *self) noexcept {
    in_a_row_ = 0;
    if (biased_to_ == nullptr && has_asymmetric_fence())
        biased_to_ = self;
    if (biased_to_ == self)
        bias_.store(self, std::memory_order_relaxed); // from its next turn on
}

// By the thread that has `word_`. The biased thread leaves soon, if it is inside: it sleeps outside.
void turn_lock::revoke_bias() noexcept {
    if (bias_.load(std::memory_order_relaxed) == nullptr)
        return;
    bias_.store(nullptr, std::memory_order_seq_cst);
    asymmetric_fence_heavy();
    enough_ = std::min(enough_ * 2, most_enough);
    const uncancelled meanwhile;
    for (int looks = 0; inside_.load(std::memory_order_acquire) != nullptr; ++looks)
        if (looks >= most_looks)
            std::this_thread::sleep_for(short_pause);
}

// ---- sleep

// The count is read before `woken_` is cleared: a wakeup that finds it cleared ends this sleep.
void turn_lock::sleep() noexcept {
    const std::uint32_t seen = wakeups_.load(std::memory_order_seq_cst);
    asleep_.fetch_add(1, std::memory_order_seq_cst);
    woken_.store(false, std::memory_order_seq_cst);
    const bool fenced = has_asymmetric_fence();
    if (fenced)
        asymmetric_fence_heavy();
    if (word_.load(std::memory_order_seq_cst) == owned)
        syscall(SYS_futex, &wakeups_, FUTEX_WAIT_PRIVATE, seen, fenced ? nullptr : &longest_blind_sleep,
                nullptr, 0);
    asleep_.fetch_sub(1, std::memory_order_seq_cst);
}

void turn_lock::wake(int most) noexcept {
    wakeups_.fetch_add(1, std::memory_order_seq_cst);
    syscall(SYS_futex, &wakeups_, FUTEX_WAKE_PRIVATE, most, nullptr, nullptr, 0);
}

[[gnu::cold]] void turn_lock::wake_one() noexcept {
    if (!woken_.load(std::memory_order_relaxed) && !woken_.exchange(true, std::memory_order_seq_cst))
        wake(1);
}

// ---- seldom

// A biased thread gets the word first. Others may come in meanwhile: the socket has them turn back.
void turn_lock::close() noexcept {
    const uncancelled meanwhile;
    if (inside_.load(std::memory_order_relaxed) == this_thread()) {
        leave();
        (void)enter_later(this_thread());
    }
    bias_.store(nullptr, std::memory_order_relaxed);
    word_.store(closed, std::memory_order_seq_cst);
    for (; waiting_.load(std::memory_order_seq_cst) != 0; std::this_thread::sleep_for(short_pause))
        wake(INT_MAX);
}

void turn_lock::let_others_in() noexcept {
    if (waiting_.load(std::memory_order_relaxed) == 0)
        return;
    const uncancelled meanwhile;
    const std::uint32_t before = entered_.load(std::memory_order_relaxed);
    leave();
    while (waiting_.load(std::memory_order_relaxed) != 0 &&
           entered_.load(std::memory_order_relaxed) == before)
        std::this_thread::sleep_for(short_pause);
    (void)enter(); // nobody closes it meanwhile: see shared_access::close()
}

void turn_lock::reset() noexcept {
    bias_.store(nullptr, std::memory_order_relaxed);
    inside_.store(nullptr, std::memory_order_relaxed);
    asleep_.store(0, std::memory_order_relaxed);
    waiting_.store(0, std::memory_order_relaxed);
    woken_.store(false, std::memory_order_relaxed);
    word_.store(unowned, std::memory_order_release);
}

} // namespace zlink::core
