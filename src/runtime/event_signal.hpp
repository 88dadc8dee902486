// SPDX-License-Identifier: MPL-2.0
// event_signal: a descriptor that is readable from raise() until clear(): an eventfd(2).
//
// Threads: any. Ownership: the descriptor is the object's.
#pragma once

namespace zlink::runtime {

class event_signal {
  public:
    event_signal() noexcept;
    ~event_signal();
    event_signal(const event_signal &) = delete;
    event_signal &operator=(const event_signal &) = delete;

    // -1: there was none to be had; failure() says why.
    [[nodiscard]] int descriptor() const noexcept { return descriptor_; }
    [[nodiscard]] int failure() const noexcept { return failure_; }
    void raise() noexcept;
    void clear() noexcept;

  private:
    int descriptor_;
    int failure_ = 0; // an errno number
};

} // namespace zlink::runtime
