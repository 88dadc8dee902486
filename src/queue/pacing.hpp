// SPDX-License-Identifier: MPL-2.0
// throttle_wait: a writer waits for a reader that is far behind, for a limited time.
//
// Threads: the writer's. Ownership: borrows the queue.
#pragma once

#include <chrono>
#include <cstdint>

#include "queue/message_queue.hpp"

namespace zlink {

// The wait of a throttled writer: `while (wait.goes_on())` it does something else for a moment. The wait ends
// when the reader does nothing for some microseconds. With `patient` that is a nanosecond per byte of the
// newest large body, a millisecond at most. The next wait then comes after another MiB.
class throttle_wait {
  public:
    throttle_wait(message_queue &written, bool patient) noexcept;
    [[nodiscard]] bool goes_on() noexcept;
    // Whether it ended because the reader does nothing.
    [[nodiscard]] bool in_vain() const noexcept { return in_vain_; }

  private:
    using clock = std::chrono::steady_clock;
    message_queue &queue_;
    const std::chrono::nanoseconds patience_;
    std::uint64_t ahead_; // bytes
    clock::time_point moved_ = clock::now();
    int idle_turns_ = 0;
    bool in_vain_ = false;
};

} // namespace zlink
