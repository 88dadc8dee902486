// SPDX-License-Identifier: MPL-2.0
#include "patterns/node_arena.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace zlink::patterns {

namespace {

// A huge page, if the system gives one: `size` bytes that begin at a multiple of it.
std::uint8_t *map_aligned(std::size_t size) noexcept {
    void *whole = ::mmap(nullptr, size * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (whole == MAP_FAILED)
        return nullptr;
    auto *begin = static_cast<std::uint8_t *>(whole);
    const std::size_t lead = (0 - reinterpret_cast<std::uintptr_t>(begin)) & (size - 1);
    if (lead != 0)
        ::munmap(begin, lead);
    ::munmap(begin + lead + size, size - lead);
#ifdef MADV_HUGEPAGE
    ::madvise(begin + lead, size, MADV_HUGEPAGE); // a wish
#endif
    return begin + lead;
}

} // namespace

node_arena::size_class node_arena::class_of(std::size_t bytes) noexcept {
    const auto units = static_cast<std::uint32_t>((bytes + unit - 1) / unit);
    if (units <= exact_classes)
        return {units - 1, units};
    const auto top = static_cast<std::uint32_t>(std::bit_width(units - 1) - 1); // 2^top < units
    const std::uint32_t step = (1U << top) / 4;
    const std::uint32_t quarter = (units - (1U << top) + step - 1) / step;
    return {exact_classes + (top - 4) * 4 + quarter - 1, (1U << top) + quarter * step};
}

node_arena::reference node_arena::allocate(std::size_t bytes) noexcept {
    assert(bytes != 0 && bytes <= largest_block);
    const size_class wanted = class_of(bytes);
    if (const reference block = free_[wanted.index]; block != 0) {
        std::memcpy(&free_[wanted.index], at(block), sizeof(reference));
        return block;
    }
    if (units_left_ < wanted.units && !add_segment(wanted.units))
        return 0;
    const reference block = next_;
    next_ += wanted.units;
    units_left_ -= wanted.units;
    return block;
}

void node_arena::release(reference block, std::size_t bytes) noexcept {
    const std::size_t index = class_of(bytes).index;
    std::memcpy(at(block), &free_[index], sizeof(reference));
    free_[index] = block;
}

// Keeps the rest of the last segment for blocks that fit.
void node_arena::keep(reference block, std::uint32_t units) noexcept {
    while (units != 0) {
        const std::uint32_t part = std::min<std::uint32_t>(units, exact_classes);
        release(block, part * unit);
        block += part;
        units -= part;
    }
}

bool node_arena::add_segment(std::uint32_t units) noexcept {
    const std::size_t first = segments_.empty() ? 1 : 0; // reference 0 is no block
    while (next_segment_ < (units + first) * unit)
        next_segment_ *= 2;
    if (segments_.size() == most_segments || !obtain(next_segment_))
        return false;
    keep(next_, units_left_);
    next_ = static_cast<reference>(((segments_.size() - 1) << offset_bits) + first);
    units_left_ = static_cast<std::uint32_t>(next_segment_ / unit - first);
    memory_ += next_segment_;
    next_segment_ = std::min(next_segment_ * 2, largest_segment);
    return true;
}

bool node_arena::obtain(std::size_t size) noexcept {
    try {
        segments_.push_back({nullptr, size});
    } catch (const std::bad_alloc &) {
        return false;
    }
    segments_.back().begin = size == largest_segment
                                 ? map_aligned(size)
                                 : static_cast<std::uint8_t *>(::operator new(size, std::nothrow));
    if (segments_.back().begin != nullptr)
        return true;
    segments_.pop_back();
    return false;
}

void node_arena::give_back(const segment &old) noexcept {
    if (old.size == largest_segment)
        ::munmap(old.begin, old.size);
    else
        ::operator delete(old.begin);
}

bool node_arena::clear_chunk() noexcept {
    if (segments_.empty()) {
        clear();
        return false;
    }
    memory_ -= segments_.back().size;
    give_back(segments_.back());
    segments_.pop_back();
    return true;
}

void node_arena::clear() noexcept {
    for (const segment &each : segments_)
        give_back(each);
    segments_ = {};
    next_ = 0;
    units_left_ = 0;
    next_segment_ = smallest_segment;
    memory_ = 0;
    std::ranges::fill(free_, reference{0});
}

} // namespace zlink::patterns
