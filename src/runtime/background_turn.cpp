// SPDX-License-Identifier: MPL-2.0
#include "runtime/background_turn.hpp"

#include <chrono>
#include <new>

namespace zlink::runtime {
namespace {
constexpr std::chrono::milliseconds pause_when_taken{1};
} // namespace

void background_turn::ask() noexcept {
    if (asked_.exchange(true, std::memory_order_seq_cst))
        return;
    try {
        by_.post(slotted(slot_, [self = shared_from_this()] { self->run(); }));
    } catch (const std::bad_alloc &) {
        asked_.store(false, std::memory_order_relaxed);
    }
}

void background_turn::end() noexcept {
    const std::lock_guard lock(guard_);
    work_ = nullptr;
}

// The flag is cleared first: later events ask for another turn.
void background_turn::run() noexcept {
    asked_.store(false, std::memory_order_seq_cst);
    const std::lock_guard lock(guard_);
    try {
        if (work_ && !work_())
            try_later();
    } catch (const std::bad_alloc &) { // what is left is done in the next call of the application
    }
}

void background_turn::try_later() {
    again_.expires_after(pause_when_taken);
    again_.async_wait([self = shared_from_this()](const boost::system::error_code &cancelled) {
        if (!cancelled)
            self->run();
    });
}

} // namespace zlink::runtime
