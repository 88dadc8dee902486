// SPDX-License-Identifier: MPL-2.0
#include "core/persistence.hpp"

#include <cerrno>
#include <poll.h>

namespace zlink::core {

int persistence::look() {
    if (runtime::now_ms() > deadline_) // whole milliseconds have passed: not too early
        return EAGAIN;
    if (attempts_ < attempts_without_signals)
        return 0;
    if (!blocked_)
        blocked_.emplace();
    return signal_arrived();
}

int persistence::let_signals_pass() {
    const int code = signal_arrived();
    blocked_.reset();
    return code;
}

// Runs the handlers of signals that have come since they were blocked.
int persistence::signal_arrived() {
    const timespec none{};
    const int ready = ppoll(nullptr, 0, &none, mask_ != nullptr ? mask_ : &blocked_->before());
    return ready < 0 && errno == EINTR ? EINTR : 0;
}

} // namespace zlink::core
