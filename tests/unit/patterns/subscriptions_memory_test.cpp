// SPDX-License-Identifier: MPL-2.0
// Subscriptions when memory runs out at every single allocation.
#include "short_memory.hpp"

#include "patterns/subscriptions.hpp"

#include "base/random.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <new>
#include <set>
#include <string>

namespace zlink::test {
thread_local int allocations_left = any_number;
} // namespace zlink::test

namespace {
using zlink::test::allocations_left;

void *allocate(std::size_t size) noexcept {
    if (allocations_left == 0) {
        return nullptr;
    }
    if (allocations_left != zlink::test::any_number) {
        --allocations_left;
    }
    return std::malloc(size != 0 ? size : 1);
}
} // namespace

[[gnu::noinline]] void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    return allocate(size);
}
[[gnu::noinline]] void *operator new[](std::size_t size, const std::nothrow_t &) noexcept {
    return allocate(size);
}
[[gnu::noinline]] void *operator new(std::size_t size) {
    if (void *block = allocate(size)) {
        return block;
    }
    throw std::bad_alloc();
}
[[gnu::noinline]] void *operator new[](std::size_t size) {
    return operator new(size);
}
[[gnu::noinline]] void operator delete(void *block) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete[](void *block) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete(void *block, std::size_t) noexcept {
    std::free(block);
}
[[gnu::noinline]] void operator delete[](void *block, std::size_t) noexcept {
    std::free(block);
}

namespace zlink::patterns {
namespace {

using word = topic_trie::word;

struct subscriber {
    int number = 0;
};

using test::short_memory;

std::string random_topic(random_generator &random) {
    std::string topic(random.below(7), '\0');
    for (char &byte : topic) {
        byte = static_cast<char>(random.below(8) == 0 ? random.below(256) : 'a' + random.below(3));
    }
    return topic;
}

TEST(subscriptions_memory, an_add_that_fails_has_done_nothing_and_a_remove_cannot_fail) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        random_generator random(seed);
        subscriber subscribers[3] = {{0}, {1}, {2}};
        subscription_index<subscriber> index;
        std::map<std::string, std::set<int>> model;
        int failed = 0;
        for (int step = 0; step < 3000; ++step) {
            const std::string topic = random_topic(random);
            subscriber &who = subscribers[random.below(3)];
            const int allowed = static_cast<int>(random.below(4));
            if (random.below(2) == 0) {
                bool added = true;
                try {
                    const short_memory limit(allowed);
                    (void)index.add(topic, &who);
                } catch (const std::bad_alloc &) {
                    added = false;
                    ++failed;
                }
                if (added) {
                    model[topic].insert(who.number);
                }
            } else {
                const short_memory limit(allowed);
                (void)index.remove(topic, &who);
                const auto found = model.find(topic);
                if (found != model.end() && found->second.erase(who.number) != 0 && found->second.empty()) {
                    model.erase(found);
                }
            }
            ASSERT_EQ(index.size(), model.size());
            const std::string data = random_topic(random);
            std::multiset<int> seen, expected;
            index.match(data.data(), data.size(), [&](subscriber *one) { seen.insert(one->number); });
            for (const auto &[prefix, numbers] : model) {
                if (data.starts_with(prefix)) {
                    expected.insert(numbers.begin(), numbers.end());
                }
            }
            ASSERT_EQ(seen, expected);
        }
        EXPECT_GT(failed, 100);
        for (subscriber &one : subscribers) {
            const short_memory limit(0);
            index.remove_all(&one, [](std::string_view, remove_result) {});
        }
        EXPECT_EQ(index.size(), 0U);
        EXPECT_EQ(index.memory(), 0U);
    }
}

// Each of the allocations that its making and growth take fails once.
TEST(subscriptions_memory, a_tree_whose_index_finds_no_memory_does_without) {
    constexpr word many = 2 * topic_filter::least_topics;
    int without = 0;
    for (int allowed = 0; allowed < 40; ++allowed) {
        topic_trie topics;
        int left = allowed; // until one fails
        for (word number = 0; number < many; ++number) {
            const std::string topic = "topic/" + std::to_string(100'000 + number);
            try {
                const short_memory limit(left);
                topics.at(topic) = number + 1;
                left = allocations_left;
            } catch (const std::bad_alloc &) {
                topics.at(topic) = number + 1;
                left = std::numeric_limits<int>::max();
            }
            if (number > topic_trie::indexed_topics && !topics.index().exists()) {
                left = std::numeric_limits<int>::max();
            }
        }
        without += topics.index().exists() ? 0 : 1;
        for (word number = 0; number < many; ++number) {
            const std::string data = "topic/" + std::to_string(100'000 + number) + "+";
            word seen = 0;
            topics.match(data.data(), data.size(), [&seen](word each) { return (seen = each) == 0; });
            ASSERT_EQ(seen, number + 1);
        }
    }
    EXPECT_GT(without, 5);
    EXPECT_LT(without, 40);
}

} // namespace
} // namespace zlink::patterns
