// SPDX-License-Identifier: MPL-2.0
#include "patterns/subscriptions.hpp"

#include <algorithm>
#include <new>

namespace zlink::patterns {

bool topic_set::remove(std::string_view topic) noexcept {
    topic_trie::word *count = trie_.find(topic);
    if (count == nullptr) {
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
constexpr std::size_t first_room = 4;

topic_trie::word single(void *subscriber) noexcept {
    return reinterpret_cast<std::uintptr_t>(subscriber);
}

bool contains(topic_trie::word value, void *subscriber) noexcept {
    if (!subscriber_list::is_list(value)) {
        return value == single(subscriber);
    }
    subscriber_list &list = *subscriber_list::of(value);
    return std::find(list.begin(), list.end(), subscriber) != list.end();
}
} // namespace

untyped_index::~untyped_index() {
    trie_.for_each([this](std::string_view, word &value) {
        if (subscriber_list::is_list(value)) {
            free_list(subscriber_list::of(value));
        }
        value = 0;
    });
}

subscriber_list *untyped_index::make_list(std::size_t room) {
    void *block = ::operator new(subscriber_list::block_size(room), std::nothrow);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    auto *list = new (block) subscriber_list;
    list->room = static_cast<std::uint32_t>(room);
    list_memory_ += subscriber_list::block_size(room);
    return list;
}

void untyped_index::free_list(subscriber_list *list) noexcept {
    list_memory_ -= subscriber_list::block_size(list->room);
    ::operator delete(list);
}

add_result untyped_index::add(std::string_view topic, void *subscriber) {
    assert(subscriber != nullptr && !subscriber_list::is_list(single(subscriber)));
    word &value = trie_.at(topic);
    if (value == 0) {
        value = single(subscriber);
        return add_result::first;
    }
    if (contains(value, subscriber)) {
        return add_result::repeated;
    }
    add_to(value, subscriber);
    return add_result::further;
}

void untyped_index::add_to(word &value, void *subscriber) {
    if (!subscriber_list::is_list(value)) {
        subscriber_list *list = make_list(first_room);
        list->begin()[list->size++] = reinterpret_cast<void *>(static_cast<std::uintptr_t>(value));
        value = list->as_word();
    }
    subscriber_list *list = subscriber_list::of(value);
    if (list->size == list->room) {
        subscriber_list *larger = make_list(std::size_t{list->room} * 2);
        std::copy(list->begin(), list->end(), larger->begin());
        larger->size = list->size;
        free_list(list);
        list = larger;
        value = list->as_word();
    }
    list->begin()[list->size++] = subscriber;
}

// Leaves zero for a topic that nobody is left for.
remove_result untyped_index::remove_from(word &value, void *subscriber) noexcept {
    if (!contains(value, subscriber)) {
        return remove_result::unknown;
    }
    if (!subscriber_list::is_list(value)) {
        value = 0;
        return remove_result::last;
    }
    subscriber_list *list = subscriber_list::of(value);
    *std::find(list->begin(), list->end(), subscriber) = *(list->end() - 1);
    if (--list->size == 1) {
        value = single(*list->begin());
        free_list(list);
    }
    return remove_result::others;
}

remove_result untyped_index::remove(std::string_view topic, void *subscriber) noexcept {
    word *value = trie_.find(topic);
    if (value == nullptr) {
        return remove_result::unknown;
    }
    if (*value == single(subscriber)) {
        trie_.erase(topic);
        return remove_result::last;
    }
    return remove_from(*value, subscriber);
}

void untyped_index::remove_all(void *subscriber, void *context,
                               void (*gone)(void *, std::string_view, remove_result)) {
    std::exception_ptr failure;
    trie_.for_each([&](std::string_view topic, word &value) {
        const remove_result result = remove_from(value, subscriber);
        if (result == remove_result::unknown || failure) {
            return;
        }
        try {
            gone(context, topic, result);
        } catch (...) {
            failure = std::current_exception();
        }
    });
    if (failure) {
        std::rethrow_exception(failure);
    }
}

} // namespace detail

} // namespace zlink::patterns
