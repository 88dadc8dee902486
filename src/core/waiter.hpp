// SPDX-License-Identifier: MPL-2.0
// waiter: how a thread waits for an event of a socket that it has to itself: it reads its streams, spins, and
// sleeps.
//
// Threads: the application thread in a call on the socket. A thread that is cancelled in its sleep takes its
// announcement back. Errors: errno numbers.
#pragma once

#include "core/persistence.hpp"
#include "core/pipe_table.hpp"
#include "core/transfer.hpp"
#include "runtime/adaptive_spin.hpp"

namespace zlink::core {

enum class waits_for : std::uint8_t { message, room };

class waiter {
  public:
    // Waits once. Returns 0 if something may have come, else EAGAIN (the time is over) or EINTR.
    [[nodiscard]] int wait(waits_for what, persistence &limits, transfer_state &state, pipe_table &pipes);
    // For a thread that waits for several sockets, too.
    [[nodiscard]] runtime::adaptive_spin &message_spin() noexcept { return message_spin_; }

  private:
    runtime::adaptive_spin message_spin_;
    runtime::adaptive_spin room_spin_;
};

} // namespace zlink::core
