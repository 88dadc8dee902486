// SPDX-License-Identifier: MPL-2.0
// message: the 64-byte value behind zmq_msg_t: a body and what is known of it.
//
// Threads: a value, one owner at a time. Ownership: holds one reference to its body and to its peer's
// metadata; close() gives them back. It has no constructor and no destructor, since it lives in memory of the
// application: init*() first, close() last. Bodies of up to inline_size bytes lie in the message itself, and
// so do names of groups of up to short_group characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "message/buffer.hpp"
#include "message/group_name.hpp"
#include "message/metadata.hpp"

namespace zlink {

class message {
  public:
    static constexpr std::size_t inline_size = 33;
    static constexpr std::size_t short_group = 7;

    void init() noexcept {
        metadata_ = nullptr;
        size_ = 0;
        kind_ = kind::inlined;
        more_ = false;
        shared_ = false;
        group_form_ = group_form::none;
        magic_ = magic;
        routing_id_ = 0;
    }
    [[nodiscard]] bool init_size(std::size_t size) noexcept { // false: no memory
        if (size > inline_size)
            return init_allocated(size);
        init();
        size_ = static_cast<std::uint8_t>(size);
        return true;
    }
    // A null function: the bytes live for ever. Returns false if there is no memory.
    [[nodiscard]] bool init_data(void *data, std::size_t size, free_function release, void *hint) noexcept;
    // Takes over one reference of `owner`, which holds `data`.
    void init_shared(const std::uint8_t *data, std::size_t size, buffer *owner) noexcept;
    void init_constant(const std::uint8_t *data, std::size_t size) noexcept;

    // Was it initialised, and not closed since?
    [[nodiscard]] bool valid() const noexcept {
        return magic_ == magic && kind_ >= kind::inlined && kind_ <= kind::constant;
    }
    void close() noexcept {
        if (kind_ == kind::counted)
            far().owner->release();
        if (metadata_ != nullptr)
            metadata_->release();
        drop_group();
        kind_ = kind::closed;
    }
    void move_from(message &source) noexcept; // `source` becomes empty
    void copy_from(message &source) noexcept; // the body is shared

    [[nodiscard]] std::uint8_t *data() noexcept {
        return kind_ == kind::inlined ? body_ : const_cast<std::uint8_t *>(far().data);
    }
    [[nodiscard]] std::size_t size() const noexcept { return kind_ == kind::inlined ? size_ : far().size; }
    [[nodiscard]] buffer *owner() const noexcept { return kind_ == kind::counted ? far().owner : nullptr; }
    [[nodiscard]] bool constant() const noexcept { return kind_ == kind::constant; }
    [[nodiscard]] bool more() const noexcept { return more_; }
    [[nodiscard]] bool shared() const noexcept { return shared_; }
    [[nodiscard]] const peer_metadata *metadata() const noexcept { return metadata_; }

    // The peer that it goes to or came from; 0: none.
    [[nodiscard]] std::uint32_t routing_id() const noexcept { return routing_id_; }
    // Ends with a NUL; empty: none. Lives as long as the message does, and stays where it is.
    [[nodiscard]] std::string_view group() const noexcept;

    void set_more(bool more) noexcept { more_ = more; }
    void set_routing_id(std::uint32_t routing_id) noexcept { routing_id_ = routing_id; }
    [[nodiscard]] bool set_group(std::string_view name) noexcept; // false: no memory, and nothing has changed
    void set_metadata(const peer_metadata *known) noexcept {      // takes a reference of its own
        metadata_ = known != nullptr && known->has_properties() ? known : nullptr;
        if (metadata_ != nullptr)
            metadata_->retain();
    }
    // A send that failed leaves these marks in the message, as with libzmq.
    void prepare(bool more) noexcept {
        more_ = more;
        if (metadata_ != nullptr)
            std::exchange(metadata_, nullptr)->release();
    }

  private:
    enum class kind : std::uint8_t { closed = 0, inlined = 101, counted, constant };
    enum class group_form : std::uint8_t { none, inlined, counted };
    static constexpr std::uint32_t magic = 0x7A6C6E6B;
    static constexpr std::size_t pointer_size = sizeof(void *);
    // A body that lies elsewhere.
    struct far_body {
        const std::uint8_t *data;
        std::size_t size;
        buffer *owner;
    };

    // A reference: what was stored field by field is not loaded as a whole.
    [[nodiscard]] const far_body &far() const noexcept {
        return *std::launder(reinterpret_cast<const far_body *>(body_));
    }
    void set_far(const far_body &body) noexcept { ::new (static_cast<void *>(body_)) far_body(body); }
    [[nodiscard]] const group_name *long_group() const noexcept {
        const group_name *name;
        std::memcpy(&name, group_, pointer_size);
        return name;
    }
    [[nodiscard]] bool init_allocated(std::size_t size) noexcept;
    void drop_group() noexcept {
        if (group_form_ == group_form::counted) [[unlikely]]
            long_group()->release();
    }

    const peer_metadata *metadata_;
    alignas(8) std::uint8_t body_[inline_size]; // or a far_body
    std::uint8_t size_;                         // of an inlined body
    kind kind_;
    bool more_;
    bool shared_;
    group_form group_form_;
    std::uint32_t magic_;
    std::uint32_t routing_id_;
    alignas(8) char group_[short_group + 1]; // with its NUL, or a pointer to a group_name
};

static_assert(sizeof(message) <= 64);

} // namespace zlink
