// SPDX-License-Identifier: MPL-2.0
// receive_window::accept_messages: whole messages of one frame become entries together, and nothing else
// does.
#include "queue/queue_writer.hpp"

#include <limits>

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

using namespace std::string_literals;

constexpr std::uint64_t any_size = std::numeric_limits<std::uint64_t>::max();
// Behind the messages of a test: fewer than nine bytes are left for the walk over single frames.
const std::string unfinished = "\0\x40 not here"s;

struct AcceptMessages : ::testing::Test {
    void arrive(const std::string &bytes) {
        const receive_window::room room = window.space(bytes.size());
        ASSERT_GE(room.log.size(), bytes.size());
        std::memcpy(room.log.data(), bytes.data(), bytes.size());
        window.received(bytes.size());
    }
    std::string left() {
        const std::span<std::uint8_t> bytes = window.pending();
        return {bytes.begin(), bytes.end()};
    }
    std::vector<message> committed() {
        (void)window.commit();
        return receive_all(log);
    }

    message_queue log{3};
    receive_window window{log.writer()};
};

TEST_F(AcceptMessages, TakesThemAllUpToTheFirstThatIsNotWhole) {
    const std::vector<message> messages{{"a"}, {""}, {body_of(300)}};
    arrive(wire_all(messages) + unfinished);
    EXPECT_TRUE(window.accept_messages(any_size));
    EXPECT_EQ(left(), unfinished);
    EXPECT_FALSE(window.accept_messages(any_size));
    EXPECT_EQ(left(), unfinished);
    EXPECT_EQ(committed(), messages);
}

TEST_F(AcceptMessages, ShowsNothingBeforeItIsCommitted) {
    arrive(wire_all({{"a"}}) + unfinished);
    EXPECT_TRUE(window.accept_messages(any_size));
    EXPECT_FALSE(log.reader().has_message());
}

TEST_F(AcceptMessages, StopsAtEveryFrameThatIsNoMessageOfOneFrame) {
    for (const char flags : {'\1', '\3', '\4', '\6', '\x8', '\x40', '\x7f', '\x80'}) {
        message_queue other;
        receive_window one(other.writer());
        const std::string rest = flags + "\1x          "s;
        const std::string bytes = wire_all({{"a"}}) + rest;
        const receive_window::room room = one.space(bytes.size());
        std::memcpy(room.log.data(), bytes.data(), bytes.size());
        one.received(bytes.size());
        EXPECT_TRUE(one.accept_messages(any_size));
        EXPECT_EQ(one.pending().size(), rest.size()) << int{flags};
        EXPECT_FALSE(one.accept_messages(any_size)) << int{flags};
        EXPECT_EQ(one.pending().size(), rest.size()) << int{flags};
    }
}

TEST_F(AcceptMessages, StopsAtABodyThatIsTooLarge) {
    arrive(wire_all({{"ab"}, {"abc"}}) + unfinished);
    EXPECT_TRUE(window.accept_messages(2));
    EXPECT_EQ(left(), wire_all({{"abc"}}) + unfinished);
    EXPECT_FALSE(window.accept_messages(2));
    EXPECT_TRUE(window.accept_messages(3));
}

TEST_F(AcceptMessages, TakesNoSizeThatOverflows) {
    for (const std::string &size :
         {"\xff\xff\xff\xff\xff\xff\xff\xff"s, "\x7f\xff\xff\xff\xff\xff\xff\xf7"s}) {
        message_queue other;
        receive_window one(other.writer());
        const std::string bytes = "\2"s + size + "body";
        const receive_window::room room = one.space(bytes.size());
        std::memcpy(room.log.data(), bytes.data(), bytes.size());
        one.received(bytes.size());
        EXPECT_FALSE(one.accept_messages(any_size));
        EXPECT_EQ(one.pending().size(), bytes.size());
    }
}

TEST_F(AcceptMessages, TakesNoMoreThanTheMarkAllows) {
    arrive(wire_all({{"1"}, {"2"}, {"3"}, {"4"}, {"5"}}) + unfinished);
    EXPECT_TRUE(window.accept_messages(any_size));
    EXPECT_EQ(left(), wire_all({{"4"}, {"5"}}) + unfinished);
    EXPECT_FALSE(window.accept_messages(any_size));
    (void)window.commit();
    EXPECT_TRUE(window.full());
    EXPECT_FALSE(window.accept_messages(any_size));
    EXPECT_EQ(receive(log), message{"1"});
    EXPECT_FALSE(window.full());
    EXPECT_TRUE(window.accept_messages(any_size));
    EXPECT_EQ(left(), wire_all({{"5"}}) + unfinished);
    EXPECT_EQ(committed(), (std::vector<message>{{"2"}, {"3"}, {"4"}}));
}

TEST_F(AcceptMessages, TakesNoneInTheMiddleOfAMessage) {
    arrive("\1\1a"s + wire_all({{"b"}, {"c"}}) + unfinished);
    window.accept(3, true);
    EXPECT_FALSE(window.accept_messages(any_size));
    window.accept(3, false);
    EXPECT_TRUE(window.accept_messages(any_size));
    EXPECT_EQ(committed(), (std::vector<message>{{"a", "b"}, {"c"}}));
}

TEST_F(AcceptMessages, TakesNoneBehindAGap) {
    arrive("\4\1p"s + wire_all({{"a"}, {"b"}}) + unfinished);
    window.cut(3);
    EXPECT_FALSE(window.accept_messages(any_size));
    EXPECT_EQ(left(), wire_all({{"a"}, {"b"}}) + unfinished);
    window.accept(3, false);
    window.accept(3, false);
    EXPECT_EQ(committed(), (std::vector<message>{{"a"}, {"b"}}));
}

TEST_F(AcceptMessages, TakesNoneWhileABodyArrives) {
    arrive("\2"s + std::string("\0\0\0\0\0\0\x40\0", 8) + "the beginning");
    ASSERT_TRUE(window.begin_body(9, 0x4000, false));
    EXPECT_FALSE(window.accept_messages(any_size));
    EXPECT_TRUE(window.filling_body());
}

} // namespace
} // namespace zlink::message_queue_test
