// SPDX-License-Identifier: MPL-2.0
#include "queue/receive_guess.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.hpp"

namespace zlink {

bool receive_guess::expect_in(std::span<std::uint8_t> memory, std::uint8_t *keep) noexcept {
    if (!fingerprint_.stands_in(memory, last_.body))
        return false;
    body_ = memory.data();
    head_kept_ = keep;
    std::memcpy(head_kept_, body_, fingerprint::head);
    return true;
}

bool receive_guess::expect_in_buffer() noexcept {
    buffer_ = buffer::allocate(last_.body);
    body_ = buffer_ != nullptr ? buffer_->data() : nullptr;
    return body_ != nullptr;
}

std::size_t receive_guess::receive(std::size_t bytes) noexcept {
    const std::size_t before = std::min(bytes, last_.front);
    filled_ = std::min(bytes - before, last_.body);
    behind_ = bytes - before - filled_;
    if (filled_ == 0)
        forget_body();
    return before;
}

void receive_guess::bring_back(std::uint8_t *to, const std::uint8_t *behind) noexcept {
    std::array<std::uint8_t, fingerprint::head> head; // the bytes may come to lie where it is kept
    if (head_kept_ != nullptr)
        std::memcpy(head.data(), head_kept_, head.size());
    std::memmove(to + filled_, behind, behind_);
    copy_bytes(to, body_, filled_);
    if (head_kept_ != nullptr)
        std::memcpy(body_, head.data(), head.size());
    forget_body();
    alike_ = false;
}

void receive_guess::forget_body() noexcept {
    if (buffer *unused = take_buffer())
        unused->release();
    body_ = head_kept_ = nullptr;
    filled_ = behind_ = 0;
}

} // namespace zlink
