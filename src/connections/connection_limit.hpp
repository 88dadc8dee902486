// SPDX-License-Identifier: MPL-2.0
// connection_limit: how many connections an endpoint may have at a time (MAX_PEERS). Each of them holds a
// place until it is destroyed.
//
// Threads: any. Ownership: the listener and the places share it.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

namespace zlink::connections {

class connection_limit {
  public:
    // A connection has one. An empty one counts for nothing.
    class place {
      public:
        place() noexcept = default;
        place(place &&other) noexcept = default;
        place &operator=(place &&other) noexcept {
            std::swap(of_, other.of_);
            return *this;
        }
        ~place() {
            if (of_)
                of_->taken_.fetch_sub(1, std::memory_order_relaxed);
        }
        explicit operator bool() const noexcept { return of_ != nullptr; }

      private:
        friend connection_limit;
        explicit place(std::shared_ptr<connection_limit> of) noexcept : of_(std::move(of)) {}

        std::shared_ptr<connection_limit> of_;
    };

    // 0: as many as come.
    explicit connection_limit(int most) noexcept : most_(most) {}

    // Empty: all places are taken.
    [[nodiscard]] static place take(const std::shared_ptr<connection_limit> &of) noexcept {
        if (of->taken_.fetch_add(1, std::memory_order_relaxed) < of->most_ || of->most_ == 0)
            return place(of);
        of->taken_.fetch_sub(1, std::memory_order_relaxed);
        return {};
    }

  private:
    const int most_;
    std::atomic<int> taken_{0};
};

} // namespace zlink::connections
