// SPDX-License-Identifier: MPL-2.0
// A block is a piece of memory that begins at a chosen place in a page.
//
// Some processors copy many times slower when the target lies 1 to 15 bytes ahead of the source modulo 4096.
// Threads: one owner at a time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>

namespace bench {

inline constexpr std::size_t page_bytes = 4096;

// Bytes from the begin of a page; nothing stands for the place where malloc puts a block.
using page_offset = std::optional<std::size_t>;

class block {
  public:
    block(std::size_t size_bytes, page_offset offset);

    [[nodiscard]] std::size_t size() const { return size_bytes_; }
    [[nodiscard]] std::byte *data() { return begin_; }
    [[nodiscard]] const std::byte *data() const { return begin_; }

  private:
    struct release {
        void operator()(std::byte *memory) const { std::free(memory); }
    };
    std::unique_ptr<std::byte, release> memory_;
    std::byte *begin_;
    std::size_t size_bytes_;
};

// Returns true if this processor copies many times slower when the target lies slightly ahead of the source.
// Measures it on the first call.
[[nodiscard]] bool copies_ahead_are_slow();

// Returns true if a copy between these addresses, or page offsets, is a slow one on such a processor.
[[nodiscard]] constexpr bool is_slightly_ahead(std::size_t target, std::size_t source) {
    const std::size_t ahead = (target - source) % page_bytes;
    return ahead >= 1 && ahead <= 15;
}

// Returns an offset for a buffer that a body of this offset is copied into or out of. Half a page lies
// between them, so that no header before the body makes the copy slow.
[[nodiscard]] constexpr std::size_t offset_apart_from(page_offset body) {
    constexpr std::size_t large_malloc_block = 16;
    return (body.value_or(large_malloc_block) + page_bytes / 2) % page_bytes;
}

} // namespace bench
