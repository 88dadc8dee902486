// SPDX-License-Identifier: MPL-2.0
// message: the 64-byte value behind zmq_msg_t: a body and what is known of it.
//
// Threads: a value, one owner at a time. Ownership: holds one reference to its body and to its peer's
// metadata; close() gives them back. It has no constructor and no destructor, since it lives in memory of the
// application: init*() first, close() last. Bodies of up to inline_size bytes lie in the message itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "message/buffer.hpp"
#include "message/metadata.hpp"

namespace zlink {

class message {
  public:
    static constexpr std::size_t inline_size = 33;

    void init() noexcept;
    [[nodiscard]] bool init_size(std::size_t size) noexcept; // false: no memory
    // A null function: the bytes live for ever. False: no memory.
    [[nodiscard]] bool init_data(void *data, std::size_t size, free_function release, void *hint) noexcept;
    // Takes over one reference of `owner`, which holds `data`.
    void init_shared(const std::uint8_t *data, std::size_t size, buffer *owner) noexcept;
    void init_constant(const std::uint8_t *data, std::size_t size) noexcept;

    // Was it initialised, and not closed since?
    [[nodiscard]] bool valid() const noexcept {
        return magic_ == magic && kind_ >= kind::inlined && kind_ <= kind::constant;
    }
    void close() noexcept;
    void move_from(message &source) noexcept; // `source` becomes empty
    void copy_from(message &source) noexcept; // the body is shared

    [[nodiscard]] std::uint8_t *data() noexcept {
        return kind_ == kind::inlined ? body_.bytes : const_cast<std::uint8_t *>(body_.far.data);
    }
    [[nodiscard]] std::size_t size() const noexcept {
        return kind_ == kind::inlined ? size_ : body_.far.size;
    }
    [[nodiscard]] buffer *owner() const noexcept {
        return kind_ == kind::counted ? body_.far.owner : nullptr;
    }
    [[nodiscard]] bool constant() const noexcept { return kind_ == kind::constant; }
    [[nodiscard]] bool more() const noexcept { return more_; }
    [[nodiscard]] bool shared() const noexcept { return shared_; }
    [[nodiscard]] const peer_metadata *metadata() const noexcept { return metadata_; }

    void set_more(bool more) noexcept { more_ = more; }
    void set_metadata(const peer_metadata *known) noexcept { // takes a reference of its own
        metadata_ = known;
        if (known != nullptr)
            known->retain();
    }

  private:
    enum class kind : std::uint8_t { closed = 0, inlined = 101, counted, constant };
    static constexpr std::uint32_t magic = 0x7A6C6E6B;

    const peer_metadata *metadata_;
    union {
        std::uint8_t bytes[inline_size];
        struct {
            const std::uint8_t *data;
            std::size_t size;
            buffer *owner;
        } far;
    } body_;
    std::uint8_t size_; // of an inlined body
    kind kind_;
    bool more_;
    bool shared_;
    std::uint32_t magic_;
};

static_assert(sizeof(message) <= 64);

} // namespace zlink
