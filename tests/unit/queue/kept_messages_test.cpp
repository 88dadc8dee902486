// SPDX-License-Identifier: MPL-2.0
#include "queue/kept_messages.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

constexpr auto relaxed = std::memory_order_relaxed;

void put(kept_messages &to, const message &frames) {
    for (std::size_t index = 0; index < frames.size(); ++index)
        ASSERT_TRUE(to.put(frame_of(frames[index], index + 1 < frames.size())));
}
void commit(kept_messages &to, const message &frames) {
    put(to, frames);
    to.commit();
}

// Returns the message that the reader takes; no frames if there is none.
message take(kept_messages &from) {
    message frames;
    incoming_frame frame;
    std::uint64_t number = 0;
    for (bool more = true; more && from.take(frame, number);) {
        more = frame.more();
        frames.push_back(take_body(frame));
    }
    return frames;
}

TEST(KeptMessages, AreVisibleAfterTheirCommit) {
    kept_messages queue(keep_rule::newest, 0);
    put(queue, {"a", "b"});
    EXPECT_EQ(queue.count(relaxed), 0U);
    EXPECT_EQ(take(queue), message{});
    queue.commit();
    EXPECT_EQ(queue.count(relaxed), 1U);
    EXPECT_EQ(take(queue), (message{"a", "b"}));
    EXPECT_EQ(take(queue), message{});
    EXPECT_EQ(queue.count(relaxed), 0U);
}

TEST(KeptMessages, TakeTheUncommittedOneBack) {
    for (const keep_rule rule : {keep_rule::newest, keep_rule::latest_of_topic, keep_rule::latest_frame}) {
        kept_messages queue(rule, 2);
        commit(queue, {"one"});
        put(queue, {"two", "more"});
        queue.rollback();
        queue.commit(); // of nothing
        EXPECT_EQ(take(queue), message{"one"});
        EXPECT_EQ(take(queue), message{});
    }
}

TEST(KeptMessages, DropTheOldest) {
    kept_messages queue(keep_rule::newest, 3);
    for (const char *body : {"1", "2", "3", "4", "5"})
        commit(queue, {body, "end"});
    EXPECT_EQ(queue.count(relaxed), 3U);
    EXPECT_EQ(queue.dropped(), 2U);
    for (const char *body : {"3", "4", "5"})
        EXPECT_EQ(take(queue), (message{body, "end"}));
}

TEST(KeptMessages, LeaveTheMessageAloneThatIsBeingRead) {
    kept_messages queue(keep_rule::newest, 1);
    commit(queue, {"a", "b"});
    incoming_frame frame;
    std::uint64_t number = 0;
    ASSERT_TRUE(queue.take(frame, number));
    EXPECT_EQ(take_body(frame), "a");
    EXPECT_EQ(number, 1U);
    commit(queue, {"c"});
    commit(queue, {"d"});
    EXPECT_EQ(queue.count(relaxed), 2U);
    EXPECT_EQ(take(queue), message{"b"});
    ASSERT_TRUE(queue.take(frame, number));
    EXPECT_EQ(take_body(frame), "d");
    EXPECT_EQ(number, 3U);
}

TEST(KeptMessages, AMarkThatFallsHoldsFromTheNextCommit) {
    kept_messages queue(keep_rule::newest, 0);
    for (int number = 0; number < 10; ++number)
        commit(queue, {std::to_string(number)});
    EXPECT_EQ(queue.count(relaxed), 10U);
    queue.set_most(2);
    commit(queue, {"10"});
    EXPECT_EQ(take(queue), message{"9"});
    EXPECT_EQ(take(queue), message{"10"});
    EXPECT_EQ(take(queue), message{});
}

TEST(KeptMessages, ATopicHasItsNewestMessageOnly) {
    kept_messages queue(keep_rule::latest_of_topic, 3);
    commit(queue, {"a", "1"});
    commit(queue, {"b", "1"});
    commit(queue, {"a", "2"});
    EXPECT_EQ(queue.dropped(), 1U);
    EXPECT_EQ(queue.conflated(), 1U);
    EXPECT_EQ(take(queue), (message{"b", "1"}));
    commit(queue, {"b", "2"}); // the other b was read
    for (const char *topic : {"c", "d"})
        commit(queue, {topic, "1"});
    commit(queue, {"a", "3"}); // its older message had to give way
    EXPECT_EQ(queue.count(relaxed), 3U);
    EXPECT_EQ(queue.dropped(), 3U);
    EXPECT_EQ(queue.conflated(), 1U) << "the others gave way to other topics";
    EXPECT_EQ(take(queue), (message{"c", "1"}));
    EXPECT_EQ(take(queue), (message{"d", "1"}));
    EXPECT_EQ(take(queue), (message{"a", "3"}));
}

TEST(KeptMessages, OneFrameIsTheLatest) {
    kept_messages queue(keep_rule::latest_frame, 1000);
    commit(queue, {"one"});
    commit(queue, {"two", "three"});
    EXPECT_EQ(queue.count(relaxed), 1U);
    EXPECT_EQ(take(queue), message{"three"});
}

TEST(KeptMessages, HoldAReferenceToABufferThatIsGiven) {
    buffer *const owner = buffer::copy_of(reinterpret_cast<const std::uint8_t *>("shared"), 6);
    ASSERT_NE(owner, nullptr);
    kept_messages queue(keep_rule::newest, 1);
    for (int times = 0; times < 3; ++times) {
        ASSERT_TRUE(queue.put({owner->data(), owner->size(), 0, owner}));
        queue.commit();
    }
    ASSERT_TRUE(queue.put({owner->data(), owner->size(), 0, owner}));
    queue.rollback();
    const std::uint8_t *const bytes = owner->data();
    owner->release();
    incoming_frame frame;
    std::uint64_t number = 0;
    ASSERT_TRUE(queue.take(frame, number));
    EXPECT_EQ(frame.data, bytes);
    EXPECT_FALSE(frame.owner->shared());
    EXPECT_EQ(take_body(frame), "shared");
}

TEST(KeptMessages, OneThreadWritesAndOneReads) {
    constexpr int messages = 20'000;
    constexpr int topics = 7;
    for (const keep_rule rule : {keep_rule::newest, keep_rule::latest_of_topic, keep_rule::latest_frame}) {
        kept_messages queue(rule, 4);
        std::thread writer([&] {
            for (int number = 1; number <= messages; ++number)
                commit(queue, rule == keep_rule::latest_frame
                                  ? message{std::to_string(number)}
                                  : message{std::to_string(number % topics), std::to_string(number)});
        });
        for (int last = 0; last < messages;)
            if (const message came = take(queue); !came.empty()) {
                ASSERT_GT(std::stoi(came.back()), last) << "in order";
                last = std::stoi(came.back());
            }
        writer.join();
        EXPECT_EQ(queue.count(relaxed), 0U);
    }
}

} // namespace
} // namespace zlink::message_queue_test
