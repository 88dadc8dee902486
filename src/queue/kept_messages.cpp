// SPDX-License-Identifier: MPL-2.0
#include "queue/kept_messages.hpp"

namespace zlink {

bool kept_messages::put(const outgoing_frame &frame) noexcept {
    return one_frame_ ? latest_.put(frame) : list_.put(frame);
}

std::uint64_t kept_messages::commit() noexcept {
    if (!one_frame_)
        return list_.commit();
    latest_.commit();
    return 0;
}

void kept_messages::rollback() noexcept {
    one_frame_ ? latest_.rollback() : list_.rollback();
}

bool kept_messages::take(incoming_frame &frame, std::uint64_t &message) noexcept {
    return one_frame_ ? latest_.take(frame) : list_.take(frame, message);
}

std::uint64_t kept_messages::count(std::memory_order order) const noexcept {
    if (one_frame_)
        return latest_.empty(order) ? 0 : 1;
    return list_.count(order);
}

} // namespace zlink
