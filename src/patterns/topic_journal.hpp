// SPDX-License-Identifier: MPL-2.0
// topic_journal: topics one after the other, at a byte or two each beyond their own; to be appended to and
// read.
//
// Threads: none of its own; one owner at a time. Ownership: owns copies of the topics, in blocks that do not
// move. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace zlink::patterns {

class topic_journal {
  public:
    // Throws std::bad_alloc and has done nothing then.
    void append(std::string_view topic);
    // Removes the entry that came last; at most once for each.
    void withdraw(std::string_view last) noexcept;
    [[nodiscard]] std::size_t entries() const noexcept { return entries_; }
    // Each topic once, in the order of their bytes. Valid while the journal is. Throws std::bad_alloc.
    [[nodiscard]] std::vector<std::string_view> sorted() const;
    [[nodiscard]] std::size_t memory() const noexcept { return memory_; }

  private:
    struct block {
        std::unique_ptr<char[]> bytes;
        std::size_t used;
        std::size_t room;
    };
    static constexpr std::size_t smallest_block = 64;
    static constexpr std::size_t largest_block = std::size_t{32} * 1024;

    [[nodiscard]] block &block_for(std::size_t size);

    std::vector<block> blocks_;
    std::size_t entries_ = 0;
    std::size_t memory_ = 0;
};

} // namespace zlink::patterns
