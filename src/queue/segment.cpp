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

void segment::release_payload_refs(std::uint32_t first) noexcept {
    const std::uint32_t count = payload_ref_count.load(std::memory_order_relaxed);
    for (std::uint32_t index = first; index < count; ++index)
        if (buffer *owner = payload_ref_at(index).owner)
            owner->release();
}

segment_exchange::~segment_exchange() {
    if (segment *spare = spare_.load(std::memory_order_relaxed))
        segment::destroy(spare);
}

void segment_exchange::store_spare(segment &read) noexcept {
    read.last_reader = std::this_thread::get_id();
    if (segment *old = spare_.exchange(&read, std::memory_order_acq_rel))
        segment::destroy(old);
}

void segment_exchange::drop_spare_above(std::size_t capacity) noexcept {
    segment *spare = spare_.exchange(nullptr, std::memory_order_acquire);
    if (spare != nullptr && spare->capacity <= capacity)
        spare = spare_.exchange(spare, std::memory_order_acq_rel);
    if (spare != nullptr)
        segment::destroy(spare);
}

} // namespace zlink::queue_detail
