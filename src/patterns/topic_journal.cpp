// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_journal.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace zlink::patterns {

namespace {

// An entry is the size of the topic, and the topic. The size has seven bits in each byte, the lowest first.
// The highest bit is set in all bytes but the last.
std::size_t prefix_size(std::size_t size) noexcept {
    std::size_t bytes = 1;
    while ((size >>= 7) != 0)
        ++bytes;
    return bytes;
}

char *put_size(char *to, std::size_t size) noexcept {
    for (; size >= 0x80; size >>= 7)
        *to++ = static_cast<char>(size | 0x80);
    *to++ = static_cast<char>(size);
    return to;
}

std::size_t take_size(const char *&from) noexcept {
    std::size_t size = 0;
    for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<std::uint8_t>(*from++);
        size |= std::size_t{byte & 0x7FU} << shift;
        if ((byte & 0x80) == 0)
            return size;
    }
}

} // namespace

topic_journal::block &topic_journal::block_for(std::size_t size) {
    if (!blocks_.empty() && blocks_.back().room - blocks_.back().used >= size)
        return blocks_.back();
    const std::size_t doubled = std::min(memory_ == 0 ? smallest_block : memory_, largest_block);
    const std::size_t room = std::max(doubled, size);
    std::unique_ptr<char[]> bytes(new (std::nothrow) char[room]);
    if (bytes == nullptr)
        throw std::bad_alloc();
    blocks_.push_back({std::move(bytes), 0, room});
    memory_ += room;
    return blocks_.back();
}

void topic_journal::append(std::string_view topic) {
    block &last = block_for(prefix_size(topic.size()) + topic.size());
    char *to = put_size(last.bytes.get() + last.used, topic.size());
    topic.copy(to, topic.size());
    last.used += prefix_size(topic.size()) + topic.size();
    ++entries_;
}

void topic_journal::withdraw(std::string_view last) noexcept {
    blocks_.back().used -= prefix_size(last.size()) + last.size();
    --entries_;
}

std::vector<std::string_view> topic_journal::sorted() const {
    std::vector<std::string_view> topics;
    topics.reserve(entries_);
    for (const block &each : blocks_) {
        const char *at = each.bytes.get();
        for (const char *end = at + each.used; at != end;) {
            const std::size_t size = take_size(at);
            topics.emplace_back(at, size);
            at += size;
        }
    }
    std::ranges::sort(topics);
    topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
    return topics;
}

} // namespace zlink::patterns
