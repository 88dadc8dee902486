// SPDX-License-Identifier: MPL-2.0
// A compressed radix tree from byte strings (topics) to words that are not zero. The ground of
// subscriptions.hpp.
//
// Threads: none of its own; one owner at a time. Ownership: owns its nodes. The caller knows what the words
// mean.
// Invariants: a node below the root has a word or at least two children. It may have one child if both labels
// are too long for one node, or if memory was short when another child was taken out. So a topic costs less
// than 100 bytes beyond its own length. Released blocks stay for further topics until the last one goes
// (node_arena.hpp).
// Nothing recurses. Only two functions allocate: at(), which leaves the topics as they were when it throws,
// and match(), which does without when there is no memory. Many topics also lie in an index, and a filter
// denies messages when it is worth it. Units: bytes.
#pragma once

#include "patterns/node_arena.hpp"
#include "patterns/topic_filter.hpp"
#include "patterns/topic_index.hpp"
#include "patterns/topic_walk.hpp"
#include "patterns/trie_node.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace zlink::patterns {

class topic_trie {
  public:
    using word = std::uint32_t;
    static constexpr std::size_t indexed_topics = 2048; // so many are taken in at once

    topic_trie() = default;
    topic_trie(const topic_trie &) = delete;
    topic_trie &operator=(const topic_trie &) = delete;

    // The word of a topic. Zero: the topic is new, and the caller sets the word at once, or erases the topic.
    // Valid until the tree changes. Throws std::bad_alloc.
    word &at(std::string_view topic);
    // The word of a topic, or nullptr.
    [[nodiscard]] word *find(std::string_view topic) noexcept;
    // Takes out a topic that is there.
    void erase(std::string_view topic) noexcept;

    [[nodiscard]] std::size_t size() const noexcept { return topics_; }
    // Is the empty topic there, which every message matches?
    [[nodiscard]] bool has_empty() const noexcept { return root_ != 0 && node_at(root_).word != 0; }
    [[nodiscard]] std::size_t memory() const noexcept {
        return arena_.memory() + filter_.memory() + index_.memory();
    }
    [[nodiscard]] const topic_index &index() const noexcept { return index_; }
    [[nodiscard]] const topic_filter &filter() const noexcept { return filter_; }
    // Reads on from there, while the tree does not change.
    [[nodiscard]] topic_walk walk_from(topic_position &at) const noexcept { return {arena_, root_, at}; }

    // Calls visit(word) for every topic that is a prefix of the data, shortest first, until it returns false.
    // Time goes with the length of the longest topic that matches, not with the number of topics. visit must
    // not use the tree.
    template <class Visit> void match(const void *data, std::size_t size, Visit &&visit) {
        const auto *at = static_cast<const std::uint8_t *>(data);
        if (root_ == 0) {
            return;
        }
        const node *here = &node_at(root_);
        if (topics_ >= topic_filter::least_topics) [[unlikely]] {
            here = begin_of(at, size);
        }
        for (;;) {
            if (here->word != 0 && !visit(here->word)) {
                return;
            }
            const bool leaf = here->child_count == 0 || size == 0;
            const std::size_t slot = leaf ? node::no_slot : here->slot_of(*at);
            if (slot == node::no_slot) {
                return;
            }
            here = &node_at(here->children()[slot]);
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
    using reference = node_arena::reference;
    using visitor = void (*)(void *, std::string_view, word &);

    // The place of a topic's node, and the last node above it that stays without it. That is the root, or a
    // node with a word or other children. Between the two there is nothing but a long edge.
    struct path {
        reference *link = nullptr;
        reference *anchor_link = nullptr; // null for the root
        std::size_t anchor_slot = 0;      // of the child that leads to the node
    };

    [[nodiscard]] node &node_at(reference block) const noexcept {
        return *reinterpret_cast<node *>(arena_.at(block));
    }
    // Where a match begins among many topics: at the root, or at a leaf that stands for the answer.
    [[nodiscard]] const node *begin_of(const std::uint8_t *data, std::size_t size) noexcept;
    void make_index();
    // The owner may have changed the word that it was given last.
    void settle() noexcept {
        if (open_.indexed != nullptr) {
            *open_.indexed = *open_.there;
            open_ = {};
        }
    }
    void look(bool matched) noexcept;
    [[nodiscard]] bool matches_one(std::string_view data) const noexcept;
    void make_filter() noexcept;
    void fill_filter() noexcept;
    // These return 0 or nullptr when there is no memory.
    [[nodiscard]] reference make_node(std::size_t form, std::size_t label_size) noexcept;
    [[nodiscard]] reference make_copy(const node &old, std::size_t form, std::size_t label_cut) noexcept;
    [[nodiscard]] reference make_edge(std::string_view text, node *&end) noexcept;
    [[nodiscard]] node *add_leaf(reference *link, std::string_view rest) noexcept;
    [[nodiscard]] bool split(reference *link, std::size_t common, bool sibling) noexcept;
    [[nodiscard]] node *place(std::string_view topic) noexcept;
    [[nodiscard]] path walk(std::string_view topic) noexcept;
    void free_node(reference old) noexcept;
    void free_edge(reference first) noexcept;
    void tidy(reference *link) noexcept;
    void join(reference *link) noexcept;
    void shrink(reference *link) noexcept;
    void visit_node(node &here, void *context, visitor visit, std::exception_ptr &failure);
    void traverse(void *context, visitor visit);
    void release_if_empty() noexcept;

    node_arena arena_;
    topic_filter filter_;   // while there are many topics, and messages that match none
    topic_position filled_; // while it is being made: what is in
    topic_index index_;     // while there are more than a few topics
    struct {
        word *there = nullptr;
        word *indexed = nullptr;
    } open_;                // the word that the owner was given last
    node answer_{};         // a leaf
    bool indexable_ = true; // as far as is known, since there were few topics
    reference root_ = 0;    // its label is empty
    std::size_t topics_ = 0;
    std::string text_; // for_each: the topic; as large as the longest one ever
};

} // namespace zlink::patterns
