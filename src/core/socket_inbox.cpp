// SPDX-License-Identifier: MPL-2.0
#include "core/socket_inbox.hpp"

#include <utility>

namespace zlink::core {

bool socket_inbox::post(new_pipe fresh) {
    {
        std::lock_guard lock(guard_);
        if (closed_)
            return false;
        pipes_.push_back(std::move(fresh));
    }
    box_->ready.notify(*this, 1);
    return true;
}

bool socket_inbox::adopt(std::shared_ptr<pipe> made, bool local) {
    new_pipe fresh;
    fresh.end = &made->first();
    fresh.made = std::move(made);
    fresh.local = local;
    return post(std::move(fresh));
}

void socket_inbox::terminate() noexcept {
    terminated_.store(true, std::memory_order_release);
    std::lock_guard lock(guard_);
    if (!closed_)
        box_->ready.notify(*this, 1);
}

std::vector<new_pipe> socket_inbox::take() {
    std::lock_guard lock(guard_);
    return std::exchange(pipes_, {});
}

std::vector<new_pipe> socket_inbox::close() {
    std::lock_guard lock(guard_);
    closed_ = true;
    return std::exchange(pipes_, {});
}

} // namespace zlink::core
