// SPDX-License-Identifier: MPL-2.0
// topic_filter: tells quickly of most messages that no topic matches them. A walk down a large tree would
// wait for memory at each of its last steps. A Bloom filter of all topics, one cache line per topic, asked
// once for each length that topics have.
//
// Threads: none of its own; one owner (the tree) at a time. Ownership: owns its lines.
// Life: begin() starts a filter when a quarter as many walks were in vain as there are topics. The owner adds
// a few topics at a time. The filter is complete when all topics of the time of begin() are in it. Then it is
// asked as long as enough of the latest messages match nothing. A topic that goes stays in it until the
// filter is made anew.
// Invariants: only a complete filter is asked. It never denies a topic that was added since begin(). Only
// end() takes time in the size of the filter (0.4 ms after a million topics). Whoever fills it on purpose
// makes walks necessary and nothing worse. Units: bytes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace zlink::patterns {

class topic_filter {
  public:
    static constexpr std::size_t least_topics = 8192; // the tree of fewer lies in the cache
    static constexpr std::size_t most_lengths = 8;
    static constexpr std::size_t most_hashed = 64; // of a topic

    topic_filter() = default;
    topic_filter(const topic_filter &) = delete;
    topic_filter &operator=(const topic_filter &) = delete;
    ~topic_filter() { end(); }

    // Begins an empty filter with room for so many topics, and some more. Returns false if there is no
    // memory.
    [[nodiscard]] bool begin(std::size_t topics) noexcept;
    // A topic more. With too many, or with too many lengths of them, the filter ends.
    void add(std::string_view topic) noexcept;
    // Has the system clear a part of the lines, or else each page of them is when a topic comes to it first.
    // Returns false if all lines are clear.
    [[nodiscard]] bool clear_some() noexcept;
    // All topics have been added to the filter that was begun.
    void complete() noexcept;
    void end() noexcept;
    [[nodiscard]] bool filling() const noexcept { return filling_; }
    [[nodiscard]] bool exists() const noexcept { return lines_ != nullptr; }
    [[nodiscard]] std::size_t memory() const noexcept { return line_count_ * sizeof(line); }

    // Is it worth the question?
    [[nodiscard]] bool asked() const noexcept { return score_ > 0; }
    // Returns false if no topic is a prefix of the data.
    [[nodiscard]] bool may_match(const std::uint8_t *data, std::size_t size) noexcept;
    // Returns true for one of sixteen messages that may_match() did not deny. The caller then tells
    // note_walk() whether the message matched, unless the filter is being filled. note_walk() returns true if
    // it is time to begin a filter.
    [[nodiscard]] bool curious() noexcept { return ++walks_ % walks_per_look == 0; }
    [[nodiscard]] bool note_walk(bool matched, std::size_t topics) noexcept;

  private:
    struct alignas(64) line {
        std::array<std::uint64_t, 8> bits;
    };
    static constexpr std::size_t topics_per_line = 42; // twelve bits each: one miss in 300 is not seen
    static constexpr std::uint32_t walks_per_look = 16;
    static constexpr int most_score = 64;
    static constexpr int miss_weight = 3; // a walk takes so much longer than the question

    // Words of a line that a hash names, and the bits of each.
    struct place {
        std::size_t line, first, second;
        std::uint64_t first_bits, second_bits;
    };
    [[nodiscard]] static std::uint64_t hash(const void *data, std::size_t size) noexcept;
    [[nodiscard]] place place_of(std::uint64_t hash) const noexcept;
    [[nodiscard]] bool contains(const place &at) const noexcept;
    [[nodiscard]] bool note_length(std::size_t length) noexcept;
    void learn(bool matched) noexcept;

    line *lines_ = nullptr;
    std::size_t line_count_ = 0; // a power of two
    std::size_t cleared_ = 0;
    std::size_t room_ = 0; // topics that may still be added
    std::array<std::uint8_t, most_lengths> lengths_{};
    std::size_t length_count_ = 0;
    bool filling_ = false;
    int score_ = 0; // above zero of a complete filter only
    std::uint32_t walks_ = 0;
    std::size_t vain_walks_ = 0; // since the filter ended
    std::size_t patience_ = 1;   // vain walks for each four topics until it is made
};

} // namespace zlink::patterns
