// SPDX-License-Identifier: MPL-2.0
#include "patterns/topic_index.hpp"

#include "base/random.hpp"
#include "patterns/subscriptions.hpp"
#include "patterns/topic_filter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace zlink::patterns {
namespace {

using word = topic_index::word;

constexpr std::size_t most_bytes = topic_index::most_bytes;

std::string numbered(std::uint32_t number) {
    return "topic/" + std::to_string(1'000'000 + number) + "/end";
}

topic_index::answer ask(const topic_index &index, const std::string &data) {
    return index.ask(reinterpret_cast<const std::uint8_t *>(data.data()), data.size());
}

// Returns the word of an answer that is known.
word word_of(const topic_index::answer &told) {
    EXPECT_TRUE(told.known);
    return told.value;
}

TEST(topic_index, knows_every_topic_and_no_other_while_it_grows) {
    constexpr std::uint32_t many = 40'000;
    topic_index index;
    index.begin();
    for (std::uint32_t number = 0; number < many; ++number) {
        index.add(numbered(number), number + 1);
        ASSERT_EQ(word_of(ask(index, numbered(number) + "and more")), number + 1);
        const std::uint32_t other = number / 3;
        ASSERT_EQ(word_of(ask(index, numbered(other))), other + 1);
        ASSERT_EQ(word_of(ask(index, numbered(number + 1))), 0U);
    }
    EXPECT_TRUE(index.exists());
    EXPECT_LT(index.memory(), std::size_t{many} * 64);
    for (std::uint32_t number = 0; number < many; ++number) {
        index.remove(numbered(number));
        ASSERT_EQ(index.find(numbered(number)), nullptr);
    }
    EXPECT_TRUE(index.exists());
}

TEST(topic_index, tells_topics_up_to_its_most_bytes_and_of_longer_ones_that_it_does_not_know) {
    for (const std::size_t length : {0U, 1U, 7U, 8U, 9U, 16U, 26U, 27U, 28U, 64U, 300U}) {
        topic_index index;
        index.begin();
        const std::string topic(length, 'a');
        index.add(topic, 7);
        const bool known = length <= most_bytes;
        EXPECT_EQ(index.find(topic) != nullptr, known) << length;
        for (const std::string &data : {topic, topic + "more"}) {
            const topic_index::answer told = ask(index, data);
            EXPECT_EQ(told.known, known) << length;
            EXPECT_EQ(told.value, known ? 7U : 0U) << length;
        }
        if (length != 0) {
            EXPECT_EQ(word_of(ask(index, "b" + topic)), 0U);
            EXPECT_EQ(word_of(ask(index, "")), 0U);
        }
        index.remove(topic);
        EXPECT_EQ(word_of(ask(index, topic)), 0U);
    }
}

TEST(topic_index, long_topics_with_one_beginning_are_counted) {
    topic_index index;
    index.begin();
    const std::string head(most_bytes, 'h');
    index.add(head, 3);
    index.add(head + "1", 1);
    index.add(head + "2", 1);
    EXPECT_FALSE(ask(index, head + "x").known);
    EXPECT_EQ(word_of(ask(index, head)), 3U); // no topic that is longer is a prefix of it
    index.remove(head + "1");
    EXPECT_FALSE(ask(index, head + "x").known);
    index.remove(head + "2");
    EXPECT_EQ(word_of(ask(index, head + "x")), 3U);
}

TEST(topic_index, ends_when_most_topics_are_long) {
    topic_index index;
    index.begin();
    for (std::uint32_t number = 0; number < 1000; ++number) {
        index.add(numbered(number), 1);
        index.add(numbered(number) + std::string(most_bytes, 'l'), 1);
    }
    ASSERT_TRUE(index.exists());
    for (std::uint32_t number = 1000; number < 1200; ++number)
        index.add(numbered(number) + std::string(most_bytes, 'l'), 1);
    ASSERT_TRUE(index.exists());
    for (std::uint32_t number = 0; number < 200; ++number)
        index.remove(numbered(number));
    ASSERT_TRUE(index.exists());
    index.add(numbered(1200) + std::string(most_bytes, 'l'), 1);
    EXPECT_FALSE(index.exists());
}

TEST(topic_index, too_many_lengths_end_it_and_lengths_that_go_make_room) {
    topic_index index;
    index.begin();
    for (std::size_t length = 1; length <= topic_index::most_lengths; ++length)
        index.add(std::string(length, 'a'), static_cast<word>(length));
    ASSERT_TRUE(index.exists());
    EXPECT_EQ(word_of(ask(index, "a")), 1U);
    EXPECT_FALSE(ask(index, "aa").known); // both match
    index.remove("a");
    EXPECT_EQ(word_of(ask(index, "aa")), 2U);
    index.add("aaaaaaaaaaaa", 12);
    ASSERT_TRUE(index.exists());
    EXPECT_EQ(word_of(ask(index, "b")), 0U);
    EXPECT_EQ(index.add("", 13), nullptr);
    EXPECT_FALSE(index.exists());
    EXPECT_NE(index.memory(), 0U);
    for (int step = 0; step < 100; ++step)
        index.dismantle();
    EXPECT_EQ(index.memory(), 0U);
    index.remove("aa");
    EXPECT_EQ(index.find("aa"), nullptr);
}

// Three lengths, as an index counts them, of which one is long, prefixes of each other, and bytes of all
// kinds.
std::string topic_of(std::uint32_t number) {
    const std::string digits = std::to_string(1'000'000 + number);
    switch (number % 16) {
    case 0:
        return std::string(most_bytes + number % 50, 'm') + digits;
    case 1:
        return digits.substr(0, 6);
    case 2:
        return digits + std::string(13 - digits.size(), '\0');
    case 3:
        return "topic/" + digits + std::string(most_bytes + number % 40, 'e');
    case 4:
        return digits + std::string(most_bytes, 'e');
    case 5:
        return std::string(4, '\xFF') +
               std::string{static_cast<char>(number / 16), static_cast<char>(number / 4096)};
    case 6:
        return digits.substr(1) + std::string(7, static_cast<char>(number));
    default:
        return "topic/" + digits;
    }
}

struct subscriber {
    int number = 0;
};

// Many topics of a few subscribers, and what a plain map says of them.
class changing_index {
  public:
    explicit changing_index(std::uint64_t seed) : random_(seed) {}

    void change() {
        const std::string topic = topic_of(random_.below(kinds));
        subscriber &who = subscribers_.at(random_.below(3));
        std::set<int> &there = model_[topic];
        if (random_.below(3) != 0) {
            index_.add(topic, &who);
            there.insert(who.number);
        } else {
            index_.remove(topic, &who);
            there.erase(who.number);
        }
        if (there.empty())
            model_.erase(topic);
    }
    void leave(subscriber &who) {
        std::size_t gone = 0;
        index_.remove_all(&who, [&gone](std::string_view, remove_result) { ++gone; });
        std::size_t expected = 0;
        for (auto at = model_.begin(); at != model_.end();) {
            expected += at->second.erase(who.number);
            at = at->second.empty() ? model_.erase(at) : std::next(at);
        }
        ASSERT_EQ(gone, expected);
    }
    void check() {
        const std::string data = topic_of(random_.below(kinds)) + "+";
        std::multiset<int> seen, expected;
        index_.match(data.data(), data.size(), [&](subscriber *one) { seen.insert(one->number); });
        for (std::size_t size = 0; size <= data.size(); ++size) {
            if (const auto found = model_.find(data.substr(0, size)); found != model_.end())
                expected.insert(found->second.begin(), found->second.end());
        }
        ASSERT_EQ(seen, expected) << data;
        ASSERT_EQ(index_.size(), model_.size());
        matched += expected.size();
    }
    [[nodiscard]] subscriber &any() { return subscribers_.at(random_.below(3)); }
    [[nodiscard]] std::size_t size() const { return model_.size(); }
    [[nodiscard]] std::size_t memory() const { return index_.memory(); }

    std::size_t matched = 0;

  private:
    static constexpr std::uint32_t kinds = 40'000;
    random_generator random_;
    std::array<subscriber, 3> subscribers_{{{0}, {1}, {2}}};
    subscription_index<subscriber> index_;
    std::map<std::string, std::set<int>> model_;
};

TEST(topic_index, a_tree_answers_as_a_plain_map_does_while_subscribers_come_and_go) {
    std::size_t matched = 0, many = 0;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        changing_index tested(seed);
        for (int step = 0; step < 120'000; ++step) {
            tested.change();
            if (step % 2 == 0)
                tested.check();
            if (step % 40'000 == 39'999)
                tested.leave(tested.any());
            many += tested.size() >= topic_filter::least_topics ? 1U : 0U;
            ASSERT_FALSE(testing::Test::HasFatalFailure());
        }
        matched += tested.matched;
        for (int round = 0; round < 60; ++round)
            tested.leave(tested.any());
        EXPECT_EQ(tested.size(), 0U);
        EXPECT_EQ(tested.memory(), 0U);
    }
    EXPECT_GT(matched, 100'000U);
    EXPECT_GT(many, 200'000U);
}

// The words of the topics that a tree says match.
std::vector<word> match(topic_trie &topics, const std::string &data) {
    std::vector<word> words;
    topics.match(data.data(), data.size(), [&words](word each) {
        words.push_back(each);
        return true;
    });
    return words;
}

TEST(topic_index, the_model_of_it_is_one_that_an_index_takes) {
    topic_index index;
    index.begin();
    std::set<std::string> topics;
    for (std::uint32_t number = 0; number < 40'000; ++number)
        topics.insert(topic_of(number));
    for (const std::string &topic : topics)
        index.add(topic, 1);
    EXPECT_TRUE(index.exists());
}

TEST(topic_index, a_tree_has_it_from_some_topics_on_and_until_few_are_left) {
    topic_trie topics;
    std::uint32_t number = 0;
    for (; number < topic_trie::indexed_topics; ++number)
        topics.at(numbered(number)) = number + 1;
    EXPECT_FALSE(topics.index().exists());
    for (; number < 2 * topic_filter::least_topics; ++number)
        topics.at(numbered(number)) = number + 1;
    EXPECT_TRUE(topics.index().exists());
    for (std::uint32_t each = 0; each < number; ++each)
        ASSERT_EQ(match(topics, numbered(each)), std::vector<word>{each + 1});
    topics.for_each([](std::string_view, word &value) { value = value % 2 == 0 ? value * 3 : 0; });
    EXPECT_TRUE(topics.index().exists());
    for (std::uint32_t each = 1; each < number; each += 2)
        ASSERT_EQ(match(topics, numbered(each)), std::vector<word>{(each + 1) * 3});
    constexpr std::uint32_t left = topic_trie::indexed_topics / 2 - 1;
    for (std::uint32_t each = 1; each < number - 2 * left; each += 2)
        topics.erase(numbered(each));
    EXPECT_EQ(topics.size(), left);
    EXPECT_FALSE(topics.index().exists());
}

TEST(topic_index, a_word_that_the_owner_changes_is_known_to_the_next_match) {
    topic_trie topics;
    for (std::uint32_t number = 0; number < 2 * topic_filter::least_topics; ++number)
        topics.at(numbered(number)) = 1;
    const std::string topic = numbered(77);
    topics.at(topic) = 2;
    EXPECT_EQ(match(topics, topic), std::vector<word>{2});
    word *there = topics.find(topic);
    ASSERT_NE(there, nullptr);
    *there = 3;
    EXPECT_EQ(match(topics, topic), std::vector<word>{3});
    there = topics.find(topic);
    *there = 4;
    topics.erase(numbered(78));
    EXPECT_EQ(match(topics, topic), std::vector<word>{4});
    EXPECT_EQ(match(topics, numbered(78)), std::vector<word>{});
}

TEST(topic_index, a_tree_whose_topics_have_too_many_lengths_does_without) {
    topic_trie topics;
    for (std::uint32_t number = 0; number < 2 * topic_filter::least_topics; ++number)
        topics.at(numbered(number)) = 1;
    ASSERT_TRUE(topics.index().exists());
    for (std::size_t length = 1; length <= topic_index::most_lengths; ++length)
        topics.at(std::string(length, 'x')) = 2;
    EXPECT_FALSE(topics.index().exists());
    EXPECT_NE(topics.index().memory(), 0U);
    EXPECT_EQ(match(topics, "xxx"), (std::vector<word>{2, 2, 2}));
    for (std::uint32_t number = 0; number < 2 * topic_filter::least_topics; ++number)
        ASSERT_EQ(match(topics, numbered(number)), std::vector<word>{1});
    EXPECT_EQ(topics.index().memory(), 0U);
}

} // namespace
} // namespace zlink::patterns
