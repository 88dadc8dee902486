// SPDX-License-Identifier: MPL-2.0
#include "session/stream_sets.hpp"

namespace zlink::session {

std::shared_ptr<stream_set> stream_sets::of(runtime::io_thread &thread) noexcept {
    const std::lock_guard lock(guard_);
    for (const auto &set : sets_)
        if (&set->thread() == &thread)
            return set;
    try {
        sets_.push_back(std::make_shared<stream_set>(thread, !sets_.empty()));
    } catch (...) {
        wanted_.store(false, std::memory_order_relaxed); // until somebody wants them again
        return nullptr;
    }
    count_.store(sets_.size(), std::memory_order_release);
    return sets_.back();
}

std::vector<std::shared_ptr<stream_set>> stream_sets::all() {
    const std::lock_guard lock(guard_);
    return sets_;
}

} // namespace zlink::session
