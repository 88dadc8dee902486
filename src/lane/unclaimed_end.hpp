// SPDX-License-Identifier: MPL-2.0
// unclaimed_end: an end of a new pipe until its owner has it: closed when something fails before.
//
// Threads: the one that made the pipe. Ownership: that of the end, until claim().
#pragma once

#include <utility>

#include "lane/pipe.hpp"

namespace zlink {

class unclaimed_end {
  public:
    explicit unclaimed_end(pipe_end &end) noexcept : end_(&end) {}
    ~unclaimed_end() {
        if (end_ != nullptr)
            end_->close();
    }
    unclaimed_end(const unclaimed_end &) = delete;
    unclaimed_end &operator=(const unclaimed_end &) = delete;
    [[nodiscard]] pipe_end *get() const noexcept { return end_; }
    pipe_end &claim() noexcept { return *std::exchange(end_, nullptr); }

  private:
    pipe_end *end_;
};

} // namespace zlink
