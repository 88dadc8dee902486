// SPDX-License-Identifier: MPL-2.0
#include "patterns/last_values.hpp"

#include <random>

#include "rig.hpp"

namespace zlink::test {
namespace {

using patterns::last_values;

constexpr last_values::bounds wide{1000, 0};

void put(last_values &values, const frames &parts) {
    values.begin(as_frame(parts.front(), parts.size() > 1));
    for (std::size_t i = 1; i < parts.size(); ++i)
        values.add(as_frame(parts[i], i + 1 < parts.size()));
    values.commit();
}

void put(last_values &values, std::string_view text) {
    put(values, split(text));
}

std::string found(const last_values &values, std::string_view beginning) {
    std::vector<const last_values::message *> all;
    values.find(beginning, all);
    std::string text;
    for (const last_values::message *one : all) {
        text += text.empty() ? "" : " ";
        for (const outgoing_frame &frame : one->frames) {
            text.append(reinterpret_cast<const char *>(frame.data), frame.size);
            text += frame.more() ? "|" : "";
        }
    }
    return text;
}

TEST(last_values, a_topic_has_the_message_that_was_sent_last) {
    last_values values(wide);
    for (const char *text : {"a|1", "b|1|x", "ab|1", "a|2", "|1", "c"})
        put(values, text);
    EXPECT_EQ(found(values, ""), "b|1|x ab|1 a|2 |1 c") << "in the order in which they were published";
    EXPECT_EQ(found(values, "a"), "ab|1 a|2");
    EXPECT_EQ(found(values, "ab"), "ab|1");
    EXPECT_EQ(found(values, "abc"), "");
    EXPECT_EQ(values.topics(), 5U);
    EXPECT_EQ(values.bytes(), 3U + 3U + 2U + 1U + 1U);
}

TEST(last_values, a_message_that_was_not_sent_changes_nothing) {
    last_values values(wide);
    put(values, "a|1");
    values.begin(as_frame("a", true));
    values.add(as_frame("2", false));
    values.rollback();
    values.commit(); // nothing was begun
    values.add(as_frame("3", false));
    values.commit();
    EXPECT_EQ(found(values, ""), "a|1");
    values.begin(as_frame("b", true)); // given up by the next one
    put(values, "c|1");
    EXPECT_EQ(found(values, ""), "a|1 c|1");
}

TEST(last_values, the_topic_that_was_published_longest_ago_gives_way) {
    last_values values({2, 0});
    for (const char *text : {"a|1", "b|1", "a|2", "c|1"})
        put(values, text);
    EXPECT_EQ(found(values, ""), "a|2 c|1");
    values.set_bounds({1, 0});
    EXPECT_EQ(found(values, ""), "c|1");
    values.set_bounds({2, 0});
    put(values, "d|1");
    EXPECT_EQ(found(values, ""), "c|1 d|1");
}

TEST(last_values, bytes_have_a_bound) {
    last_values values({1000, 10});
    put(values, "a|1234");
    put(values, "b|1234");
    EXPECT_EQ(found(values, ""), "a|1234 b|1234");
    put(values, "c|1");
    EXPECT_EQ(found(values, ""), "b|1234 c|1");
    EXPECT_EQ(values.bytes(), 7U);
    put(values, "d|123456789"); // ten bytes
    EXPECT_EQ(found(values, ""), "d|123456789");
    put(values, "e|1");
    EXPECT_EQ(found(values, ""), "e|1");
}

TEST(last_values, a_message_above_the_bound_takes_the_older_one_with_it) {
    last_values values({1000, 10});
    for (const char *text : {"a|1", "b|1", "a|12345|67890", "b2345678901"})
        put(values, text);
    EXPECT_EQ(found(values, ""), "b|1");
    put(values, "a|2");
    put(values, frames{std::string(11, 'x')});
    EXPECT_EQ(found(values, ""), "b|1 a|2");
    values.begin(as_frame("a", true)); // given up, as it may be above the bound
    values.add(as_frame(std::string(20, 'x'), true));
    values.rollback();
    EXPECT_EQ(found(values, ""), "b|1 a|2");
}

TEST(last_values, a_body_is_shared_with_its_owner) {
    const std::string large(100'000, 'x');
    buffer *const owner = buffer::copy_of(reinterpret_cast<const std::uint8_t *>(large.data()), large.size());
    {
        last_values values(wide);
        values.begin(as_frame("t", true));
        values.add({owner->data(), owner->size(), 0, owner});
        values.commit();
        EXPECT_TRUE(owner->shared());
        std::vector<const last_values::message *> all;
        values.find("t", all);
        ASSERT_EQ(all.size(), 1U);
        EXPECT_EQ(all.front()->frames.at(1).owner, owner);
    }
    EXPECT_FALSE(owner->shared());
    owner->release();
}

// Against a plain list of what was sent.
TEST(last_values, many_topics_in_any_order) {
    constexpr std::size_t most = 20;
    last_values values({most, 0});
    std::vector<frames> sent;
    std::mt19937 random(1);
    for (int round = 0; round < 5000; ++round) {
        const std::string topic(random() % 4, static_cast<char>('a' + random() % 20));
        const frames message{topic + static_cast<char>('a' + random() % 3), std::to_string(round)};
        std::erase_if(sent, [&](const frames &one) { return one.front() == message.front(); });
        sent.push_back(message);
        if (sent.size() > most)
            sent.erase(sent.begin());
        put(values, message);
        const std::string beginning = topic.substr(0, 2);
        std::string expected;
        for (const frames &one : sent)
            if (one.front().starts_with(beginning))
                expected += (expected.empty() ? "" : " ") + one.front() + "|" + one.back();
        ASSERT_EQ(found(values, beginning), expected);
    }
}

} // namespace
} // namespace zlink::test
