// SPDX-License-Identifier: MPL-2.0
// persistence: the limits of a call that tries again and again: its deadline, and signals.
//
// Threads: the one that calls. A thread that sleeps between its attempts learns of both in its sleep. One
// that always finds news does not sleep, and asks check() after each attempt. From some attempts on signals
// are blocked outside of sleeps, so that none is lost.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>

#include "runtime/clock.hpp"
#include "runtime/signals_blocked.hpp"

namespace zlink::core {

class persistence {
  public:
    // `mask`: signals that may end the call; null: those of the thread.
    explicit persistence(runtime::time_ms deadline, const sigset_t *mask = nullptr) noexcept
        : deadline_(deadline), mask_(mask) {}
    persistence(const persistence &) = delete;
    persistence &operator=(const persistence &) = delete;

    [[nodiscard]] runtime::time_ms deadline() const noexcept { return deadline_; }
    // After an attempt without success. Returns 0 if there may be another one, else EAGAIN or EINTR.
    [[nodiscard]] int check() { return ++attempts_ == 1 ? 0 : look(); }
    // Were there several attempts already?
    [[nodiscard]] bool in_vain() const noexcept { return attempts_ > 1; }
    // Before a sleep, which lets signals pass. Returns 0 or EINTR.
    [[nodiscard]] int before_sleep() { return blocked_ ? let_signals_pass() : 0; }

  private:
    static constexpr std::uint32_t attempts_without_signals = 16;

    [[nodiscard]] int look();
    [[nodiscard]] int let_signals_pass();
    [[nodiscard]] int signal_arrived();

    const runtime::time_ms deadline_;
    const sigset_t *const mask_;
    std::uint32_t attempts_ = 0;
    std::optional<runtime::signals_blocked> blocked_;
};

} // namespace zlink::core
