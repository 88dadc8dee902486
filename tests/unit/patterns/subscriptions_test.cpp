// SPDX-License-Identifier: MPL-2.0
#include "patterns/subscriptions.hpp"

#include "base/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace zlink::patterns {
namespace {

using namespace std::string_literals;

struct subscriber {
    int number = 0;
};

bool matches(topic_set &topics, std::string_view data) {
    return topics.matches(data.data(), data.size());
}

std::multiset<int> matching(subscription_index<subscriber> &index, std::string_view data) {
    std::multiset<int> found;
    index.match(data.data(), data.size(), [&](subscriber *one) { found.insert(one->number); });
    return found;
}

// Short strings over few letters, so that they are prefixes of each other; now and then any bytes, and long
// ones.
std::string random_topic(random_generator &random) {
    const bool wide = random.below(4) == 0;
    std::string topic(random.below(50) == 0 ? random.below(300) : random.below(7), '\0');
    for (char &byte : topic) {
        byte = static_cast<char>(wide ? random.below(256) : 'a' + random.below(3));
    }
    return topic;
}

TEST(topic_set, topic_matches_what_starts_with_it) {
    topic_set topics;
    EXPECT_FALSE(matches(topics, ""));
    EXPECT_TRUE(topics.add("news.sport"));
    EXPECT_TRUE(matches(topics, "news.sport"));
    EXPECT_TRUE(matches(topics, "news.sport.ski"));
    EXPECT_FALSE(matches(topics, "news.spor"));
    EXPECT_FALSE(matches(topics, "news.spoRt"));
    EXPECT_FALSE(matches(topics, ""));
}

TEST(topic_set, empty_topic_matches_all) {
    topic_set topics;
    topics.add("");
    EXPECT_TRUE(matches(topics, ""));
    EXPECT_TRUE(matches(topics, "\0"s));
    EXPECT_TRUE(topics.remove(""));
    EXPECT_FALSE(matches(topics, ""));
    EXPECT_EQ(topics.memory(), 0U);
}

TEST(topic_set, topics_are_counted) {
    topic_set topics;
    EXPECT_TRUE(topics.add("a"));
    EXPECT_FALSE(topics.add("a"));
    EXPECT_EQ(topics.size(), 1U);
    EXPECT_FALSE(topics.remove("a"));
    EXPECT_TRUE(matches(topics, "a"));
    EXPECT_TRUE(topics.remove("a"));
    EXPECT_FALSE(matches(topics, "a"));
    EXPECT_FALSE(topics.remove("a"));
}

TEST(topic_set, removing_what_is_only_on_the_way_to_a_topic_changes_nothing) {
    topic_set topics;
    topics.add("abc");
    topics.add("abd");
    for (const char *stranger : {"", "a", "ab", "abcd", "abe", "x"}) {
        EXPECT_FALSE(topics.remove(stranger)) << stranger;
    }
    EXPECT_EQ(topics.size(), 2U);
}

TEST(topic_set, all_256_bytes_branch_and_the_memory_comes_back) {
    topic_set topics;
    for (int byte = 0; byte < 256; ++byte) {
        EXPECT_TRUE(topics.add("x" + std::string(1, static_cast<char>(byte)) + "tail"));
    }
    for (int byte = 0; byte < 256; ++byte) {
        EXPECT_TRUE(matches(topics, "x" + std::string(1, static_cast<char>(byte)) + "tail"));
        EXPECT_FALSE(matches(topics, "x" + std::string(1, static_cast<char>(byte)) + "tai"));
    }
    for (int byte = 255; byte >= 0; --byte) {
        EXPECT_TRUE(topics.remove("x" + std::string(1, static_cast<char>(byte)) + "tail"));
        EXPECT_EQ(matches(topics, "x" + std::string(1, static_cast<char>(byte)) + "tail"), false);
        EXPECT_EQ(topics.size(), static_cast<std::size_t>(byte));
    }
    EXPECT_EQ(topics.memory(), 0U);
}

TEST(topic_set, agrees_with_a_naive_model_under_random_operations) {
    random_generator random(20);
    for (int round = 0; round < 40; ++round) {
        topic_set topics;
        std::map<std::string, int> model;
        for (int step = 0; step < 2000; ++step) {
            const std::string topic = random_topic(random);
            const bool grow = random.below(10) < (step < 1000 ? 7U : 3U);
            if (grow) {
                ASSERT_EQ(topics.add(topic), ++model[topic] == 1);
            } else {
                const auto found = model.find(topic);
                const bool last = found != model.end() && --found->second == 0;
                ASSERT_EQ(topics.remove(topic), last);
                if (last) {
                    model.erase(found);
                }
            }
            const std::string data = random_topic(random);
            const bool expected = std::any_of(model.begin(), model.end(),
                                              [&](const auto &one) { return data.starts_with(one.first); });
            ASSERT_EQ(matches(topics, data), expected);
            ASSERT_EQ(topics.size(), model.size());
        }
        std::vector<std::string> seen, expected; // in order
        topics.for_each([&](std::string_view topic) { seen.emplace_back(topic); });
        for (const auto &[topic, count] : model) {
            expected.push_back(topic);
        }
        ASSERT_EQ(seen, expected);
        for (const std::string &topic : expected) {
            for (int count = model[topic]; count > 0; --count) {
                ASSERT_EQ(topics.remove(topic), count == 1);
            }
        }
        ASSERT_EQ(topics.memory(), 0U);
    }
}

TEST(topic_set, long_topics_and_long_chains_of_topics_need_no_stack) {
    topic_set topics;
    std::string topic;
    for (int length = 0; length < 8'000; ++length) { // a chain: each topic is the prefix of the next
        topics.add(topic);
        topic += 'x';
    }
    topics.add(std::string(1'000'000, 'y'));
    EXPECT_EQ(topics.size(), 8'001U);
    std::size_t longest = 0;
    topics.for_each([&](std::string_view one) { longest = std::max(longest, one.size()); });
    EXPECT_EQ(longest, 1'000'000U);
    EXPECT_TRUE(matches(topics, std::string(1'000'001, 'y')));
}

// Edges that are longer than a node's label are made, split, joined and taken out.
TEST(topic_set, agrees_with_a_naive_model_when_topics_are_long) {
    random_generator random(11);
    const auto long_topic = [&random] {
        std::string topic(random.below(5) == 0 ? random.below(3000) : random.below(6) * 128, 'a');
        if (!topic.empty() && random.below(2) == 0) {
            topic[random.below(static_cast<std::uint32_t>(topic.size()))] = 'b';
        }
        return topic;
    };
    for (int round = 0; round < 20; ++round) {
        topic_set topics;
        std::set<std::string> model;
        for (int step = 0; step < 600; ++step) {
            const std::string topic = long_topic();
            if (random.below(10) < (step < 300 ? 7U : 3U)) {
                if (model.insert(topic).second) {
                    ASSERT_TRUE(topics.add(topic));
                }
            } else {
                ASSERT_EQ(topics.remove(topic), model.erase(topic) != 0);
            }
            const std::string data = long_topic();
            const bool expected = std::any_of(model.begin(), model.end(),
                                              [&](const auto &one) { return data.starts_with(one); });
            ASSERT_EQ(matches(topics, data), expected);
        }
        std::vector<std::string> seen;
        topics.for_each([&](std::string_view topic) { seen.emplace_back(topic); });
        ASSERT_EQ(seen, std::vector<std::string>(model.begin(), model.end()));
        for (const std::string &topic : model) {
            ASSERT_TRUE(topics.remove(topic));
        }
        ASSERT_EQ(topics.memory(), 0U);
    }
}

// The memory of a topic's nodes is used again: churn does not grow the set.
TEST(topic_set, memory_stays_when_topics_come_and_go) {
    random_generator random(5);
    topic_set topics;
    std::vector<std::string> there;
    std::size_t settled = 0;
    for (int step = 0; step < 200'000; ++step) {
        if (there.size() == 2'000) {
            const std::size_t at = random.below(2'000);
            ASSERT_TRUE(topics.remove(there[at]));
            there[at] = there.back();
            there.pop_back();
        }
        std::string topic = "stock." + std::to_string(random.next());
        ASSERT_TRUE(topics.add(topic));
        there.push_back(std::move(topic));
        settled = step == 50'000 ? topics.memory() : settled;
    }
    EXPECT_LE(topics.memory(), settled * 2);
}

TEST(topic_set, exception_in_for_each_passes_on_and_the_set_is_whole) {
    topic_set topics;
    for (const char *topic : {"", "a", "ab", "abc", "b", "bcd"}) {
        topics.add(topic);
    }
    int calls = 0;
    EXPECT_THROW(topics.for_each([&](std::string_view) {
        if (++calls == 3) {
            throw std::runtime_error("stop");
        }
    }),
                 std::runtime_error);
    EXPECT_EQ(calls, 3);
    EXPECT_EQ(topics.size(), 6U);
    for (const char *topic : {"", "a", "ab", "abc", "b", "bcd"}) {
        EXPECT_TRUE(topics.remove(topic)) << topic;
    }
}

// A topic costs less than 100 bytes beyond its own, whatever the topics look like.
TEST(topic_set, memory_of_many_topics_is_bounded) {
    constexpr int count = 200'000;
    random_generator random(3);
    for (const int kind : {0, 1, 2}) {
        topic_set topics;
        std::size_t bytes = 0;
        for (int i = 0; i < count; ++i) {
            std::string topic = kind == 0 ? "market/instrument/" + std::to_string(i) : std::string(16, '\0');
            if (kind != 0) {
                for (char &byte : topic) {
                    byte = static_cast<char>(kind == 1 ? random.below(256) : 'a' + random.below(2));
                }
            }
            bytes += topics.add(topic) ? topic.size() : 0;
        }
        EXPECT_LT(topics.memory(), bytes + topics.size() * 100) << kind;
    }
}

TEST(subscription_index, first_further_repeated_and_back) {
    subscription_index<subscriber> index;
    subscriber a{1}, b{2};
    EXPECT_EQ(index.add("t", &a), add_result::first);
    EXPECT_EQ(index.add("t", &a), add_result::repeated);
    EXPECT_EQ(index.add("t", &b), add_result::further);
    EXPECT_EQ(index.add("t", &b), add_result::repeated);
    EXPECT_EQ(matching(index, "topic"), (std::multiset<int>{1, 2}));
    EXPECT_EQ(index.remove("t", &a), remove_result::others);
    EXPECT_EQ(index.remove("t", &a), remove_result::unknown);
    EXPECT_EQ(index.remove("t", &b), remove_result::last);
    EXPECT_EQ(index.remove("t", &b), remove_result::unknown);
    EXPECT_EQ(index.size(), 0U);
    EXPECT_EQ(index.memory(), 0U);
}

TEST(subscription_index, subscriber_comes_once_for_each_topic_that_matches) {
    subscription_index<subscriber> index;
    subscriber a{1};
    for (const char *topic : {"", "a", "abc", "b"}) {
        index.add(topic, &a);
    }
    EXPECT_EQ(matching(index, "abcd").size(), 3U);
    EXPECT_EQ(matching(index, "c").size(), 1U);
}

std::multiset<int> expected_of(const std::map<std::string, std::set<int>> &model, const std::string &data) {
    std::multiset<int> expected;
    for (const auto &[prefix, numbers] : model) {
        if (data.starts_with(prefix)) {
            expected.insert(numbers.begin(), numbers.end());
        }
    }
    return expected;
}

TEST(subscription_index, agrees_with_a_naive_model_under_random_operations) {
    random_generator random(7);
    for (int round = 0; round < 40; ++round) {
        // A few that have much of it each, or many that have little, and leave by their journals.
        const std::uint32_t count = round % 2 == 0 ? 4 : 40;
        std::vector<subscriber> subscribers(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            subscribers[i].number = static_cast<int>(i);
        }
        subscription_index<subscriber> index;
        std::map<std::string, std::set<int>> model;
        for (int step = 0; step < 2000; ++step) {
            const std::string topic = random_topic(random);
            subscriber &who = subscribers[random.below(count)];
            const std::uint32_t dice = random.below(100);
            if (dice < (step < 1000 ? 70U : 40U)) {
                std::set<int> &there = model[topic];
                const add_result expected = there.empty()                ? add_result::first
                                            : there.contains(who.number) ? add_result::repeated
                                                                         : add_result::further;
                there.insert(who.number);
                ASSERT_EQ(index.add(topic, &who), expected);
            } else if (dice < 99) {
                const auto found = model.find(topic);
                remove_result expected = remove_result::unknown;
                if (found != model.end() && found->second.erase(who.number) != 0) {
                    expected = found->second.empty() ? remove_result::last : remove_result::others;
                }
                if (expected == remove_result::last) {
                    model.erase(found);
                }
                ASSERT_EQ(index.remove(topic, &who), expected);
            } else {
                std::vector<std::pair<std::string, remove_result>> gone, expected; // in order
                index.remove_all(&who, [&](std::string_view one, remove_result result) {
                    gone.emplace_back(one, result);
                });
                for (auto at = model.begin(); at != model.end();) {
                    if (at->second.erase(who.number) != 0) {
                        expected.emplace_back(at->first, at->second.empty() ? remove_result::last
                                                                            : remove_result::others);
                    }
                    at = at->second.empty() ? model.erase(at) : std::next(at);
                }
                ASSERT_EQ(gone, expected);
            }
            const std::string data = random_topic(random);
            ASSERT_EQ(matching(index, data), expected_of(model, data));
            ASSERT_EQ(index.size(), model.size());
        }
        for (subscriber &one : subscribers) {
            index.remove_all(&one, [](std::string_view, remove_result) {});
        }
        ASSERT_EQ(index.size(), 0U);
        ASSERT_EQ(index.memory(), 0U);
    }
}

// Repeated subscribing and cancelling leaves no more behind than the topics that are there.
TEST(subscription_index, journal_of_a_subscriber_stays_as_small_as_its_topics) {
    subscription_index<subscriber> index;
    subscriber a{1}, b{2};
    for (int number = 0; number < 1'000; ++number) {
        index.add("b" + std::to_string(number), &b);
    }
    index.add("kept", &a);
    std::size_t settled = 0;
    for (int step = 0; step < 20'000; ++step) {
        const std::string topic = "a" + std::to_string(step % 50);
        EXPECT_EQ(index.add(topic, &a), add_result::first);
        EXPECT_EQ(index.remove(topic, &a), remove_result::last);
        settled = step == 1'000 ? index.memory() : settled;
    }
    EXPECT_LE(index.memory(), settled + 4'096);
    std::vector<std::string> gone;
    index.remove_all(&a, [&](std::string_view topic, remove_result) { gone.emplace_back(topic); });
    EXPECT_EQ(gone, std::vector<std::string>{"kept"});
}

TEST(subscription_index, subscriber_is_out_even_when_the_callback_throws) {
    subscription_index<subscriber> index;
    subscriber a{1}, b{2};
    for (const char *topic : {"", "a", "ab", "b"}) {
        index.add(topic, &a);
        index.add("c", &b);
    }
    int calls = 0;
    EXPECT_THROW(index.remove_all(&a,
                                  [&](std::string_view, remove_result) {
                                      ++calls;
                                      throw std::runtime_error("stop");
                                  }),
                 std::runtime_error);
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(index.size(), 1U);
    EXPECT_EQ(matching(index, "ab"), std::multiset<int>{});
    EXPECT_EQ(matching(index, "c"), std::multiset<int>{2});
}

} // namespace
} // namespace zlink::patterns
