// SPDX-License-Identifier: MPL-2.0
// What the stress tests share: a mailbox that really sleeps, and how much work to do.
//
// Threads: wake() from any thread; sleep() from the mailbox's own.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>

#include "base/mailbox.hpp"
#include "queue/frame_view.hpp"

namespace zlink::stress {

// ZLINK_STRESS multiplies the work; 1 when it is not set.
inline std::uint64_t scaled(std::uint64_t count) {
    const char *factor = std::getenv("ZLINK_STRESS"); // NOLINT(concurrency-mt-unsafe): nobody sets it here
    return factor != nullptr ? count * std::strtoull(factor, nullptr, 10) : count;
}

class sleeping_mailbox final : public mailbox {
  public:
    void wake() noexcept override {
        {
            const std::lock_guard lock(guard_);
            awake_ = true;
        }
        changed_.notify_one();
    }
    // Until something is queued; a test whose wakeup is lost stays here and is ended by its time limit.
    void sleep() {
        std::unique_lock lock(guard_);
        changed_.wait(lock, [this] { return awake_; });
        awake_ = false;
    }

  private:
    std::mutex guard_;
    std::condition_variable changed_;
    bool awake_ = false; // guarded
};

// A frame of `size` bytes, at least 8, that tells its number.
inline void fill(std::uint8_t *body, std::size_t size, std::uint64_t number) {
    std::memset(body, static_cast<int>(number & 0xFF), size);
    std::memcpy(body, &number, sizeof number);
}

// Is it the frame of that number, whole?
inline bool holds(const std::uint8_t *body, std::size_t size, std::uint64_t number) {
    std::uint64_t found = 0;
    if (size < sizeof found)
        return false;
    std::memcpy(&found, body, sizeof found);
    return found == number && (size == sizeof found || body[size - 1] == (number & 0xFF));
}

} // namespace zlink::stress
