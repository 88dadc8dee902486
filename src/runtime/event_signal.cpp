// SPDX-License-Identifier: MPL-2.0
#include "runtime/event_signal.hpp"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/system_calls.hpp"

namespace zlink::runtime {

event_signal::event_signal() noexcept : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (descriptor_ < 0)
        failure_ = errno;
}

event_signal::~event_signal() {
    if (descriptor_ >= 0)
        system_calls::close(descriptor_);
}

void event_signal::raise() noexcept {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = system_calls::write(descriptor_, &one, sizeof one);
}

void event_signal::clear() noexcept {
    std::uint64_t count = 0;
    [[maybe_unused]] const auto taken = system_calls::read(descriptor_, &count, sizeof count);
}

} // namespace zlink::runtime
