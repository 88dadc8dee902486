// SPDX-License-Identifier: MPL-2.0
// Who wants which messages: the topics of a subscriber (SUB, XSUB) and the subscribers of a publisher (PUB,
// XPUB). A topic is any byte string and matches every message that starts with it; the empty one matches all.
//
// Threads: none of its own; one owner (the socket) at a time. Ownership: topics are copied, subscribers are
// the caller's, who removes one before it goes. Invariants and cost: see patterns/topic_trie.hpp; a match
// takes time in the length of the topics that match. What adds may throw std::bad_alloc and has done nothing
// then. Nothing that removes can fail.
#pragma once

#include "patterns/topic_trie.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <type_traits>

namespace zlink::patterns {

// The subscriptions of SUB and XSUB. They are counted: a topic added twice goes when it was removed twice.
class topic_set {
  public:
    // True when the topic is new.
    bool add(std::string_view topic) { return trie_.at(topic)++ == 0; }
    // True when that was the last of it. False also for a topic that is not there.
    bool remove(std::string_view topic) noexcept;
    [[nodiscard]] bool matches(const void *data, std::size_t size) const noexcept {
        bool found = false;
        trie_.match(data, size, [&found](topic_trie::word) {
            found = true;
            return false;
        });
        return found;
    }
    // Calls use(topic) for each topic once, however often it was added, in the order of their bytes. use must
    // not change the set.
    template <class Use> void for_each(Use &&use) {
        trie_.for_each([&use](std::string_view topic, topic_trie::word &) { use(topic); });
    }
    // Different topics.
    [[nodiscard]] std::size_t size() const noexcept { return trie_.size(); }
    [[nodiscard]] std::size_t memory() const noexcept { return trie_.memory(); }

  private:
    topic_trie trie_;
};

enum class add_result : std::uint8_t {
    first,    // nobody had subscribed to this topic
    further,  // others had
    repeated, // this subscriber had: nothing changed
};
enum class remove_result : std::uint8_t {
    last,    // nobody is subscribed to this topic any more
    others,  // others still are
    unknown, // this subscriber was not: nothing changed
};

namespace detail {

// Subscribers of one topic: a word that is a pointer to the only one, or the address of a list of them,
// plus 1.
class subscriber_list;

class untyped_index {
  public:
    using word = topic_trie::word;
    untyped_index() = default;
    untyped_index(const untyped_index &) = delete;
    untyped_index &operator=(const untyped_index &) = delete;
    ~untyped_index();

    add_result add(std::string_view topic, void *subscriber);
    remove_result remove(std::string_view topic, void *subscriber) noexcept;
    void remove_all(void *subscriber, void *context, void (*gone)(void *, std::string_view, remove_result));
    [[nodiscard]] const topic_trie &trie() const noexcept { return trie_; }
    [[nodiscard]] std::size_t memory() const noexcept { return trie_.memory() + list_memory_; }

  private:
    void add_to(word &value, void *subscriber);
    remove_result remove_from(word &value, void *subscriber) noexcept;
    [[nodiscard]] subscriber_list *make_list(std::size_t room);
    void free_list(subscriber_list *list) noexcept;

    topic_trie trie_;
    std::size_t list_memory_ = 0;
};

class subscriber_list {
  public:
    static bool is_list(topic_trie::word value) noexcept { return (value & 1) != 0; }
    static subscriber_list *of(topic_trie::word value) noexcept {
        return reinterpret_cast<subscriber_list *>(static_cast<std::uintptr_t>(value - 1));
    }
    [[nodiscard]] topic_trie::word as_word() const noexcept {
        return reinterpret_cast<std::uintptr_t>(this) + 1;
    }
    [[nodiscard]] void **begin() noexcept { return reinterpret_cast<void **>(this + 1); }
    [[nodiscard]] void **end() noexcept { return begin() + size; }
    static std::size_t block_size(std::size_t room) noexcept {
        return sizeof(subscriber_list) + room * sizeof(void *);
    }

    std::uint32_t size = 0;
    std::uint32_t room = 0;
};

} // namespace detail

// The subscriptions of PUB and XPUB: topic to subscribers. One subscriber has a topic or has it not: a
// repeated add does not count, because SUB sockets of libzmq repeat SUBSCRIBE but send one CANCEL only
// (docs/ZMTP.md).
template <class Subscriber> class subscription_index {
  public:
    add_result add(std::string_view topic, Subscriber *subscriber) { return index_.add(topic, subscriber); }
    remove_result remove(std::string_view topic, Subscriber *subscriber) noexcept {
        return index_.remove(topic, subscriber);
    }
    // Takes a subscriber out of everything and calls gone(topic, remove_result) for each topic that it had,
    // in their order. gone must not use the index; what it throws passes on when the subscriber is out, and
    // gone is not called again. Takes time in the number of all topics.
    template <class Gone> void remove_all(Subscriber *subscriber, Gone &&gone) {
        index_.remove_all(subscriber, &gone, [](void *context, std::string_view topic, remove_result result) {
            (*static_cast<std::remove_reference_t<Gone> *>(context))(topic, result);
        });
    }
    // Calls use(subscriber) for every subscription that matches: a subscriber comes once for each of its
    // topics that is a prefix of the data, so the caller marks those it has seen. use must not change the
    // index.
    template <class Use> void match(const void *data, std::size_t size, Use &&use) const {
        index_.trie().match(data, size, [&use](topic_trie::word value) {
            if (!detail::subscriber_list::is_list(value)) {
                use(reinterpret_cast<Subscriber *>(static_cast<std::uintptr_t>(value)));
                return true;
            }
            for (void *subscriber : *detail::subscriber_list::of(value)) {
                use(static_cast<Subscriber *>(subscriber));
            }
            return true;
        });
    }
    // Different topics of all subscribers together.
    [[nodiscard]] std::size_t size() const noexcept { return index_.trie().size(); }
    [[nodiscard]] std::size_t memory() const noexcept { return index_.memory(); }

  private:
    static_assert(!std::is_const_v<Subscriber>);
    detail::untyped_index index_;
};

} // namespace zlink::patterns
