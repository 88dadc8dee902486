// SPDX-License-Identifier: MPL-2.0
// descriptor_guard: a descriptor until it is handed on.
//
// Threads: a value. Ownership: closes the descriptor, unless release() gave it away.
#pragma once

#include <unistd.h>
#include <utility>

#include "base/system_calls.hpp"

namespace zlink::transport {

class descriptor_guard {
  public:
    explicit descriptor_guard(int descriptor) noexcept : descriptor_(descriptor) {}
    descriptor_guard(descriptor_guard &&other) noexcept : descriptor_(other.release()) {}
    descriptor_guard &operator=(descriptor_guard &&) = delete;
    ~descriptor_guard() {
        if (descriptor_ >= 0)
            system_calls::close(descriptor_);
    }
    [[nodiscard]] int get() const noexcept { return descriptor_; }
    [[nodiscard]] int release() noexcept { return std::exchange(descriptor_, -1); }

  private:
    int descriptor_;
};

} // namespace zlink::transport
