// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_index.hpp"

#include "base/random.hpp"
#include "patterns/topic_hash.hpp"
#include "patterns/trie_node.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include <sys/mman.h>

namespace zlink::patterns {

namespace {

constexpr std::size_t lines_per_trim = 4096; // 64 pages

// Calls use(slot) for each of the `Slots` that has the tag, and more that are behind them.
template <std::size_t Slots, class Use>
void for_each_tag(const std::array<std::uint16_t, Slots> &tags, std::uint16_t tag, Use &&use) noexcept {
    for (std::size_t first = 0; first < Slots; first += 4) {
        constexpr std::uint64_t ones = 0x0001000100010001, lows = ones * 0x7FFF;
        std::uint64_t four = 0;
        std::memcpy(&four, tags.data() + first, std::min(sizeof four, (Slots - first) * 2));
        if constexpr (std::endian::native == std::endian::big)
            four = four << 48 | (four & 0xFFFF0000) << 16 | (four >> 16 & 0xFFFF0000) | four >> 48;
        four ^= ones * tag;
        for (std::uint64_t equal = ~(((four & lows) + lows) | four | lows); equal != 0; equal &= equal - 1)
            use(first + static_cast<std::size_t>(std::countr_zero(equal)) / 16);
    }
}

} // namespace

bool topic_index::line_memory::reserve(std::size_t lines) noexcept {
    if (lines <= room_)
        return true;
    const std::size_t room = std::bit_ceil(lines);
    void *made =
        lines_ == nullptr
            ? ::mmap(nullptr, room * sizeof(line), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            : ::mremap(lines_, room_ * sizeof(line), room * sizeof(line), MREMAP_MAYMOVE);
    if (made == MAP_FAILED)
        return false;
    lines_ = static_cast<line *>(made);
    room_ = room;
    return true;
}

void topic_index::line_memory::clear() noexcept {
    if (lines_ != nullptr)
        ::munmap(lines_, room_ * sizeof(line));
    lines_ = nullptr;
    room_ = 0;
}

bool topic_index::line_memory::trim() noexcept {
    const std::size_t lines = std::min(room_, lines_per_trim);
    if (lines == 0)
        return false;
    room_ -= lines;
    ::munmap(lines_ + room_, lines * sizeof(line));
    lines_ = room_ != 0 ? lines_ : nullptr;
    return true;
}

void topic_index::begin() noexcept {
    end();
    if (lines_.reserve(first_lines)) {
        line_count_ = base_ = first_lines;
        seed_ = random_seed();
    }
}

void topic_index::end() noexcept {
    give_up();
    entries_.clear();
    lines_.clear();
}

// The entries and the lines stay until they are dismantled.
void topic_index::give_up() noexcept {
    more_.clear();
    line_count_ = base_ = more_count_ = entry_count_ = short_topics_ = long_topics_ = length_count_ = 0;
    free_more_ = 0;
}

void topic_index::dismantle() noexcept {
    if (!exists() && lines_.room() != 0 && !entries_.clear_segment())
        (void)lines_.trim();
}

std::size_t topic_index::memory() const noexcept {
    const std::size_t lines = exists() ? line_count_ : lines_.room();
    return entries_.memory() + (lines + more_count_) * sizeof(line);
}

topic_index::key topic_index::key_of(std::string_view topic) noexcept {
    return {reinterpret_cast<const std::uint8_t *>(topic.data()), std::min(topic.size(), long_size)};
}

std::uint64_t topic_index::hash(const key &of) const noexcept {
    return hash_bytes(of.text, of.bytes(), seed_ ^ of.size);
}

// Lines that were added since their number was a power of two have half of those that were in another one.
std::size_t topic_index::home_of(std::uint64_t hash) const noexcept {
    const std::size_t wide = hash & (2 * base_ - 1);
    return wide - (wide >= line_count_ ? base_ : 0);
}

topic_index::place topic_index::look_up(const key &of, std::uint64_t hashed) const noexcept {
    const std::size_t home = home_of(hashed);
    place found;
    for (line *in = &lines_[home]; in != nullptr && found.in == nullptr; in = behind(*in)) {
        for_each_tag(in->tags, tag_of(hashed), [&](std::size_t slot) {
            const entry &here = entry_at(in->entries[slot]);
            if (here.size == of.size && detail::same_bytes(here.text, of.text, of.bytes()))
                found = {home, in, slot};
        });
    }
    return found;
}

// The lines of all lengths come from memory at the same time.
topic_index::answer topic_index::ask(const std::uint8_t *data, std::size_t size) const noexcept {
    std::array<std::uint64_t, most_lengths> hashes;
    std::size_t lengths = 0;
    for (; lengths < length_count_ && lengths_[lengths].size <= size; ++lengths) {
        hashes[lengths] = hash({data, lengths_[lengths].size});
        __builtin_prefetch(&lines_[home_of(hashes[lengths])]);
    }
    answer told{.known = true};
    for (std::size_t i = 0; i < lengths; ++i) {
        const key of{data, lengths_[i].size};
        const place found = look_up(of, hashes[i]);
        if (found.in == nullptr)
            continue;
        if (of.size == long_size || told.value != 0)
            return {};
        told.value = entry_at(found.in->entries[found.slot]).value;
    }
    return told;
}

void topic_index::prepare(std::string_view topic) const noexcept {
    if (exists())
        __builtin_prefetch(&lines_[home_of(hash(key_of(topic)))], 1);
}

topic_index::word *topic_index::find(std::string_view topic) noexcept {
    const key of = key_of(topic);
    if (!exists() || of.size == long_size)
        return nullptr;
    const place found = look_up(of, hash(of));
    return found.in != nullptr ? &entry_at(found.in->entries[found.slot]).value : nullptr;
}

bool topic_index::count_length(std::size_t size) noexcept {
    const auto known = lengths_.begin() + static_cast<std::ptrdiff_t>(length_count_);
    auto *const at = std::ranges::lower_bound(lengths_.begin(), known, size, {}, &length::size);
    if (at != known && at->size == size) {
        ++at->topics;
        return true;
    }
    if (length_count_ == most_lengths)
        return false;
    std::move_backward(at, known, known + 1);
    *at = {.size = size, .topics = 1};
    ++length_count_;
    return true;
}

void topic_index::uncount_length(std::size_t size) noexcept {
    auto *const known = lengths_.begin() + static_cast<std::ptrdiff_t>(length_count_);
    auto *const at = std::ranges::lower_bound(lengths_.begin(), known, size, {}, &length::size);
    if (--at->topics == 0) {
        std::move(at + 1, known, at);
        --length_count_;
    }
}

topic_index::reference topic_index::make_entry(const key &of, word value) noexcept {
    const reference made = entries_.allocate(entry_head + of.bytes());
    if (made != 0) {
        entry &here = entry_at(made);
        here.value = value;
        here.size = static_cast<std::uint8_t>(of.size);
        std::copy_n(of.text, of.bytes(), here.text);
    }
    return made;
}

topic_index::word *topic_index::add(std::string_view topic, word value) noexcept {
    if (!exists())
        return nullptr;
    const key of = key_of(topic);
    if (of.size == long_size) {
        if (!add_long(of))
            give_up();
        return nullptr;
    }
    const reference made = add_entry(of, value);
    if (made == 0) {
        give_up();
        return nullptr;
    }
    ++short_topics_;
    return &entry_at(made).value;
}

bool topic_index::add_long(const key &of) noexcept {
    if (++long_topics_ > short_topics_ + most_long_more)
        return false;
    const place known = look_up(of, hash(of));
    if (known.in == nullptr)
        return add_entry(of, 1) != 0;
    ++entry_at(known.in->entries[known.slot]).value;
    return true;
}

// 0: the index cannot go on.
topic_index::reference topic_index::add_entry(const key &of, word value) noexcept {
    const reference made = count_length(of.size) ? make_entry(of, value) : 0;
    if (made == 0 || !put(hash(of), made))
        return 0;
    return ++entry_count_ * 10 <= line_count_ * tenths_per_line || grow() ? made : 0;
}

void topic_index::remove(std::string_view topic) noexcept {
    if (!exists())
        return;
    const key of = key_of(topic);
    const place at = look_up(of, hash(of));
    assert(at.in != nullptr);
    const reference gone = at.in->entries[at.slot];
    if (of.size != long_size) {
        --short_topics_;
    } else {
        --long_topics_;
        if (--entry_at(gone).value != 0)
            return;
    }
    take_out(at);
    entries_.release(gone, entry_head + of.bytes());
    uncount_length(of.size);
    --entry_count_;
}

std::size_t topic_index::used(const line &of) noexcept {
    return static_cast<std::size_t>(std::ranges::find(of.tags, 0) - of.tags.begin());
}

// Returns false if there is no memory, or if too many lie in one place.
bool topic_index::put(std::uint64_t hash, reference at) noexcept {
    if (!reserve_more())
        return false;
    line *in = &lines_[home_of(hash)];
    for (std::size_t passed = slots; in->tags.back() != 0; passed += slots) {
        if (passed == most_in_chain)
            return false;
        if (in->next == 0) {
            in->next = free_more_;
            free_more_ = std::exchange(more_[free_more_ - 1].next, 0U);
        }
        in = behind(*in);
    }
    const std::size_t slot = used(*in);
    in->tags[slot] = tag_of(hash);
    in->entries[slot] = at;
    return true;
}

// One that is free.
bool topic_index::reserve_more() noexcept {
    if (free_more_ != 0)
        return true;
    if (!more_.reserve(more_count_ + 1))
        return false;
    free_more(static_cast<std::uint32_t>(++more_count_));
    return true;
}

void topic_index::free_more(std::uint32_t old) noexcept {
    more_[old - 1] = {};
    more_[old - 1].next = std::exchange(free_more_, old);
}

// The last one of the chain takes the place.
void topic_index::take_out(const place &from) noexcept {
    line *before = nullptr;
    line *last = &lines_[from.home];
    for (line *next = behind(*last); next != nullptr; next = behind(*last)) {
        before = last;
        last = next;
    }
    const std::size_t slot = used(*last) - 1;
    from.in->entries[from.slot] = last->entries[slot];
    from.in->tags[from.slot] = last->tags[slot];
    last->tags[slot] = 0;
    if (slot == 0 && before != nullptr)
        free_more(std::exchange(before->next, 0U));
}

// A line more, for about half of those that are in another.
bool topic_index::grow() noexcept {
    if (!lines_.reserve(line_count_ + 1))
        return false;
    std::array<reference, most_in_chain> moving;
    std::size_t count = 0;
    line &old = lines_[line_count_ - base_];
    for (const line *in = &old; in != nullptr; in = behind(*in)) {
        for (std::size_t slot = 0; slot < slots && in->tags[slot] != 0; ++slot) {
            moving[count] = in->entries[slot];
            __builtin_prefetch(&entry_at(moving[count++]));
        }
    }
    while (old.next != 0) {
        const std::uint32_t gone = old.next;
        old.next = more_[gone - 1].next;
        free_more(gone);
    }
    old = {};
    if (++line_count_ == 2 * base_)
        base_ = line_count_;
    return std::all_of(moving.begin(), moving.begin() + static_cast<std::ptrdiff_t>(count),
                       [this](reference each) { return put(hash(key_at(each)), each); });
}

} // namespace zlink::patterns
