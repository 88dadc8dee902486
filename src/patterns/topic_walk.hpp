// SPDX-License-Identifier: MPL-2.0
// topic_walk: reads the topics of a tree in the order of their bytes, a prefix first. It begins where another
// walk stopped. Between two walks topics may come and go. It reads the first 64 bytes of a topic, which a
// filter hashes. It reads 64 bytes that many topics begin with once. The empty topic, where the first walk
// begins, is not read.
//
// Threads, ownership: those of the tree, which must not change during a walk. Invariants: a topic that is in
// the tree from the first of a row of walks until one ends is read by one of them. Time of a walk goes with
// what it reads; nothing recurses or allocates. Units: bytes.
#pragma once

#include "patterns/node_arena.hpp"
#include "patterns/topic_filter.hpp"
#include "patterns/trie_node.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace zlink::patterns {

// The topic that was read last. Those before it, and longer ones that begin with 64 bytes of it, have been
// read too.
struct topic_position {
    static constexpr std::size_t most_bytes = topic_filter::most_hashed;

    [[nodiscard]] std::string_view topic() const noexcept { return {text.data(), size}; }

    std::array<char, most_bytes> text{};
    std::size_t size = 0;
};

class topic_walk {
  public:
    // Begins behind the position, which stays the caller's and goes along.
    topic_walk(const node_arena &arena, node_arena::reference root, topic_position &at) noexcept;
    // Moves to the next topic. Returns false if there is none.
    [[nodiscard]] bool next() noexcept;

  private:
    using node = detail::trie_node;

    // A node on the way to the position, and what of it comes next.
    struct level {
        node_arena::reference at;
        std::size_t slot; // of the next child
        std::size_t size; // of the text that ends here
    };

    [[nodiscard]] const node &node_at(node_arena::reference block) const noexcept {
        return *reinterpret_cast<const node *>(arena_.at(block));
    }
    // How much of the label of a child is read, when `size` bytes lie before its key.
    [[nodiscard]] static std::size_t label_size(const node &child, std::size_t size) noexcept;

    const node_arena &arena_;
    topic_position &at_;
    std::size_t depth_ = 0;
    std::array<level, topic_position::most_bytes + 1> path_; // each level is a byte further, at least
};

} // namespace zlink::patterns
