// SPDX-License-Identifier: MPL-2.0
// Marks in bytes: what waits is counted exactly, headers included.
#include <deque>
#include <random>

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

constexpr std::size_t sizes[] = {0, 1, 255, 256, 8192, 8193, 100'000};

std::uint64_t on_the_wire(const message &parts) {
    std::uint64_t bytes = 0;
    for (const std::string &part : parts)
        bytes += frame_header_size(part.size()) + part.size();
    return bytes;
}

TEST(ByteMark, IsExact) {
    for (const std::size_t size : sizes)
        for (const std::uint64_t mark : {1U, 50U, 1000U, 100'009U, 1'000'000U}) {
            const message one{std::string(size, 'x')};
            const std::uint64_t most = (mark + on_the_wire(one) - 1) / on_the_wire(one);
            if (most > 20'000)
                continue;
            SCOPED_TRACE(std::to_string(size) + " bytes, mark " + std::to_string(mark));
            message_queue log;
            log.writer().link().set_byte_mark(mark);
            for (std::uint64_t count = 0; count < most; ++count) {
                ASSERT_FALSE(log.writer().full()) << count;
                send(log, one);
            }
            for (int round = 0; round < 3; ++round) {
                EXPECT_TRUE(log.writer().full());
                EXPECT_TRUE(log.writer().prepare_wait_room());
                ASSERT_EQ(receive(log), one);
                EXPECT_FALSE(log.writer().full());
                send(log, one);
            }
        }
}

TEST(ByteMark, HoldsForMixedMessages) {
    std::mt19937 random(2);
    message_queue log(50);
    constexpr std::uint64_t mark = 60'000;
    log.writer().link().set_byte_mark(mark);
    std::deque<message> waiting;
    for (int round = 0; round < 20'000; ++round) {
        std::uint64_t bytes = 0;
        for (const message &one : waiting)
            bytes += on_the_wire(one);
        ASSERT_EQ(log.writer().full(), bytes >= mark || waiting.size() >= 50) << round;
        if (random() % 2 == 0 && !log.writer().full()) {
            message made(1 + random() % 3);
            for (std::string &part : made)
                part.assign(random() % (random() % 10 == 0 ? 20'000 : 400), 'x');
            send(log, made);
            waiting.push_back(std::move(made));
        } else if (!waiting.empty()) {
            ASSERT_EQ(receive(log), waiting.front());
            waiting.pop_front();
        }
    }
}

TEST(ByteMark, IsNotAskedInTheMiddleOfAMessage) {
    message_queue log;
    log.writer().link().set_byte_mark(100);
    ASSERT_TRUE(log.writer().write(frame_of(std::string(200, 'x'), true)));
    EXPECT_FALSE(log.writer().full()) << "nothing waits yet";
    ASSERT_TRUE(log.writer().write(frame_of(std::string(200, 'x'), false)));
    (void)log.writer().commit();
    EXPECT_TRUE(log.writer().full());
    EXPECT_EQ(receive(log).size(), 2U);
    EXPECT_FALSE(log.writer().full());
}

TEST(ByteMark, CanChangeWhileMessagesWait) {
    message_queue log;
    const message one{std::string(1000, 'x')};
    for (int count = 0; count < 100; ++count) {
        send(log, one);
        if (count < 90) {
            ASSERT_EQ(receive(log), one);
        }
    }
    EXPECT_FALSE(log.writer().full());
    log.writer().link().set_byte_mark(10 * 1009);
    EXPECT_TRUE(log.writer().full());
    log.writer().link().set_byte_mark(200'000);
    EXPECT_FALSE(log.writer().full()) << "what was read before counts by segments";
    log.writer().link().set_byte_mark(0);
    EXPECT_FALSE(log.writer().full());
    for (int count = 0; count < 1000; ++count)
        send(log, one);
    EXPECT_EQ(receive_all(log).size(), 1010U);
    log.writer().link().set_byte_mark(1009);
    EXPECT_FALSE(log.writer().full()) << "nothing waits";
    send(log, one);
    EXPECT_TRUE(log.writer().full());
}

TEST(ByteMark, WakesTheWriterByHalf) {
    message_queue log;
    log.writer().link().set_byte_mark(100 * 12);
    for (int round = 0; round < 5; ++round) {
        while (!log.writer().full())
            send(log, {"ten bytes!"});
        ASSERT_TRUE(log.writer().prepare_wait_room());
        int read = 0;
        while (!log.reader().take_writer_wakeup()) {
            ASSERT_EQ(receive(log), message{"ten bytes!"});
            ASSERT_LE(++read, 75);
        }
        EXPECT_FALSE(log.writer().full());
    }
}

TEST(ByteMark, OfAQueueThatDropsTheOldest) {
    message_queue log(0, keep_rule::newest);
    log.writer().link().set_byte_mark(30);
    for (int number = 10; number < 20; ++number)
        send(log, {"eight by", std::to_string(number)}); // 14 bytes
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"eight by", "18"}, {"eight by", "19"}}));
    send(log, {"small"});
    send(log, {std::string(100, 'x')});
    EXPECT_EQ(receive_all(log), std::vector<message>{{std::string(100, 'x')}}) << "the newest one stays";
    send(log, {"small"});
    EXPECT_EQ(receive_all(log), std::vector<message>{{"small"}});
}

} // namespace
} // namespace zlink::message_queue_test
