// SPDX-License-Identifier: MPL-2.0
// A message is one frame in memory that zmq_msg_t owns; bytes_view is what may be sent by copying.
//
// - Ownership. A message owns its bytes. It can be moved, not copied; clone() shares the bytes or copies
// them.
//   A sent message is empty afterwards. A view from bytes() or text() is valid until the message changes.
// - Threads. A message belongs to one thread at a time.
// - Units. Sizes are bytes.
// - Errors. Only those that need memory can fail, with ENOMEM.
// - Source. zmq_msg_init(3), zmq_msg_init_size(3), zmq_msg_init_data(3), zmq_msg_move(3), zmq_msg_copy(3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "zlink/cpp/error.hpp"

namespace zlink {
inline namespace v1 {

// Bytes of the caller, to be copied. It is made of text, or of a contiguous range of a type that is bytes all
// through. A string literal is taken without its NUL.
class bytes_view {
  public:
    constexpr bytes_view() noexcept = default;
    constexpr bytes_view(const void *data, std::size_t size_bytes) noexcept
        : data_(data), size_bytes_(size_bytes) {}
    template <class Text>
    requires std::is_convertible_v<const Text &, std::string_view>
    constexpr bytes_view(const Text &text) noexcept : bytes_view(std::string_view(text)) {}
    constexpr bytes_view(std::string_view text) noexcept : bytes_view(text.data(), text.size()) {}
    template <class Range>
    requires(!std::is_convertible_v<const Range &, std::string_view> &&
             requires(const Range &range) { std::span(range); } &&
             std::is_trivially_copyable_v<std::remove_reference_t<
                 decltype(*std::span(std::declval<const Range &>())
                               .data())>>) constexpr bytes_view(const Range &range) noexcept
        : bytes_view(std::span(range).data(), std::span(range).size_bytes()) {}

    [[nodiscard]] constexpr const void *data() const noexcept { return data_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_bytes_; }

  private:
    const void *data_ = nullptr;
    std::size_t size_bytes_ = 0;
};

class message {
  public:
    // An empty message, to receive into.
    message() noexcept { zmq_msg_init(&msg_); }
    // A message with room for some bytes, whose values are not set.
    explicit message(std::size_t size_bytes) {
        if (zmq_msg_init_size(&msg_, size_bytes) == -1)
            throw error(zmq_errno(), "zmq_msg_init_size");
    }
    // A message with a copy of some bytes.
    explicit message(bytes_view bytes) : message(bytes.size()) {
        if (bytes.size() != 0)
            std::memcpy(zmq_msg_data(&msg_), bytes.data(), bytes.size());
    }
    // A message of memory that is not copied. `release(data, hint)` is called once, from any thread, when
    // nobody needs the memory any more. If this constructor throws, `release` is not called.
    message(void *data, std::size_t size_bytes, zmq_free_fn *release, void *hint = nullptr) {
        if (zmq_msg_init_data(&msg_, data, size_bytes, release, hint) == -1)
            throw error(zmq_errno(), "zmq_msg_init_data");
    }
    message(message &&other) noexcept {
        zmq_msg_init(&msg_);
        zmq_msg_move(&msg_, &other.msg_);
    }
    message &operator=(message &&other) noexcept {
        if (this != &other)
            zmq_msg_move(&msg_, &other.msg_);
        return *this;
    }
    message(const message &) = delete;
    message &operator=(const message &) = delete;
    ~message() { zmq_msg_close(&msg_); }

    // Another message with these bytes. Large bodies are shared: do not write to either of them afterwards.
    [[nodiscard]] message clone() const {
        message copy;
        if (zmq_msg_copy(&copy.msg_, &msg_) == -1)
            throw error(zmq_errno(), "zmq_msg_copy");
        return copy;
    }

    [[nodiscard]] std::size_t size() const noexcept { return zmq_msg_size(&msg_); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] void *data() noexcept { return zmq_msg_data(&msg_); }
    [[nodiscard]] const void *data() const noexcept { return zmq_msg_data(&msg_); }
    [[nodiscard]] std::span<std::byte> bytes() noexcept { return {static_cast<std::byte *>(data()), size()}; }
    [[nodiscard]] std::span<const std::byte> bytes() const noexcept {
        return {static_cast<const std::byte *>(data()), size()};
    }
    // The bytes as text, valid while the message is not changed.
    [[nodiscard]] std::string_view text() const noexcept {
        return {static_cast<const char *>(data()), size()};
    }
    [[nodiscard]] std::string to_string() const { return std::string(text()); }

    // Tells whether more frames of this received message follow.
    [[nodiscard]] bool more() const noexcept { return zmq_msg_more(&msg_) != 0; }
    // A property of the connection that the message came over, such as "Peer-Address" or "User-Id". It is
    // empty if there is none of that name. The text lives as long as the message. Source: zmq_msg_gets(3).
    [[nodiscard]] std::optional<std::string_view> property(const char *name) const noexcept {
        const char *value = zmq_msg_gets(&msg_, name);
        return value ? std::optional<std::string_view>(value) : std::nullopt;
    }

#ifdef ZLINK_HAS_DRAFTS
    // The peer that the message came from or goes to (SERVER, PEER); 0 means none.
    [[nodiscard]] std::uint32_t routing_id() const noexcept {
        return zmq_msg_routing_id(&msg_);
    }
    void set_routing_id(std::uint32_t id) {
        if (zmq_msg_set_routing_id(&msg_, id) == -1)
            throw error(zmq_errno(), "zmq_msg_set_routing_id");
    }
    // The group of the message (RADIO, DISH), at most ZMQ_GROUP_MAX_LENGTH bytes.
    [[nodiscard]] std::string_view group() const noexcept {
        return zmq_msg_group(&msg_);
    }
    void set_group(const char *name) {
        if (zmq_msg_set_group(&msg_, name) == -1)
            throw error(zmq_errno(), "zmq_msg_set_group");
    }
#endif

    // The zmq_msg_t for a call of the C interface. It stays the message's own.
    [[nodiscard]] zmq_msg_t *native() const noexcept {
        return &msg_;
    }

    // Two messages are equal if their bytes are.
    [[nodiscard]] friend bool operator==(const message &left, const message &right) noexcept {
        return left.text() == right.text();
    }

  private:
    // The C functions that only read take a pointer to non-const too.
    mutable zmq_msg_t msg_;
};

} // namespace v1
} // namespace zlink
