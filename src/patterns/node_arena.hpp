// SPDX-License-Identifier: MPL-2.0
// node_arena: the memory of one tree. 32-bit references name its blocks. The blocks lie close together, and
// on huge pages when there are many: a walk down a large tree waits for cache and page misses.
//
// Threads: one owner at a time. Ownership: owns all blocks; clear() and the destructor end them without
// visiting any. Blocks do not move. Released blocks are used again for blocks of their size; memory goes back
// only with clear(). Units: bytes; blocks are aligned to 8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zlink::patterns {

class node_arena {
  public:
    using reference = std::uint32_t; // 0: none
    static constexpr std::size_t largest_block = 2048;

    node_arena() = default;
    node_arena(const node_arena &) = delete;
    node_arena &operator=(const node_arena &) = delete;
    ~node_arena() { clear(); }

    [[nodiscard]] std::uint8_t *at(reference block) const noexcept {
        return segments_[block >> offset_bits].begin + std::size_t{block & (segment_units - 1)} * unit;
    }
    // 0: no memory.
    [[nodiscard]] reference allocate(std::size_t bytes) noexcept;
    // As many bytes as were asked for.
    void release(reference block, std::size_t bytes) noexcept;
    void clear() noexcept;
    // Ends the blocks of the segment that came last. Returns false if there are none, and new ones may be
    // allocated.
    [[nodiscard]] bool clear_segment() noexcept;
    // All that the arena holds, used or not.
    [[nodiscard]] std::size_t memory() const noexcept { return memory_; }

  private:
    static constexpr std::size_t unit = 8;
    static constexpr unsigned offset_bits = 18;
    static constexpr std::uint32_t segment_units = 1U << offset_bits;
    static constexpr std::size_t largest_segment = segment_units * unit; // a huge page
    static constexpr std::size_t smallest_segment = 256;
    static constexpr std::size_t most_segments = (std::uint64_t{1} << 32) / segment_units;
    // Every size up to 128 bytes, then four per doubling.
    static constexpr std::size_t exact_classes = 16;
    static constexpr std::size_t class_count = exact_classes + 4 * 4;

    struct size_class {
        std::size_t index;
        std::uint32_t units;
    };
    struct segment {
        std::uint8_t *begin;
        std::size_t size;
    };
    [[nodiscard]] static size_class class_of(std::size_t bytes) noexcept;
    [[nodiscard]] bool add_segment(std::uint32_t units) noexcept;
    static void free_segment(const segment &old) noexcept;
    [[nodiscard]] bool obtain(std::size_t size) noexcept;
    void keep(reference block, std::uint32_t units) noexcept;

    std::vector<segment> segments_;
    reference next_ = 0; // of the last segment: what was never used
    std::uint32_t units_left_ = 0;
    std::size_t next_segment_ = smallest_segment;
    std::size_t memory_ = 0;
    reference free_[class_count] = {};
};

} // namespace zlink::patterns
