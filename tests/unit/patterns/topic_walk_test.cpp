// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_walk.hpp"

#include "base/random.hpp"
#include "patterns/topic_trie.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace zlink::patterns {
namespace {

constexpr std::size_t most_bytes = topic_position::most_bytes;

std::string head_of(const std::string &topic) {
    return topic.substr(0, most_bytes);
}

std::string random_bytes(random_generator &random, std::size_t size) {
    std::string bytes(size, '\0');
    for (char &byte : bytes)
        byte = static_cast<char>(random.below(6) == 0 ? random.below(256) : 'a' + random.below(3));
    return bytes;
}

// Many have common beginnings, of nothing up to more than one node takes.
std::string random_topic(random_generator &random) {
    constexpr std::array<std::size_t, 13> beginnings{0, 0, 0, 5, 58, 62, 63, 64, 65, 200, 255, 256, 300};
    const std::size_t beginning = beginnings.at(random.below(beginnings.size()));
    return std::string(beginning, 'm') + random_bytes(random, random.below(8));
}

struct changing_tree {
    topic_trie topics;
    std::set<std::string> model;

    void add(const std::string &topic) {
        topics.at(topic) = 1;
        model.insert(topic);
    }
    void erase(const std::string &topic) {
        if (model.erase(topic) != 0)
            topics.erase(topic);
    }
    void erase_all_behind(const std::string &head) {
        for (auto at = model.lower_bound(head); at != model.end() && at->starts_with(head);) {
            topics.erase(*at);
            at = model.erase(at);
        }
    }
    [[nodiscard]] bool has(const std::string &head) const {
        const auto at = model.lower_bound(head);
        return at != model.end() && head_of(*at) == head;
    }
};

std::vector<std::string> read(const topic_trie &topics, topic_position &at, std::size_t most) {
    std::vector<std::string> told;
    for (topic_walk walk = topics.walk_from(at); told.size() < most && walk.next();)
        told.emplace_back(at.topic());
    return told;
}

TEST(topic_walk, nothing_but_the_empty_topic_is_nothing) {
    topic_trie topics;
    topic_position at;
    EXPECT_TRUE(read(topics, at, 1).empty());
    topics.at("") = 1;
    EXPECT_TRUE(read(topics, at, 1).empty());
}

TEST(topic_walk, reads_every_topic_once_in_order_in_steps_of_any_size) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        random_generator random(seed);
        changing_tree tree;
        for (int i = 0; i < 600; ++i)
            tree.add(random_topic(random));
        std::set<std::string> heads;
        for (const std::string &topic : tree.model)
            heads.insert(head_of(topic));
        heads.erase("");
        std::vector<std::string> all;
        topic_position at;
        for (;;) {
            const std::size_t most = 1 + random.below(9);
            const std::vector<std::string> told = read(tree.topics, at, most);
            all.insert(all.end(), told.begin(), told.end());
            ASSERT_LE(all.size(), heads.size());
            if (told.size() < most)
                break;
        }
        ASSERT_EQ(all, std::vector<std::string>(heads.begin(), heads.end())) << seed;
    }
}

// Where the walk stopped, and around it.
void change_at(changing_tree &tree, random_generator &random, const std::string &at) {
    const std::string beginning = at.substr(0, random.below(static_cast<std::uint32_t>(at.size() + 1)));
    std::string beside = at;
    beside.back() = static_cast<char>(beside.back() + (random.below(2) == 0 ? 1 : -1));
    switch (random.below(6)) {
    case 0:
        return tree.erase(at);
    case 1:
        return tree.erase_all_behind(at);
    case 2:
        return tree.add(at + random_bytes(random, random.below(3)));
    case 3:
        return tree.add(beginning);
    case 4:
        return tree.erase(beginning);
    default:
        return tree.add(beside);
    }
}

TEST(topic_walk, what_stays_is_read_whatever_comes_and_goes_between_the_steps) {
    std::size_t stayed = 0, gone = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        random_generator random(seed);
        changing_tree tree;
        for (int i = 0; i < 400; ++i)
            tree.add(random_topic(random));
        std::set<std::string> stays = tree.model;
        std::set<std::string> told;
        std::string last;
        topic_position at;
        for (std::size_t step = 0;; ++step) {
            ASSERT_LT(step, 5000U);
            const std::size_t most = 1 + random.below(5);
            const std::vector<std::string> now = read(tree.topics, at, most);
            for (const std::string &head : now) {
                ASSERT_LT(last, head);
                ASSERT_TRUE(tree.has(head)) << head;
                told.insert(head);
                last = head;
            }
            if (now.size() < most)
                break;
            for (std::uint64_t changes = random.below(4); changes != 0; --changes)
                change_at(tree, random, last);
            if (random.below(2) == 0)
                tree.add(random_topic(random));
            for (int i = 0; i < 3; ++i)
                tree.erase(random_topic(random));
            for (auto each = stays.begin(); each != stays.end();)
                each = tree.model.contains(*each) ? std::next(each) : stays.erase(each);
        }
        for (const std::string &topic : stays)
            ASSERT_TRUE(topic.empty() || told.contains(head_of(topic))) << seed << ' ' << topic;
        stayed += stays.size();
        gone += 400 - stays.size();
    }
    EXPECT_GT(stayed, 10'000U);
    EXPECT_GT(gone, 10'000U);
}

} // namespace
} // namespace zlink::patterns
