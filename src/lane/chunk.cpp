// SPDX-License-Identifier: MPL-2.0
#include "lane/chunk.hpp"

#include <new>

#include "message/pool.hpp"

namespace zlink::lane_detail {

chunk *chunk::create(std::size_t bytes, std::uint64_t base) noexcept {
    if (bytes >= unsealed / 2) // offsets have 32 bits, and a block may be larger than what was asked for
        return nullptr;
    const pool::block block = pool::allocate(sizeof(chunk) + bytes);
    if (block.memory == nullptr)
        return nullptr;
    const std::size_t capacity = (block.size - sizeof(chunk)) / alignof(reference) * alignof(reference);
    return ::new (block.memory) chunk(base, static_cast<std::uint32_t>(capacity), block.size_class);
}

void chunk::destroy(chunk *dead) noexcept {
    pool::release(dead, dead->size_class);
}

} // namespace zlink::lane_detail
