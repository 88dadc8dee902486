// SPDX-License-Identifier: MPL-2.0
// topic_index: finds the topics that are prefixes of a message, or says that there is none. A walk down a
// large tree would wait for memory at each of its last steps. It is a hash table of all topics, asked once
// for each length that topics have. A question reads one cache line of the table, and compares the topic
// itself.
//
// Threads: none of its own; one owner (the tree) at a time. Ownership: owns copies of the topics, which lie
// in the order in which they came.
// Invariants: it has all topics of the tree, with their words, or does not exist. It ends when memory is
// short, when topics have more than three lengths, or when more topics are long than short. It also ends when
// very many topics fall into one line. Nobody can bring that about without the seed.
// A longer topic is there by its first 27 bytes. A message that begins with them gets the answer "unknown". A
// topic costs 11 bytes beyond an entry of up to 32. Only end() takes time in the number of topics: the table
// grows by a line at a time. Whoever sees that it ended dismantles it. Units: bytes.
#pragma once

#include "patterns/node_arena.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zlink::patterns {

class topic_index {
  public:
    using word = std::uint32_t;
    static constexpr std::size_t most_lengths = 3; // each is a question
    static constexpr std::size_t most_bytes = 27;  // of a topic

    // The word of the only topic that matches, or 0 when none does, if that is known.
    struct answer {
        bool known = false;
        word value = 0;
    };

    topic_index() = default;
    topic_index(const topic_index &) = delete;
    topic_index &operator=(const topic_index &) = delete;
    ~topic_index() { end(); }

    // An empty one. It does not exist after it when there is no memory.
    void begin() noexcept;
    void end() noexcept;
    // Gives back a part of what one that came to its end by itself has left.
    void dismantle() noexcept;
    [[nodiscard]] bool exists() const noexcept { return line_count_ != 0; }
    [[nodiscard]] std::size_t memory() const noexcept;

    // Has the processor fetch what add() or find() of a topic will need.
    void prepare(std::string_view topic) const noexcept;
    // A topic that is not there. Returns what find() does.
    word *add(std::string_view topic, word value) noexcept;
    // A topic that is there, if the index exists.
    void remove(std::string_view topic) noexcept;
    // Where the word of a topic is, until the topic or the index goes. Null for a long one, too.
    [[nodiscard]] word *find(std::string_view topic) noexcept;
    [[nodiscard]] answer ask(const std::uint8_t *data, std::size_t size) const noexcept;

  private:
    using reference = node_arena::reference;
    static constexpr std::size_t slots = 10;
    static constexpr std::size_t first_lines = 64;     // a page
    static constexpr std::size_t tenths_per_line = 65; // of a topic, on average
    static constexpr std::size_t most_long_more = 256; // than short ones
    static constexpr std::size_t most_in_chain = 6 * slots;

    // Topics whose hashes lead here, without gaps. Those that find no room go on in a line of more_.
    struct alignas(64) line {
        std::array<std::uint16_t, slots> tags; // 0: free
        std::array<reference, slots> entries;
        std::uint32_t next; // index in more_, from one
    };
    static_assert(sizeof(line) == 64);
    // Lines in memory that the system clears when it is touched first. They move when it grows.
    class line_memory {
      public:
        line_memory() = default;
        line_memory(const line_memory &) = delete;
        line_memory &operator=(const line_memory &) = delete;
        ~line_memory() { clear(); }

        [[nodiscard]] bool reserve(std::size_t lines) noexcept;
        void clear() noexcept;
        // Gives back some lines at the end. Returns false if there are none.
        [[nodiscard]] bool trim() noexcept;
        [[nodiscard]] std::size_t room() const noexcept { return room_; }
        [[nodiscard]] line &operator[](std::size_t at) const noexcept { return lines_[at]; }

      private:
        line *lines_ = nullptr;
        std::size_t room_ = 0;
    };
    struct entry {
        word value;        // of a long topic: how many have this beginning
        std::uint8_t size; // long_size: of a long one
        std::uint8_t text[most_bytes];
    };
    static_assert(sizeof(entry) == 32);
    static constexpr std::size_t entry_head = offsetof(entry, text);
    static constexpr std::size_t long_size = most_bytes + 1;

    struct length {
        std::size_t size;
        std::size_t topics;
    };
    // Bytes of a topic, or of a message, that are looked for.
    struct key {
        const std::uint8_t *text;
        std::size_t size; // or long_size
        [[nodiscard]] std::size_t bytes() const noexcept { return size < long_size ? size : most_bytes; }
    };
    // Where an entry is named.
    struct place {
        std::size_t home = 0;
        line *in = nullptr;
        std::size_t slot = 0;
    };

    [[nodiscard]] static key key_of(std::string_view topic) noexcept;
    [[nodiscard]] entry &entry_at(reference at) const noexcept {
        return *reinterpret_cast<entry *>(entries_.at(at));
    }
    [[nodiscard]] key key_at(reference at) const noexcept { return {entry_at(at).text, entry_at(at).size}; }
    [[nodiscard]] std::uint64_t hash(const key &of) const noexcept;
    [[nodiscard]] static std::uint16_t tag_of(std::uint64_t hash) noexcept {
        return static_cast<std::uint16_t>(hash >> 48 | 1);
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t hash) const noexcept;
    [[nodiscard]] line *behind(const line &here) const noexcept {
        return here.next != 0 ? &more_[here.next - 1] : nullptr;
    }
    [[nodiscard]] place look_up(const key &of, std::uint64_t hashed) const noexcept;
    [[nodiscard]] bool count_length(std::size_t size) noexcept;
    void uncount_length(std::size_t size) noexcept;
    void give_up() noexcept;
    [[nodiscard]] bool add_long(const key &of) noexcept;
    [[nodiscard]] reference add_entry(const key &of, word value) noexcept;
    [[nodiscard]] reference make_entry(const key &of, word value) noexcept;
    [[nodiscard]] bool put(std::uint64_t hash, reference at) noexcept;
    [[nodiscard]] static std::size_t used(const line &of) noexcept;
    [[nodiscard]] bool reserve_more() noexcept;
    void free_more(std::uint32_t old) noexcept;
    void take_out(const place &from) noexcept;
    [[nodiscard]] bool grow() noexcept;

    node_arena entries_;
    line_memory lines_;
    line_memory more_;
    std::size_t line_count_ = 0; // 0: the index does not exist
    std::size_t base_ = 0;       // the power of two that is not above line_count_
    std::size_t more_count_ = 0;
    std::uint32_t free_more_ = 0; // the first that is free; each names the next
    std::size_t entry_count_ = 0;
    std::size_t short_topics_ = 0;
    std::size_t long_topics_ = 0;
    std::uint64_t seed_ = 0;
    std::array<length, most_lengths> lengths_{}; // the shortest first
    std::size_t length_count_ = 0;
};

} // namespace zlink::patterns
