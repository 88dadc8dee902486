// SPDX-License-Identifier: MPL-2.0
#include "queue/segment.hpp"

#include <new>

#include "message/pool.hpp"

namespace zlink::queue_detail {

segment *segment::create(std::size_t bytes, std::uint64_t base) noexcept {
    if (bytes >= unsealed / 2) // offsets have 32 bits, and a block may be larger than what was asked for
        return nullptr;
    const pool::block block = pool::allocate(sizeof(segment) + bytes);
    if (block.memory == nullptr)
        return nullptr;
    const std::size_t capacity = (block.size - sizeof(segment)) / alignof(payload_ref) * alignof(payload_ref);
    return ::new (block.memory) segment(base, static_cast<std::uint32_t>(capacity), block.size_class);
}

void segment::destroy(segment *dead) noexcept {
    pool::release(dead, dead->size_class);
}

} // namespace zlink::queue_detail
