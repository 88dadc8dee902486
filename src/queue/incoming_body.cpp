// SPDX-License-Identifier: MPL-2.0
#include "queue/incoming_body.hpp"

namespace zlink {

std::span<const std::uint8_t> incoming_body::enter_queue(queue_detail::payload_ref &body,
                                                         std::uint64_t message) noexcept {
    std::span<const std::uint8_t> there;
    if (std::exchange(placing_, false)) {
        there = posted_.memory.first(size());
        posted_ = {};
        *placed_ = {&body, message};
    }
    buffer_ = nullptr;
    header_ = 0;
    return there;
}

void incoming_body::drop() noexcept {
    if (buffer_ != nullptr)
        buffer_->release();
    buffer_ = nullptr;
    placing_ = false;
    header_ = 0;
}

void incoming_body::move_to_posted() noexcept {
    placing_ = true;
    copy_bytes(posted_.memory.data(), buffer_->data(), filled_);
}

bool incoming_body::end_post() noexcept {
    const bool begun = std::exchange(placing_, false);
    if (begun)
        copy_bytes(buffer_->data(), posted_.memory.data(), filled_);
    posted_ = {};
    return begun;
}

} // namespace zlink
