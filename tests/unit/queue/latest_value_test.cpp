// SPDX-License-Identifier: MPL-2.0
#include "queue/latest_value.hpp"

#include <gtest/gtest.h>

#include <string>

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

// Returns what the reader takes, or "nothing".
std::string take(latest_value &from) {
    incoming_frame frame;
    return from.take(frame) ? take_body(frame) : "nothing";
}

TEST(LatestValue, IsVisibleAfterItsCommit) {
    latest_value value;
    ASSERT_TRUE(value.put(frame_of("one")));
    EXPECT_TRUE(value.empty(std::memory_order_relaxed));
    EXPECT_EQ(take(value), "nothing");
    value.commit();
    EXPECT_FALSE(value.empty(std::memory_order_relaxed));
    EXPECT_EQ(take(value), "one");
    EXPECT_EQ(take(value), "nothing");
}

TEST(LatestValue, ReplacesTheOneThatWasNotRead) {
    latest_value value;
    for (const char *body : {"one", "two", "three"}) {
        ASSERT_TRUE(value.put(frame_of(body)));
        value.commit();
    }
    EXPECT_EQ(value.replaced(), 2U);
    EXPECT_EQ(take(value), "three");
    value.commit(); // of nothing
    EXPECT_EQ(take(value), "nothing");
}

TEST(LatestValue, TakesTheUncommittedOneBack) {
    latest_value value;
    ASSERT_TRUE(value.put(frame_of("one")));
    value.commit();
    ASSERT_TRUE(value.put(frame_of("two")));
    value.rollback();
    EXPECT_EQ(take(value), "one");
}

TEST(LatestValue, HoldsAReferenceToABufferThatIsGiven) {
    buffer *const owner = buffer::copy_of(reinterpret_cast<const std::uint8_t *>("shared"), 6);
    ASSERT_NE(owner, nullptr);
    latest_value value;
    ASSERT_TRUE(value.put({owner->data(), owner->size(), 0, owner}));
    value.commit();
    const std::uint8_t *const bytes = owner->data();
    owner->release();
    incoming_frame frame;
    ASSERT_TRUE(value.take(frame));
    EXPECT_EQ(frame.data, bytes);
    EXPECT_EQ(take_body(frame), "shared");
}

} // namespace
} // namespace zlink::message_queue_test
