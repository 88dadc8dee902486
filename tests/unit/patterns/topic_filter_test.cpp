// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_filter.hpp"

#include "base/random.hpp"
#include "patterns/topic_trie.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

namespace zlink::patterns {
namespace {

constexpr int many = 20'000;
static_assert(many > topic_filter::least_topics);

bool may_match(topic_filter &filter, const std::string &data) {
    return filter.may_match(reinterpret_cast<const std::uint8_t *>(data.data()), data.size());
}

std::string numbered(int number) {
    return "topic/" + std::to_string(number) + "/end";
}

std::set<std::string> matching(topic_trie &topics, const std::set<std::string> &model,
                               const std::string &data) {
    std::size_t visits = 0;
    topics.match(data.data(), data.size(), [&](topic_trie::word) { return ++visits != 0; });
    std::set<std::string> expected;
    for (std::size_t size = 0; size <= data.size(); ++size)
        if (model.contains(data.substr(0, size)))
            expected.insert(data.substr(0, size));
    EXPECT_EQ(visits, expected.size()) << data;
    return expected;
}

TEST(topic_filter, never_denies_a_topic_and_denies_most_others) {
    topic_filter filter;
    ASSERT_TRUE(filter.begin(many));
    for (int number = 0; number < many; ++number)
        filter.add(numbered(number));
    ASSERT_TRUE(filter.exists());
    int others = 0;
    for (int number = 0; number < many; ++number) {
        ASSERT_TRUE(may_match(filter, numbered(number))) << number;
        ASSERT_TRUE(may_match(filter, numbered(number) + "and more")) << number;
        others += may_match(filter, numbered(number + many) + "and more") ? 1 : 0;
    }
    EXPECT_LT(others, many / 20);
    EXPECT_LT(filter.memory(), std::size_t{many} * 6);
}

TEST(topic_filter, topics_of_any_length_are_hashed_as_far_as_they_count) {
    for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 16U, 63U, 64U, 65U, 300U}) {
        topic_filter filter;
        ASSERT_TRUE(filter.begin(10));
        filter.add(std::string(length, 'a'));
        EXPECT_TRUE(may_match(filter, std::string(length, 'a'))) << length;
        EXPECT_TRUE(may_match(filter, std::string(length + 100, 'a'))) << length;
        if (length != 0) {
            EXPECT_FALSE(may_match(filter, "b" + std::string(length, 'a'))) << length;
            EXPECT_FALSE(may_match(filter, "")) << length;
        }
    }
}

TEST(topic_filter, too_many_lengths_or_topics_end_it) {
    topic_filter filter;
    ASSERT_TRUE(filter.begin(1000));
    for (std::size_t length = 1; length <= topic_filter::most_lengths; ++length)
        filter.add(std::string(length, 'a'));
    EXPECT_TRUE(filter.exists());
    filter.add(std::string(topic_filter::most_lengths + 1, 'a'));
    EXPECT_FALSE(filter.exists());
    EXPECT_EQ(filter.memory(), 0U);
    ASSERT_TRUE(filter.begin(1000));
    for (int number = 0; number < many && filter.exists(); ++number)
        filter.add(std::to_string(1'000'000 + number));
    EXPECT_FALSE(filter.exists());
}

TEST(topic_filter, a_tree_makes_it_after_walks_in_vain_and_asks_while_it_helps) {
    topic_trie topics;
    for (int number = 0; number < many; ++number)
        topics.at(numbered(number)) = 1;
    const std::size_t before = topics.memory();
    const std::string miss = "topic/x";
    const std::string hit = numbered(1);
    const auto match = [&](const std::string &data) {
        int found = 0;
        topics.match(data.data(), data.size(), [&](topic_trie::word) { return ++found != 0; });
        return found;
    };
    for (int i = 0; i < many / 8; ++i)
        ASSERT_EQ(match(miss), 0);
    EXPECT_EQ(topics.memory(), before);
    for (int i = 0; i < many / 4; ++i)
        ASSERT_EQ(match(miss), 0);
    EXPECT_GT(topics.memory(), before);
    for (int i = 0; i < 2000; ++i) { // more than it takes to ask no longer
        ASSERT_EQ(match(hit), 1);
        ASSERT_EQ(match(miss), 0);
    }
    for (int i = 0; i < 2000; ++i)
        ASSERT_EQ(match(hit), 1);
    for (int number = 0; number < many; ++number)
        topics.erase(numbered(number));
    EXPECT_EQ(topics.memory(), 0U);
}

TEST(topic_filter, a_tree_that_has_it_agrees_with_a_naive_model) {
    random_generator random(11);
    topic_trie topics;
    std::set<std::string> model;
    const auto add = [&](const std::string &topic) {
        topics.at(topic) = 1;
        model.insert(topic);
    };
    for (int number = 0; number < many; ++number)
        add(numbered(number));
    const std::size_t before = topics.memory();
    for (int i = 0; i < many / 2; ++i)
        matching(topics, model, "nothing");
    ASSERT_GT(topics.memory(), before);
    std::size_t matched = 0;
    for (int step = 0; step < 4 * many; ++step) {
        const std::string topic = numbered(static_cast<int>(random.below(3 * many)));
        if (random.below(4) == 0)
            add(random.below(500) == 0 ? topic.substr(0, topic.size() - random.below(5)) : topic);
        else if (random.below(4) == 0 && model.erase(topic) != 0)
            topics.erase(topic);
        if (random.below(3) == 0)
            for (int misses = 0; misses < 8; ++misses)
                matching(topics, model, "nothing");
        matched += matching(topics, model, topic + "+").size();
    }
    EXPECT_EQ(topics.size(), model.size());
    EXPECT_GT(matched, std::size_t{many} / 2);
}

} // namespace
} // namespace zlink::patterns
