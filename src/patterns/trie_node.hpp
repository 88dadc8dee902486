// SPDX-License-Identifier: MPL-2.0
// trie_node: a node of topic_trie, as it lies in a block of node_arena.
//
// Threads, ownership: those of the tree. Invariants: see topic_trie.hpp. Units: bytes.
#pragma once

#include "patterns/node_arena.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace zlink::patterns {

namespace detail {

// A block of variable size. It has four parts:
// - this head;
// - the key bytes of the children, ascending; the widest form has none, its index is the key;
// - as many references to children as the form has slots;
// - the label: the bytes of the edge into the node, behind its key.
// An edge that is longer than max_label goes through nodes with one child.
struct trie_node {
    using reference = node_arena::reference;

    std::uint32_t word; // 0: no topic ends here
    std::uint32_t label_size : 8;
    std::uint32_t child_count : 9;
    std::uint32_t form : 4;   // index in slot_counts
    std::uint32_t cursor : 8; // for_each: the child it is in

    static constexpr std::uint16_t slot_counts[] = {0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 32, 48, 256};
    static constexpr std::uint32_t widest_form = 13;
    static constexpr std::size_t max_label = 255;

    [[nodiscard]] static constexpr std::size_t key_bytes(std::size_t form) noexcept {
        return form == widest_form ? 0 : (slot_counts[form] + 3U) & ~std::size_t{3};
    }
    [[nodiscard]] static constexpr std::size_t fixed_size(std::size_t form) noexcept {
        return sizeof(trie_node) + key_bytes(form) + slot_counts[form] * sizeof(reference);
    }
    [[nodiscard]] std::size_t slots() const noexcept { return slot_counts[form]; }
    // Keys come first, to lie in the cache line of the head.
    [[nodiscard]] std::uint8_t *keys() noexcept { return reinterpret_cast<std::uint8_t *>(this + 1); }
    [[nodiscard]] const std::uint8_t *keys() const noexcept {
        return reinterpret_cast<const std::uint8_t *>(this + 1);
    }
    [[nodiscard]] reference *children() noexcept {
        return reinterpret_cast<reference *>(keys() + key_bytes(form));
    }
    [[nodiscard]] const reference *children() const noexcept {
        return reinterpret_cast<const reference *>(keys() + key_bytes(form));
    }
    [[nodiscard]] std::uint8_t *label() noexcept { return keys() - sizeof(trie_node) + fixed_size(form); }
    [[nodiscard]] const std::uint8_t *label() const noexcept {
        return keys() - sizeof(trie_node) + fixed_size(form);
    }
    [[nodiscard]] std::size_t block_size() const noexcept { return fixed_size(form) + label_size; }

    static constexpr std::size_t no_slot = SIZE_MAX;
    [[nodiscard]] std::uint8_t key_at(std::size_t slot) const noexcept {
        return form == widest_form ? static_cast<std::uint8_t>(slot) : keys()[slot];
    }
    // The first child at `from` or behind it, or no_slot.
    [[nodiscard]] std::size_t next_slot(std::size_t from) const noexcept {
        if (form != widest_form) {
            return from < child_count ? from : no_slot;
        }
        while (from < slots() && children()[from] == 0) {
            ++from;
        }
        return from < slots() ? from : no_slot;
    }
    // The first child whose key is not less, or no_slot.
    [[nodiscard]] std::size_t slot_from(std::uint8_t key) const noexcept {
        if (form == widest_form) {
            return next_slot(key);
        }
        return next_slot(
            static_cast<std::size_t>(std::lower_bound(keys(), keys() + child_count, key) - keys()));
    }
    // Where the child of a key byte is, or no_slot.
    [[nodiscard]] std::size_t slot_of(std::uint8_t key) const noexcept {
        if (form == widest_form) {
            return children()[key] != 0 ? key : no_slot;
        }
        constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
        for (std::size_t first = 0; first < child_count; first += 8) {
            std::uint64_t eight; // keys, and behind the last one what is in the block anyway
            std::memcpy(&eight, keys() + first, sizeof eight);
            if constexpr (std::endian::native == std::endian::big) {
                eight = __builtin_bswap64(eight);
            }
            eight ^= ones * key;
            // The lowest bit set belongs to the first byte that is equal; those above it may lie.
            const std::uint64_t equal = (eight - ones) & ~eight & tops;
            if (equal != 0) {
                const std::size_t slot = first + static_cast<std::size_t>(std::countr_zero(equal)) / 8;
                return slot < child_count ? slot : no_slot;
            }
        }
        return no_slot;
    }
    // So many bytes of the label are those that the text begins with.
    [[nodiscard]] std::size_t common_size(std::string_view text) const noexcept {
        const std::size_t most = std::min<std::size_t>(label_size, text.size());
        const std::uint8_t *bytes = label();
        std::size_t size = 0;
        if constexpr (std::endian::native == std::endian::little) {
            for (; size + 8 <= most; size += 8) {
                std::uint64_t left, right;
                std::memcpy(&left, bytes + size, sizeof left);
                std::memcpy(&right, text.data() + size, sizeof right);
                if (left != right) {
                    return size + static_cast<std::size_t>(std::countr_zero(left ^ right)) / 8;
                }
            }
        }
        while (size < most && bytes[size] == static_cast<std::uint8_t>(text[size])) {
            ++size;
        }
        return size;
    }
};

static_assert(sizeof(trie_node) == 8);
static_assert(trie_node::fixed_size(trie_node::widest_form) + trie_node::max_label <=
              node_arena::largest_block);

// Labels are short: eight bytes at a time beats a call of memcmp.
[[nodiscard]] inline bool same_bytes(const std::uint8_t *a, const std::uint8_t *b,
                                     std::size_t size) noexcept {
    for (; size >= 8; a += 8, b += 8, size -= 8) {
        std::uint64_t left, right;
        std::memcpy(&left, a, sizeof left);
        std::memcpy(&right, b, sizeof right);
        if (left != right) {
            return false;
        }
    }
    for (; size != 0; ++a, ++b, --size) {
        if (*a != *b) {
            return false;
        }
    }
    return true;
}

} // namespace detail

} // namespace zlink::patterns
