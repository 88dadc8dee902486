// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_filter.hpp"

#include "patterns/topic_hash.hpp"

#include <sys/mman.h>

namespace zlink::patterns {

namespace {

constexpr std::size_t lines_per_clearing = 512; // eight pages
constexpr std::size_t patience_after_failure = 64;

} // namespace

std::uint64_t topic_filter::hash(const void *data, std::size_t size) noexcept {
    return hash_bytes(static_cast<const std::uint8_t *>(data), size, 0x9E3779B97F4A7C15 ^ size);
}

topic_filter::place topic_filter::place_of(std::uint64_t hash) const noexcept {
    const auto bit = [hash](unsigned shift) { return std::uint64_t{1} << (hash >> shift & 63); };
    return {hash >> 32 & (line_count_ - 1), hash & 7, hash >> 3 & 7, bit(6) | bit(12), bit(18) | bit(24)};
}

bool topic_filter::contains(const place &at) const noexcept {
    const auto &bits = lines_[at.line].bits;
    return (bits[at.first] & at.first_bits) == at.first_bits &&
           (bits[at.second] & at.second_bits) == at.second_bits;
}

bool topic_filter::begin(std::size_t topics) noexcept {
    end();
    patience_ = patience_after_failure;
    const std::size_t wanted = topics + topics / 4;
    const std::size_t count = std::bit_ceil(wanted / topics_per_line + 1);
    const std::size_t size = count * sizeof(line);
    void *made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (made == MAP_FAILED)
        return false;
    lines_ = static_cast<line *>(made);
    line_count_ = count;
    cleared_ = 0;
    room_ = count * topics_per_line;
    length_count_ = 0;
    filling_ = true;
    return true;
}

bool topic_filter::clear_some() noexcept {
    if (cleared_ == line_count_)
        return false;
    const std::size_t count = std::min(lines_per_clearing, line_count_ - cleared_);
#ifdef MADV_POPULATE_WRITE
    ::madvise(lines_ + cleared_, count * sizeof(line), MADV_POPULATE_WRITE); // a wish
#endif
    cleared_ += count;
    return true;
}

void topic_filter::complete() noexcept {
    filling_ = false;
    score_ = most_score;
}

void topic_filter::end() noexcept {
    if (exists())
        ::munmap(lines_, memory());
    lines_ = nullptr;
    line_count_ = 0;
    filling_ = false;
    score_ = 0;
    vain_walks_ = 0;
    patience_ = 1;
}

bool topic_filter::note_length(std::size_t length) noexcept {
    const auto *const known = lengths_.begin() + length_count_;
    if (std::find(lengths_.cbegin(), known, length) != known)
        return true;
    if (length_count_ == most_lengths)
        return false;
    lengths_.at(length_count_++) = static_cast<std::uint8_t>(length);
    return true;
}

void topic_filter::add(std::string_view topic) noexcept {
    if (!exists())
        return;
    const std::size_t length = std::min(topic.size(), most_hashed);
    if (room_ == 0 || !note_length(length)) {
        const bool crowded = room_ == 0;
        end();
        patience_ = crowded ? 1 : patience_after_failure;
        return;
    }
    --room_;
    const place at = place_of(hash(topic.data(), length));
    lines_[at.line].bits[at.first] |= at.first_bits;
    lines_[at.line].bits[at.second] |= at.second_bits;
}

bool topic_filter::may_match(const std::uint8_t *data, std::size_t size) noexcept {
    for (std::size_t i = 0; i < length_count_; ++i) {
        if (lengths_[i] <= size && contains(place_of(hash(data, lengths_[i]))))
            return true;
    }
    learn(false);
    return false;
}

void topic_filter::learn(bool matched) noexcept {
    score_ = matched ? std::max(score_ - 1, -most_score) : std::min(score_ + miss_weight, most_score);
}

bool topic_filter::note_walk(bool matched, std::size_t topics) noexcept {
    if (exists()) {
        learn(matched);
        return false;
    }
    vain_walks_ += matched ? 0 : walks_per_look;
    return vain_walks_ >= topics / 4 * patience_;
}

} // namespace zlink::patterns
