// SPDX-License-Identifier: MPL-2.0
#include "queue/latest_value.hpp"

#include <utility>

namespace zlink {

latest_value::~latest_value() {
    for (buffer *kept : {newest_.load(std::memory_order_relaxed), written_})
        if (kept != nullptr)
            kept->release();
}

bool latest_value::put(const outgoing_frame &frame) noexcept {
    buffer *const body = frame.share_body();
    if (body == nullptr)
        return false;
    rollback();
    written_ = body;
    return true;
}

void latest_value::commit() noexcept {
    if (written_ == nullptr)
        return;
    if (buffer *old = newest_.exchange(std::exchange(written_, nullptr), std::memory_order_seq_cst)) {
        replaced_.store(replaced_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        old->release();
    }
}

void latest_value::rollback() noexcept {
    if (buffer *kept = std::exchange(written_, nullptr))
        kept->release();
}

bool latest_value::take(incoming_frame &frame) noexcept {
    buffer *body = newest_.exchange(nullptr, std::memory_order_acq_rel);
    if (body == nullptr)
        return false;
    frame = {body->data(), body->size(), body, 0, false, nullptr};
    return true;
}

} // namespace zlink
