// SPDX-License-Identifier: MPL-2.0
// poll_groups: the sets of one socket's streams, one for each I/O thread that serves some of them. There are
// none until the socket's thread wants them.
//
// Threads: any. Ownership: part of a socket_link, which outlives socket and workers.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "direct_io/poll_group.hpp"

namespace zlink::direct_io {

class poll_groups {
  public:
    // From now on streams are watched in sets.
    void want() noexcept { wanted_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }

    // The set of that I/O thread. Null: want of memory or of descriptors.
    [[nodiscard]] std::shared_ptr<poll_group> of(runtime::io_thread &thread) noexcept;
    // For a look whether there are more than before.
    [[nodiscard]] std::size_t count() const noexcept { return count_.load(std::memory_order_acquire); }
    [[nodiscard]] std::vector<std::shared_ptr<poll_group>> all(); // throws std::bad_alloc

  private:
    std::atomic<bool> wanted_{false};   // a hint: whoever sees it late is served as before
    std::atomic<std::size_t> count_{0}; // stored under the guard
    std::mutex guard_;
    std::vector<std::shared_ptr<poll_group>> poll_groups_; // guarded
};

} // namespace zlink::direct_io
