// SPDX-License-Identifier: MPL-2.0
#include "patterns/subscriptions.hpp"

#include <algorithm>
#include <cassert>
#include <exception>
#include <limits>
#include <new>

namespace zlink::patterns {

namespace {
constexpr topic_trie::word highest_count = std::numeric_limits<topic_trie::word>::max();
} // namespace

bool topic_set::add(std::string_view topic) {
    topic_trie::word &count = trie_.at(topic);
    if (count != highest_count) {
        ++count;
    }
    return count == 1;
}

bool topic_set::remove(std::string_view topic) noexcept {
    topic_trie::word *count = trie_.find(topic);
    if (count == nullptr || *count == highest_count) {
        return false;
    }
    if (*count > 1) {
        --*count;
        return false;
    }
    trie_.erase(topic);
    return true;
}

namespace detail {

namespace {
// A sweep over all topics costs less per topic than looking each of them up.
constexpr std::size_t sweep_share = 8;
constexpr std::size_t spare_entries = 16;

template <class Item> void make_room(std::vector<Item> &in, std::size_t items) {
    if (in.capacity() < items) {
        in.reserve(std::max(items, in.capacity() * 2));
    }
}
} // namespace

untyped_index::record *untyped_index::find_record(void *subscriber) noexcept {
    if (last_.first == subscriber) {
        return last_.second;
    }
    const auto found = records_.find(subscriber);
    if (found == records_.end()) {
        return nullptr;
    }
    last_ = {subscriber, &found->second};
    return last_.second;
}

untyped_index::record &untyped_index::record_of(void *subscriber) {
    if (record *known = find_record(subscriber)) {
        return *known;
    }
    if (free_numbers_.empty()) {
        if (numbered_.size() == list_bit - 1) {
            throw std::bad_alloc();
        }
        make_room(free_numbers_, numbered_.size() + 1);
        numbered_.push_back(nullptr);
        free_numbers_.push_back(static_cast<word>(numbered_.size()));
    }
    record &fresh = records_[subscriber];
    fresh.number = free_numbers_.back();
    free_numbers_.pop_back();
    numbered_[fresh.number - 1] = subscriber;
    last_ = {subscriber, &fresh};
    return fresh;
}

void untyped_index::forget_if_idle(void *subscriber, record &of) noexcept {
    if (of.topics != 0) {
        return;
    }
    numbered_[of.number - 1] = nullptr;
    free_numbers_.push_back(of.number);
    records_.erase(subscriber);
    last_ = {nullptr, nullptr};
}

bool untyped_index::contains(word value, void *subscriber) const noexcept {
    return is_list(value) ? std::ranges::find(list(value), subscriber) != list(value).end()
                          : single(value) == subscriber;
}

untyped_index::word untyped_index::make_list(void *first, void *second) {
    if (free_lists_.empty()) {
        make_room(free_lists_, lists_.size() + 1);
        lists_.emplace_back();
        free_lists_.push_back(static_cast<word>(lists_.size() - 1));
    }
    subscribers &made = lists_[free_lists_.back()];
    made.reserve(3);
    made.push_back(first);
    made.push_back(second);
    const word number = free_lists_.back();
    free_lists_.pop_back();
    return number | list_bit;
}

void untyped_index::free_list(word value) noexcept {
    lists_[value & ~list_bit] = {};
    free_lists_.push_back(value & ~list_bit);
    if (free_lists_.size() == lists_.size()) {
        lists_ = {};
        free_lists_ = {};
    }
}

add_result untyped_index::add_to(word &value, void *subscriber, const record &of) {
    if (value == 0) {
        value = of.number;
        return add_result::first;
    }
    if (is_list(value)) {
        lists_[value & ~list_bit].push_back(subscriber);
    } else {
        value = make_list(single(value), subscriber);
    }
    return add_result::further;
}

add_result untyped_index::add_new(std::string_view topic, word &value, void *subscriber) {
    record &of = record_of(subscriber);
    bool journaled = false;
    try {
        of.journal.append(topic);
        journaled = true;
        const add_result added = add_to(value, subscriber, of);
        ++of.topics;
        return added;
    } catch (...) {
        if (journaled) {
            of.journal.withdraw(topic);
        }
        forget_if_idle(subscriber, of);
        throw;
    }
}

add_result untyped_index::add(std::string_view topic, void *subscriber) {
    assert(subscriber != nullptr);
    word &value = trie_.at(topic);
    if (value != 0 && contains(value, subscriber)) {
        return add_result::repeated;
    }
    try {
        return add_new(topic, value, subscriber);
    } catch (...) {
        if (value == 0) {
            trie_.erase(topic);
        }
        throw;
    }
}

// Leaves zero for a topic that nobody is left for.
remove_result untyped_index::remove_from(word &value, void *subscriber) noexcept {
    if (!is_list(value)) {
        if (single(value) != subscriber) {
            return remove_result::unknown;
        }
        value = 0;
        return remove_result::last;
    }
    subscribers &all = lists_[value & ~list_bit];
    const auto found = std::ranges::find(all, subscriber);
    if (found == all.end()) {
        return remove_result::unknown;
    }
    *found = all.back();
    all.pop_back();
    if (all.size() == 1) {
        const word only = find_record(all.front())->number;
        free_list(value);
        value = only;
    }
    return remove_result::others;
}

// Takes the topic out of the tree, and not out of the journal.
remove_result untyped_index::take_out(std::string_view topic, void *subscriber) noexcept {
    word *value = trie_.find(topic);
    if (value == nullptr) {
        return remove_result::unknown;
    }
    if (!is_list(*value) && single(*value) == subscriber) {
        trie_.erase(topic);
        return remove_result::last;
    }
    return remove_from(*value, subscriber);
}

remove_result untyped_index::remove(std::string_view topic, void *subscriber) noexcept {
    record *of = find_record(subscriber);
    if (of == nullptr) {
        return remove_result::unknown;
    }
    const remove_result removed = take_out(topic, subscriber);
    if (removed != remove_result::unknown) {
        --of->topics;
        tidy_journal(subscriber, *of);
        forget_if_idle(subscriber, *of);
    }
    return removed;
}

// A journal holds at most about twice the topics that are there, unless memory is short.
void untyped_index::tidy_journal(void *subscriber, record &of) noexcept {
    const std::size_t entries = of.journal.entries();
    if (of.topics == 0 || entries < of.tidy_at || entries <= 2 * of.topics + spare_entries) {
        return;
    }
    of.tidy_at = entries * 2;
    try {
        topic_journal shorter;
        for (const std::string_view topic : of.journal.sorted()) {
            const word *value = trie_.find(topic);
            if (value != nullptr && contains(*value, subscriber)) {
                shorter.append(topic);
            }
        }
        of.journal = std::move(shorter);
        of.tidy_at = 0;
    } catch (const std::bad_alloc &) { // later
    }
}

void untyped_index::remove_all(void *subscriber, void *context, gone_function gone) {
    record *of = find_record(subscriber);
    if (of == nullptr) {
        return;
    }
    std::exception_ptr failure;
    std::vector<std::string_view> topics;
    const bool small = of->topics * sweep_share < trie_.size();
    if (small) {
        try {
            topics = of->journal.sorted();
        } catch (const std::bad_alloc &) { // the sweep needs no memory
        }
    }
    try {
        if (topics.empty()) {
            remove_by_sweep(subscriber, context, gone);
        } else {
            remove_journaled(subscriber, topics, context, gone);
        }
    } catch (...) {
        failure = std::current_exception();
    }
    of = find_record(subscriber); // taking out others' topics looks for their records
    of->topics = 0;
    forget_if_idle(subscriber, *of);
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void untyped_index::remove_journaled(void *subscriber, const std::vector<std::string_view> &topics,
                                     void *context, gone_function gone) {
    std::exception_ptr failure;
    for (const std::string_view topic : topics) {
        const remove_result removed = take_out(topic, subscriber);
        if (removed == remove_result::unknown || failure) {
            continue;
        }
        try {
            gone(context, topic, removed);
        } catch (...) {
            failure = std::current_exception();
        }
    }
    if (failure) {
        std::rethrow_exception(failure);
    }
}

void untyped_index::remove_by_sweep(void *subscriber, void *context, gone_function gone) {
    std::exception_ptr failure;
    trie_.for_each([&](std::string_view topic, word &value) {
        const remove_result removed = remove_from(value, subscriber);
        if (removed == remove_result::unknown || failure) {
            return;
        }
        try {
            gone(context, topic, removed);
        } catch (...) {
            failure = std::current_exception();
        }
    });
    if (failure) {
        std::rethrow_exception(failure);
    }
}

std::size_t untyped_index::memory() const noexcept {
    std::size_t bytes = trie_.memory();
    for (const auto &[subscriber, of] : records_) {
        bytes += sizeof(void *) + sizeof(record) + of.journal.memory();
    }
    for (const subscribers &each : lists_) {
        bytes += each.capacity() * sizeof(void *);
    }
    return bytes;
}

} // namespace detail

} // namespace zlink::patterns
