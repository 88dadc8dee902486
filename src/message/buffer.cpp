// SPDX-License-Identifier: MPL-2.0
#include "message/buffer.hpp"

#include <new>

#include "base/aliased_copy.hpp"
#include "base/bytes.hpp"
#include "base/cancellation.hpp"
#include "message/pool.hpp"

namespace zlink {
namespace {
constexpr std::size_t header_size = (sizeof(buffer) + 15) / 16 * 16;
constexpr std::size_t most_shift = 48; // within a cache line, in steps of 16 bytes
// A larger body is placed so that the kernel copies it fast. A smaller one loses at most 2 us.
constexpr std::size_t least_placed = 8192;

std::size_t room_to_place(std::size_t size) noexcept {
    return size >= least_placed && has_slow_aliased_copies() ? most_aliasing_shift : 0;
}

// So much further on, the bytes lie as the others do.
std::size_t shift_towards(const std::uint8_t *others, const std::uint8_t *bytes) noexcept {
    return (reinterpret_cast<std::uintptr_t>(others) - reinterpret_cast<std::uintptr_t>(bytes)) & most_shift;
}
} // namespace

buffer *buffer::allocate(std::size_t size) noexcept {
    const std::size_t spare = room_to_place(size);
    if (size > SIZE_MAX - header_size - spare)
        return nullptr;
    const pool::block block = pool::allocate(header_size + size + spare);
    if (block.memory == nullptr)
        return nullptr;
    auto *body = static_cast<std::uint8_t *>(block.memory) + header_size;
    if (spare != 0)
        body += aliasing_shift(page_distance(reinterpret_cast<std::uintptr_t>(body), 0));
    return ::new (block.memory) buffer(body, size, nullptr, nullptr, block.size_class);
}

buffer *buffer::copy_of(const std::uint8_t *data, std::size_t size) noexcept {
    buffer *copy = size <= SIZE_MAX - most_shift ? allocate(size + most_shift) : nullptr;
    if (copy == nullptr)
        return nullptr;
    copy->data_ += shift_towards(data, copy->data_);
    copy->size_ = size;
    copy_bytes(copy->data_, data, size);
    return copy;
}

buffer *buffer::adopt(void *data, std::size_t size, free_function on_release, void *hint) noexcept {
    const pool::block block = pool::allocate(sizeof(buffer));
    if (block.memory == nullptr)
        return nullptr;
    return ::new (block.memory)
        buffer(static_cast<std::uint8_t *>(data), size, on_release, hint, block.size_class);
}

void buffer::destroy() noexcept {
    if (on_release_ != nullptr) {
        const uncancelled meanwhile;
        on_release_(data_, hint_);
    }
    pool::release(this, size_class_);
}

} // namespace zlink
