// SPDX-License-Identifier: MPL-2.0
// pipe_end_guard: an end of a new pipe until its owner has it: closed when something fails before.
//
// Threads: the one that made the pipe. Ownership: that of the end, until claim().
#pragma once

#include <utility>

#include "pipe/pipe.hpp"

namespace zlink {

class pipe_end_guard {
  public:
    explicit pipe_end_guard(pipe_end &end) noexcept : end_(&end) {}
    ~pipe_end_guard() {
        if (end_ != nullptr)
            end_->close();
    }
    pipe_end_guard(const pipe_end_guard &) = delete;
    pipe_end_guard &operator=(const pipe_end_guard &) = delete;
    [[nodiscard]] pipe_end *get() const noexcept { return end_; }
    pipe_end &claim() noexcept { return *std::exchange(end_, nullptr); }

  private:
    pipe_end *end_;
};

} // namespace zlink
