// SPDX-License-Identifier: MPL-2.0
#include "direct_io/poll_groups.hpp"

namespace zlink::direct_io {

std::shared_ptr<poll_group> poll_groups::of(runtime::io_thread &thread) noexcept {
    const std::lock_guard lock(guard_);
    for (const auto &set : poll_groups_)
        if (&set->thread() == &thread)
            return set;
    try {
        poll_groups_.push_back(std::make_shared<poll_group>(thread, !poll_groups_.empty()));
    } catch (...) {
        wanted_.store(false, std::memory_order_relaxed); // until somebody wants them again
        return nullptr;
    }
    count_.store(poll_groups_.size(), std::memory_order_release);
    return poll_groups_.back();
}

std::vector<std::shared_ptr<poll_group>> poll_groups::all() {
    const std::lock_guard lock(guard_);
    return poll_groups_;
}

} // namespace zlink::direct_io
