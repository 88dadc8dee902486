// SPDX-License-Identifier: MPL-2.0
// receive_guess: after two large messages like each other, the next one is expected to be like them. Its body
// is received at once where it is to lie: in a buffer, or in memory of the caller of the API.
//
// Threads: its receive_window's. Ownership: it holds the buffer of an expected body. Units: bytes.
// The caller's memory is used only while it still holds the previous message. If another message comes
// instead, its bytes have been in that memory, beyond what the caller is given. So no program can rely on its
// content.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "message/buffer.hpp"
#include "queue/fingerprint.hpp"

namespace zlink {

class receive_guess {
  public:
    // A message whose last frame has a large body: the bytes before it, with its header, and those of it.
    struct shape {
        std::size_t front = 0;
        std::size_t body = 0;
        bool operator==(const shape &) const = default;
    };
    // A larger body is not expected: if it does not come, the received bytes have to be copied.
    static constexpr std::size_t largest_body = 1024 * 1024;
    static constexpr std::size_t most_before_body = 64;

    receive_guess() noexcept = default;
    ~receive_guess() { forget_body(); }
    receive_guess(const receive_guess &) = delete;
    receive_guess &operator=(const receive_guess &) = delete;

    // ---- the shape
    // Another message has begun; the empty shape is of one that is not like any other.
    void note(const shape &seen) noexcept {
        alike_ = seen != shape{} && seen == last_;
        last_ = seen;
    }
    void forget_shape() noexcept {
        last_ = {};
        alike_ = false;
    }
    [[nodiscard]] bool due() const noexcept { return alike_; }
    [[nodiscard]] const shape &expected() const noexcept { return last_; }

    // ---- the body, when a guess is due
    // A message like the expected ones was received there.
    void note_placed(std::span<const std::uint8_t> message) noexcept { fingerprint_.take(message); }
    // Expects the body there; `keep` has room for the head of the memory. Returns false if the memory does
    // not hold the previous message any more.
    [[nodiscard]] bool expect_in(std::span<std::uint8_t> memory, std::uint8_t *keep) noexcept;
    // Expects it in a buffer. Returns false if there is no memory.
    [[nodiscard]] bool expect_in_buffer() noexcept;
    [[nodiscard]] bool expects_body() const noexcept { return body_ != nullptr; }
    [[nodiscard]] std::span<std::uint8_t> body() const noexcept { return {body_, last_.body}; }
    // So many bytes came. Returns how many of them are before the body.
    [[nodiscard]] std::size_t receive(std::size_t bytes) noexcept;
    [[nodiscard]] std::size_t filled() const noexcept { return filled_; } // bytes of the body
    [[nodiscard]] std::size_t behind() const noexcept { return behind_; } // and after it
    // It was the expected one. Returns the buffer of its body, or null if that is in the caller's memory.
    [[nodiscard]] buffer *take_buffer() noexcept { return std::exchange(buffer_, nullptr); }
    // It was not. The bytes after it lie at `behind`; they move behind those of the body, which are copied to
    // `to`. The caller's memory gets its head back.
    void bring_back(std::uint8_t *to, const std::uint8_t *behind) noexcept;
    void forget_body() noexcept;

  private:
    shape last_;                        // of the last message
    bool alike_ = false;                // the one before had the same
    std::uint8_t *body_ = nullptr;      // where the next body is received
    buffer *buffer_ = nullptr;          // that memory's owner; null: it is the caller's
    std::uint8_t *head_kept_ = nullptr; // what the caller's memory began with
    std::size_t filled_ = 0;
    std::size_t behind_ = 0;
    fingerprint fingerprint_; // of the last body in the caller's memory
};

} // namespace zlink
