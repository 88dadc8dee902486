// SPDX-License-Identifier: MPL-2.0
// A compressed radix tree from byte strings (topics) to words that are not zero. The ground of
// subscriptions.hpp.
//
// Threads: none of its own; one owner at a time. Ownership: owns its nodes; what the words mean is the
// caller's. Invariants: a node below the root has a word or at least two children (unless memory was short
// when one was taken out), so there are less than twice as many nodes as topics; a topic costs less than 100
// bytes beyond its own length. Nothing recurses, and nothing allocates but at(), which leaves the tree as it
// was when it throws. Units: bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zlink::patterns {

namespace detail {

// A block of variable size: this head; the key bytes of the children (not in the widest form, whose index is
// the key), ascending; as many child pointers as the form has slots; the label: the bytes of the edge into
// the node behind its key.
struct trie_node {
    std::uint64_t word; // 0: no topic ends here
    std::uint64_t label_size : 40;
    std::uint64_t child_count : 9;
    std::uint64_t form : 4;   // index in slot_counts
    std::uint64_t cursor : 8; // for_each: the child it is in

    static constexpr std::uint16_t slot_counts[] = {0, 1, 2, 4, 8, 16, 32, 48, 256};
    static constexpr std::uint8_t widest_form = 8;
    static constexpr std::size_t child_size = sizeof(void *);
    static constexpr std::uint64_t max_label = (std::uint64_t{1} << 40) - 1;

    [[nodiscard]] static constexpr std::size_t key_bytes(std::size_t form) noexcept {
        // Keys are searched eight at a time.
        return form == 0 || form == widest_form ? 0 : (slot_counts[form] + 7U) & ~std::size_t{7};
    }
    [[nodiscard]] std::size_t slots() const noexcept { return slot_counts[form]; }
    // Keys come first, to lie in the cache line of the head.
    [[nodiscard]] std::uint8_t *keys() noexcept { return reinterpret_cast<std::uint8_t *>(this + 1); }
    [[nodiscard]] const std::uint8_t *keys() const noexcept {
        return reinterpret_cast<const std::uint8_t *>(this + 1);
    }
    [[nodiscard]] trie_node **children() noexcept {
        return reinterpret_cast<trie_node **>(keys() + key_bytes(form));
    }
    [[nodiscard]] trie_node *const *children() const noexcept {
        return reinterpret_cast<trie_node *const *>(keys() + key_bytes(form));
    }
    [[nodiscard]] std::uint8_t *label() noexcept {
        return reinterpret_cast<std::uint8_t *>(children() + slots());
    }
    [[nodiscard]] const std::uint8_t *label() const noexcept {
        return reinterpret_cast<const std::uint8_t *>(children() + slots());
    }
    [[nodiscard]] std::size_t block_size() const noexcept {
        return sizeof(trie_node) + slots() * child_size + key_bytes(form) + label_size;
    }

    static constexpr std::size_t no_slot = SIZE_MAX;
    // Where the child of a key byte is, or no_slot.
    [[nodiscard]] std::size_t slot_of(std::uint8_t key) const noexcept {
        if (form == widest_form) {
            return children()[key] != nullptr ? key : no_slot;
        }
        constexpr std::uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
        for (std::size_t first = 0; first < child_count; first += 8) {
            std::uint64_t eight;
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
};

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

class topic_trie {
  public:
    using word = std::uint64_t;

    topic_trie() = default;
    topic_trie(const topic_trie &) = delete;
    topic_trie &operator=(const topic_trie &) = delete;
    ~topic_trie();

    // The word of a topic. Zero: the topic is new, and the caller sets the word at once, or erases the topic.
    // Valid until the tree changes. Throws std::bad_alloc.
    word &at(std::string_view topic);
    // The word of a topic, or nullptr.
    [[nodiscard]] word *find(std::string_view topic) noexcept;
    // Takes out a topic that is there.
    void erase(std::string_view topic) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return topics_; }
    // Memory of all nodes, without what the allocator adds.
    [[nodiscard]] std::size_t memory() const noexcept { return memory_; }

    // Calls visit(word) for every topic that is a prefix of the data, shortest first, until it returns false.
    // Time goes with the length of the longest topic that matches, not with the number of topics.
    template <class Visit> void match(const void *data, std::size_t size, Visit &&visit) const {
        const auto *at = static_cast<const std::uint8_t *>(data);
        const node *here = root_;
        while (here != nullptr) {
            if (here->word != 0 && !visit(here->word)) {
                return;
            }
            const std::size_t slot = size != 0 ? here->slot_of(*at) : node::no_slot;
            if (slot == node::no_slot) {
                return;
            }
            here = here->children()[slot];
            ++at;
            --size;
            const std::size_t label_size = here->label_size;
            if (label_size > size || !detail::same_bytes(here->label(), at, label_size)) {
                return;
            }
            at += label_size;
            size -= label_size;
        }
    }

    // Calls visit(topic, word&) for every topic in the order of their bytes, a prefix first. A word set to
    // zero takes the topic out. visit must not use the tree; when it throws, it is not called again, and the
    // exception passes on in the end.
    template <class Visit> void for_each(Visit &&visit) {
        traverse(&visit, [](void *context, std::string_view topic, word &value) {
            (*static_cast<std::remove_reference_t<Visit> *>(context))(topic, value);
        });
    }

  private:
    using node = detail::trie_node;
    using visitor = void (*)(void *, std::string_view, word &);

    // Where a topic's node hangs, and where its parent does (null for the root).
    struct path {
        node **link = nullptr;
        node **parent_link = nullptr;
        std::size_t slot = 0;
    };

    // These return nullptr when there is no memory.
    [[nodiscard]] node *make_node(std::size_t form, std::size_t label_size) noexcept;
    [[nodiscard]] node *make_copy(const node &old, std::size_t form, std::size_t label_cut) noexcept;
    void free_node(node *old) noexcept;
    node **add_leaf(node **link, std::string_view rest);
    void split(node **link, std::size_t common, bool sibling);
    [[nodiscard]] path walk(std::string_view topic) noexcept;
    void tidy(node **link) noexcept;
    void join(node **link) noexcept;
    void shrink(node **link) noexcept;
    void visit_node(node &here, void *context, visitor visit, std::exception_ptr &failure);
    void traverse(void *context, visitor visit);

    node *root_ = nullptr; // its label is empty
    std::size_t topics_ = 0;
    std::size_t memory_ = 0;
    std::string text_; // for_each: the topic; as large as the longest one ever
};

} // namespace zlink::patterns
