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

const std::string miss = "topic/x";

void add_numbered(topic_trie &topics, int count) {
    for (int number = 0; number < count; ++number)
        topics.at(numbered(number)) = 1;
}

// How many topics matched.
int send(topic_trie &topics, const std::string &data, int messages) {
    int matched = 0;
    for (; messages != 0; --messages)
        topics.match(data.data(), data.size(), [&](topic_trie::word) { return ++matched != 0; });
    return matched;
}

// Messages that match nothing.
template <class Done> void send_until(topic_trie &topics, Done done) {
    for (int messages = 0; !done(); ++messages) {
        ASSERT_LT(messages, 4 * many);
        send(topics, miss, 1);
    }
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
    add_numbered(topics, many);
    const std::string hit = numbered(1);
    send(topics, miss, many / 8);
    EXPECT_FALSE(topics.filter().exists());
    send(topics, miss, many / 4);
    EXPECT_TRUE(topics.filter().exists());
    send(topics, miss, many);
    EXPECT_TRUE(topics.filter().asked());
    for (int i = 0; i < 2000; ++i) {
        send(topics, hit, 1);
        send(topics, miss, 1);
    }
    EXPECT_TRUE(topics.filter().asked());
    send(topics, hit, 2000); // more than it takes to ask no longer
    EXPECT_FALSE(topics.filter().asked());
    send(topics, miss, 2000);
    EXPECT_TRUE(topics.filter().asked());
    for (int number = 0; number < many; ++number)
        topics.erase(numbered(number));
    EXPECT_EQ(topics.memory(), 0U);
}

TEST(topic_filter, a_tree_fills_it_in_small_steps_and_asks_it_in_the_end) {
    topic_trie topics;
    add_numbered(topics, many);
    send_until(topics, [&] { return topics.filter().exists(); });
    int messages = 0;
    for (; topics.filter().filling(); ++messages) {
        ASSERT_FALSE(topics.filter().asked());
        ASSERT_LT(messages, many);
        const std::string topic = numbered(messages % many);
        ASSERT_EQ(send(topics, topic + "+", 1), 1) << topic;
    }
    EXPECT_GT(messages, many / 10);
    EXPECT_TRUE(topics.filter().asked());
    for (int number = 0; number < many; ++number)
        ASSERT_EQ(send(topics, numbered(number), 1), 1) << number;
}

TEST(topic_filter, without_memory_there_is_none) {
    topic_filter filter;
    EXPECT_FALSE(filter.begin(std::size_t{1} << 50));
    EXPECT_FALSE(filter.exists());
    EXPECT_FALSE(filter.filling());
    filter.add("topic");
    EXPECT_FALSE(filter.asked());
    EXPECT_EQ(filter.memory(), 0U);
}

TEST(topic_filter, a_tree_that_becomes_small_while_it_is_filled_drops_it_and_begins_anew) {
    topic_trie topics;
    add_numbered(topics, many);
    send_until(topics, [&] { return topics.filter().filling(); });
    send(topics, miss, many / 8);
    ASSERT_TRUE(topics.filter().filling());
    for (int number = 0; number < many; ++number)
        topics.erase(numbered(number));
    EXPECT_FALSE(topics.filter().exists());
    EXPECT_EQ(topics.memory(), 0U);
    topics.at("") = 1;
    add_numbered(topics, many);
    send(topics, miss, many);
    EXPECT_FALSE(topics.filter().exists()); // all messages match
    topics.erase("");
    send_until(topics, [&] { return topics.filter().asked(); });
    for (int number = 0; number < many; ++number)
        ASSERT_EQ(send(topics, numbered(number), 1), 1) << number;
}

TEST(topic_filter, the_empty_topic_is_in_it) {
    for (const bool before : {true, false}) {
        topic_trie topics;
        add_numbered(topics, many);
        send(topics, miss, many / 5);
        if (before) {
            topics.at("") = 1;
            for (int number = 0; number < many / 4; ++number) // as many walks were in vain as it takes now
                topics.erase(numbered(number));
        }
        send_until(topics, [&] { return topics.filter().filling(); });
        topics.at("") = 1;
        send_until(topics, [&] { return topics.filter().asked(); });
        EXPECT_EQ(send(topics, miss, 1), 1);
    }
}

// Six lengths, as a filter counts them, and many common beginnings.
std::string topic_of(std::uint32_t number) {
    const std::string digits = std::to_string(1'000'000 + number);
    switch (number % 16) {
    case 0:
        return std::string(60, 'm') + digits;
    case 1:
        return std::string(250 + number % 7, 'm') + digits;
    case 2:
        return digits + std::string(56, 'e');
    case 3:
        return digits + std::string(57 + number % 300, 'e');
    case 4:
        return digits.substr(0, 5);
    case 5:
        return digits.substr(1) + std::string(6, 'o');
    default:
        return "topic/" + digits;
    }
}

// As long as it is made, and after.
TEST(topic_filter, a_tree_answers_as_a_plain_set_does_while_topics_come_and_go) {
    constexpr std::uint32_t kinds = 30'000;
    std::size_t matched = 0, while_filling = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        random_generator random(seed);
        topic_trie topics;
        std::set<std::string> model;
        const auto change = [&] {
            const std::string topic = random.below(500) == 0 ? "" : topic_of(random.below(kinds));
            if (random.below(2) == 0) {
                topics.at(topic) = 1;
                model.insert(topic);
            } else if (model.erase(topic) != 0) {
                topics.erase(topic);
            }
        };
        for (int i = 0; i < 60'000; ++i)
            change();
        int after = 5000;
        for (int step = 0; step < 100'000 && after != 0; ++step) {
            for (std::uint32_t changes = random.below(2); changes != 0; --changes)
                change();
            matched += matching(topics, model, topic_of(random.below(kinds)) + "+").size();
            send(topics, "nothing", 4);
            while_filling += topics.filter().filling() ? 1U : 0U;
            after -= topics.filter().asked() ? 1 : 0;
        }
        EXPECT_EQ(after, 0);
        EXPECT_EQ(topics.size(), model.size());
    }
    EXPECT_GT(matched, 10'000U);
    EXPECT_GT(while_filling, 1000U);
}

} // namespace
} // namespace zlink::patterns
