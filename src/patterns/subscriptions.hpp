// SPDX-License-Identifier: MPL-2.0
// Who wants which messages: the topics of a subscriber (SUB, XSUB) and the subscribers of a publisher (PUB,
// XPUB). A topic is any byte string and matches every message that starts with it; the empty one matches all.
//
// Threads: none of its own; one owner (the socket) at a time. Ownership: topics are copied, subscribers are
// the caller's, who removes one before it goes. Invariants and cost: see patterns/topic_trie.hpp; a match
// takes time in the length of the topics that match. Each subscriber has a journal of its topics, so that its
// going takes time in their number and not in that of all topics. A call that adds may throw std::bad_alloc
// and has done nothing then. Nothing that removes can fail.
#pragma once

#include "patterns/topic_journal.hpp"
#include "patterns/topic_trie.hpp"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zlink::patterns {

// The subscriptions of SUB and XSUB. They are counted: a topic added twice goes when it was removed twice
// (but one added four milliard times stays).
class topic_set {
  public:
    // True when the topic is new.
    bool add(std::string_view topic);
    // True when that was the last of it. False also for a topic that is not there.
    bool remove(std::string_view topic) noexcept;
    [[nodiscard]] bool matches(const void *data, std::size_t size) noexcept {
        bool found = false;
        trie_.match(data, size, [&found](topic_trie::word) {
            found = true;
            return false;
        });
        return found;
    }
    [[nodiscard]] bool matches_all() const noexcept { return trie_.has_empty(); }
    [[nodiscard]] bool contains(std::string_view topic) noexcept { return trie_.find(topic) != nullptr; }
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

using subscribers = std::vector<void *>;

// A word of the tree names the subscribers of a topic. It is the number of the only one, counted from one, or
// the number of a list of them with the highest bit set.
class untyped_index {
  public:
    using word = topic_trie::word;
    static constexpr word list_bit = word{1} << 31;

    untyped_index() = default;
    untyped_index(const untyped_index &) = delete;
    untyped_index &operator=(const untyped_index &) = delete;

    add_result add(std::string_view topic, void *subscriber);
    remove_result remove(std::string_view topic, void *subscriber) noexcept;
    void remove_all(void *subscriber, void *context, void (*gone)(void *, std::string_view, remove_result));
    [[nodiscard]] topic_trie &trie() noexcept { return trie_; }
    [[nodiscard]] const topic_trie &trie() const noexcept { return trie_; }
    [[nodiscard]] std::size_t memory() const noexcept;
    [[nodiscard]] static bool is_list(word value) noexcept { return (value & list_bit) != 0; }
    [[nodiscard]] const subscribers &list(word value) const noexcept { return lists_[value & ~list_bit]; }
    [[nodiscard]] void *single(word value) const noexcept { return numbered_[value - 1]; }

  private:
    struct record {
        topic_journal journal; // all topics that the subscriber has; some may be there twice, or gone
        std::size_t topics = 0;
        std::size_t tidy_at = 0; // not before the journal has so many entries
        word number = 0;
    };
    using gone_function = void (*)(void *, std::string_view, remove_result);

    [[nodiscard]] record &record_of(void *subscriber);
    [[nodiscard]] record *find_record(void *subscriber) noexcept;
    void forget_if_idle(void *subscriber, record &of) noexcept;
    [[nodiscard]] bool contains(word value, void *subscriber) const noexcept;
    [[nodiscard]] add_result add_to(word &value, void *subscriber, const record &of);
    [[nodiscard]] add_result add_new(std::string_view topic, word &value, void *subscriber);
    [[nodiscard]] word make_list(void *first, void *second);
    void free_list(word value) noexcept;
    [[nodiscard]] remove_result remove_from(word &value, void *subscriber) noexcept;
    [[nodiscard]] remove_result take_out(std::string_view topic, void *subscriber) noexcept;
    void tidy_journal(void *subscriber, record &of) noexcept;
    void remove_journaled(void *subscriber, const std::vector<std::string_view> &topics, void *context,
                          gone_function gone);
    void remove_by_sweep(void *subscriber, void *context, gone_function gone);

    topic_trie trie_;
    std::unordered_map<void *, record> records_;
    std::pair<void *, record *> last_{nullptr, nullptr}; // that was looked for
    subscribers numbered_;
    std::vector<word> free_numbers_; // with room for all
    std::vector<subscribers> lists_;
    std::vector<word> free_lists_; // with room for all
};

} // namespace detail

// The subscriptions of PUB and XPUB: topic to subscribers. One subscriber has a topic or has it not, and a
// repeated add does not count. SUB sockets of libzmq repeat SUBSCRIBE, but send one CANCEL only
// (docs/ZMTP.md).
template <class Subscriber> class subscription_index {
  public:
    add_result add(std::string_view topic, Subscriber *subscriber) { return index_.add(topic, subscriber); }
    remove_result remove(std::string_view topic, Subscriber *subscriber) noexcept {
        return index_.remove(topic, subscriber);
    }
    // Takes a subscriber out of everything and calls gone(topic, remove_result) for each topic that it had,
    // in their order. gone must not use the index; what it throws passes on when the subscriber is out, and
    // gone is not called again.
    template <class Gone> void remove_all(Subscriber *subscriber, Gone &&gone) {
        index_.remove_all(subscriber, &gone, [](void *context, std::string_view topic, remove_result result) {
            (*static_cast<std::remove_reference_t<Gone> *>(context))(topic, result);
        });
    }
    // Calls use(subscriber) for every subscription that matches. A subscriber comes once for each of its
    // topics that is a prefix of the data: the caller marks those it has seen. use must not change the index.
    template <class Use> void match(const void *data, std::size_t size, Use &&use) {
        index_.trie().match(data, size, [this, &use](topic_trie::word value) {
            if (!detail::untyped_index::is_list(value)) {
                use(static_cast<Subscriber *>(index_.single(value)));
                return true;
            }
            for (void *subscriber : index_.list(value)) {
                use(static_cast<Subscriber *>(subscriber));
            }
            return true;
        });
    }
    // Does every message match, for somebody?
    [[nodiscard]] bool matches_all() const noexcept { return index_.trie().has_empty(); }
    // Different topics of all subscribers together.
    [[nodiscard]] std::size_t size() const noexcept { return index_.trie().size(); }
    [[nodiscard]] std::size_t memory() const noexcept { return index_.memory(); }

  private:
    static_assert(!std::is_const_v<Subscriber>);
    detail::untyped_index index_;
};

} // namespace zlink::patterns
