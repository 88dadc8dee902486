// SPDX-License-Identifier: MPL-2.0
// High-water marks, sleep and wakeup, conflation, entries to be passed over.
#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

class HighWaterMark : public testing::TestWithParam<int> {};

TEST_P(HighWaterMark, IsExact) {
    message_queue log(GetParam());
    for (int round = 0; round < 3; ++round) {
        for (int count = 0; count < GetParam(); ++count) {
            ASSERT_FALSE(log.writer().full()) << count;
            send(log, {"m"});
        }
        EXPECT_TRUE(log.writer().full());
        EXPECT_EQ(log.writer().depth(), static_cast<std::uint64_t>(GetParam()));
        ASSERT_EQ(receive(log), message{"m"});
        EXPECT_FALSE(log.writer().full());
        send(log, {"m"});
        EXPECT_TRUE(log.writer().full());
        EXPECT_EQ(receive_all(log).size(), static_cast<std::size_t>(GetParam()));
    }
}

TEST_P(HighWaterMark, WakesTheWriterByHalf) {
    const int mark = GetParam();
    message_queue log(mark);
    for (int round = 0; round < 5; ++round) {
        while (!log.writer().full())
            send(log, {"m"});
        ASSERT_TRUE(log.writer().prepare_wait_room());
        int read = 0;
        while (!log.reader().take_writer_wakeup()) {
            ASSERT_EQ(receive(log), message{"m"});
            ++read;
        }
        EXPECT_GE(read, 1);
        EXPECT_LE(read, (mark + 1) / 2);
        EXPECT_FALSE(log.writer().full());
        EXPECT_FALSE(log.reader().take_writer_wakeup()) << "once";
    }
}

// Over inproc room comes in halves of the mark, as with libzmq.
int half_of(int mark) {
    return (mark + 1) / 2;
}

TEST_P(HighWaterMark, IsExactInHalves) {
    message_queue log(GetParam(), keep_rule::all, true);
    for (int count = 0; count < GetParam(); ++count) {
        ASSERT_FALSE(log.writer().full()) << count;
        send(log, {"m"});
    }
    EXPECT_TRUE(log.writer().full());
    EXPECT_EQ(log.writer().depth(), static_cast<std::uint64_t>(GetParam()));
    for (int round = 0; round < 5; ++round) {
        for (int count = 0; count < half_of(GetParam()); ++count) {
            EXPECT_TRUE(log.writer().full()) << count;
            ASSERT_EQ(receive(log), message{"m"});
        }
        for (int count = 0; count < half_of(GetParam()); ++count) {
            EXPECT_FALSE(log.writer().full()) << count;
            send(log, {"m"});
        }
    }
    EXPECT_TRUE(log.writer().full());
    EXPECT_EQ(receive_all(log).size(), static_cast<std::size_t>(GetParam()));
    EXPECT_FALSE(log.writer().full());
}

TEST_P(HighWaterMark, WakesTheWriterByHalves) {
    message_queue log(GetParam(), keep_rule::all, true);
    for (int round = 0; round < 5; ++round) {
        while (!log.writer().full())
            send(log, {"m"});
        int read = 0;
        while (log.writer().full()) { // it may be woken for nothing
            ASSERT_TRUE(log.writer().prepare_wait_room());
            while (!log.reader().take_writer_wakeup()) {
                ASSERT_EQ(receive(log), message{"m"});
                ++read;
            }
        }
        EXPECT_EQ(read, half_of(GetParam()));
        EXPECT_FALSE(log.reader().take_writer_wakeup()) << "once";
    }
}

INSTANTIATE_TEST_SUITE_P(Marks, HighWaterMark, testing::Values(1, 2, 3, 4, 7, 100, 1000));

TEST(MessageQueueWaiting, ZeroIsNoMark) {
    message_queue log(0);
    for (int count = 0; count < 20000; ++count) {
        ASSERT_FALSE(log.writer().full());
        send(log, {"m"});
    }
    EXPECT_FALSE(log.writer().prepare_wait_room());
    EXPECT_EQ(log.writer().depth(), 20000U);
}

TEST(MessageQueueWaiting, NothingIsReadBehindTheLastMessage) {
    message_queue log(4);
    for (const char *text : {"a", "b"})
        send(log, {text, "rest"});
    send(log, {"c"});
    log.reader().end_after(1);
    EXPECT_EQ(receive(log), (message{"a", "rest"}));
    EXPECT_FALSE(log.reader().has_message());
    send(log, {"d"});
    EXPECT_FALSE(log.reader().has_message());
}

TEST(MessageQueueWaiting, NothingIsReadAtAllBehindTheEnd) {
    message_queue log(4);
    send(log, {"a"});
    send(log, {"b"});
    EXPECT_EQ(receive(log), message{"a"});
    log.reader().end_after(0);
    EXPECT_FALSE(log.reader().has_message());
}

TEST(MessageQueueWaiting, TheMarkCanChange) {
    message_queue log(10);
    for (int count = 0; count < 5; ++count)
        send(log, {"m"});
    log.writer().link().set_high_water_mark(5);
    EXPECT_TRUE(log.writer().full());
    log.writer().link().set_high_water_mark(6);
    EXPECT_FALSE(log.writer().full());
    log.writer().link().set_high_water_mark(0);
    EXPECT_FALSE(log.writer().full());
    log.writer().link().set_high_water_mark(-1);
    EXPECT_FALSE(log.writer().full());
}

TEST(MessageQueueWaiting, AMultipartMessageCountsOnce) {
    message_queue log(2);
    send(log, {"a", "b", "c"});
    EXPECT_FALSE(log.writer().full());
    send(log, {"a", body_of(9000), "c"});
    EXPECT_TRUE(log.writer().full());
    incoming_frame frame;
    ASSERT_TRUE(log.reader().read(frame));
    ASSERT_TRUE(log.reader().read(frame));
    EXPECT_TRUE(log.writer().full()) << "not before the last frame";
    ASSERT_TRUE(log.reader().read(frame));
    EXPECT_FALSE(log.writer().full());
}

TEST(MessageQueueWaiting, RolledBackMessagesDoNotCount) {
    message_queue log(1);
    ASSERT_TRUE(log.writer().write(frame_of("x", true)));
    log.writer().rollback();
    EXPECT_FALSE(log.writer().full());
    EXPECT_EQ(log.writer().depth(), 0U);
}

TEST(MessageQueueWaiting, TryWaitSeesRoom) {
    message_queue log(1);
    send(log, {"m"});
    EXPECT_TRUE(log.writer().full());
    receive(log);
    EXPECT_FALSE(log.writer().prepare_wait_room());
    send(log, {"m"});
    receive(log);
    EXPECT_TRUE(log.reader().prepare_wait_data());
    EXPECT_FALSE(log.reader().take_writer_wakeup()) << "nobody waits";
}

TEST(MessageQueueWaiting, ARunDryReaderWakesTheWriter) {
    message_queue log(100);
    while (!log.writer().full())
        send(log, {"m"});
    ASSERT_TRUE(log.writer().prepare_wait_room());
    for (int count = 0; count < 100; ++count)
        receive(log);
    while (log.reader().take_writer_wakeup()) {
    }
    ASSERT_FALSE(log.writer().full());
    send(log, {"m"}); // and waits although it need not
    log.writer().link().set_high_water_mark(1);
    ASSERT_TRUE(log.writer().prepare_wait_room());
    receive(log);
    EXPECT_TRUE(log.reader().prepare_wait_data());
    EXPECT_TRUE(log.reader().take_writer_wakeup());
}

// The reader looks for a waiting writer when half a mark was read. A stream that is full may stop it before.
TEST(MessageQueueWaiting, AReaderThatStopsTellsOfAnyRoom) {
    message_queue log(3);
    for (const char *text : {"a", "b", "c"})
        send(log, {text});
    log.reader().tell_room();
    EXPECT_FALSE(log.reader().take_writer_wakeup()) << "nobody waits";
    EXPECT_EQ(receive(log), message{"a"}); // the first look at the writer; the next one is two messages later
    send(log, {"d"});
    ASSERT_TRUE(log.writer().prepare_wait_room());
    log.reader().tell_room();
    EXPECT_FALSE(log.reader().take_writer_wakeup()) << "there is no room";
    EXPECT_EQ(receive(log), message{"b"});
    EXPECT_FALSE(log.reader().take_writer_wakeup()) << "less than half a mark was read";
    log.reader().tell_room();
    EXPECT_TRUE(log.reader().take_writer_wakeup());
    log.reader().tell_room();
    EXPECT_FALSE(log.reader().take_writer_wakeup()) << "once";
}

TEST(MessageQueueWaiting, PublishNotifiesASleeperOnce) {
    message_queue log;
    EXPECT_FALSE(send(log, {"awake"}));
    receive(log);
    ASSERT_TRUE(log.reader().prepare_wait_data());
    EXPECT_TRUE(send(log, {"first"}));
    EXPECT_FALSE(send(log, {"second"}));
    EXPECT_FALSE(log.reader().prepare_wait_data()) << "there is something to read";
    EXPECT_FALSE(send(log, {"third"})) << "a reader that was refused is not asleep";
    EXPECT_EQ(receive_all(log).size(), 3U);
    ASSERT_TRUE(log.reader().prepare_wait_data());
    EXPECT_TRUE(send(log, {"again"}));
}

TEST(MessageQueueWaiting, AShownMessageIsThereBeforeItsSleeperIsLookedFor) {
    message_queue log;
    ASSERT_TRUE(log.reader().prepare_wait_data());
    write_uncommitted(log, {"two", "frames"});
    log.writer().commit_unfenced();
    EXPECT_EQ(receive(log), (message{"two", "frames"}));
    EXPECT_TRUE(log.writer().link().take_sleeping_reader());
    EXPECT_FALSE(log.writer().link().take_sleeping_reader()) << "once";
    write_uncommitted(log, {"one"});
    log.writer().commit_unfenced();
    EXPECT_FALSE(log.writer().link().take_sleeping_reader()) << "the reader is awake";
    EXPECT_EQ(log.writer().written(), 2U);
    EXPECT_EQ(receive(log), message{"one"});
}

TEST(MessageQueueWaiting, AnUnfinishedMessageWakesNobody) {
    message_queue log;
    ASSERT_TRUE(log.reader().prepare_wait_data());
    ASSERT_TRUE(log.writer().write(frame_of("a", true)));
    EXPECT_TRUE(log.reader().prepare_wait_data());
    log.writer().rollback();
    EXPECT_TRUE(log.reader().prepare_wait_data());
    EXPECT_TRUE(send(log, {"a", "b"}));
}

TEST(MessageQueueConflating, KeepsTheNewest) {
    message_queue log(1, keep_rule::latest_frame);
    EXPECT_TRUE(log.writer().link().drops_oldest());
    EXPECT_FALSE(log.reader().has_message());
    EXPECT_EQ(log.writer().depth(), 0U);
    for (const unsigned size : {1U, 255U, 256U, 9000U, 0U, 70000U, 12U}) {
        EXPECT_FALSE(log.writer().full()) << "no mark";
        send(log, {body_of(size)});
        EXPECT_EQ(log.writer().depth(), 1U);
    }
    EXPECT_TRUE(log.reader().has_message());
    EXPECT_EQ(receive(log), message{body_of(12)});
    EXPECT_FALSE(log.reader().has_message());
    EXPECT_EQ(log.writer().depth(), 0U);
    EXPECT_TRUE(receive(log).empty());
    send(log, {"left for the destructor"});
}

TEST(MessageQueueConflating, SharesWholeBuffersOnly) {
    message_queue log(0, keep_rule::latest_frame);
    buffer *body = buffer::allocate(100);
    std::memset(body->data(), 'x', 100);
    ASSERT_TRUE(log.writer().write({body->data(), 100, 0, body}));
    EXPECT_TRUE(body->shared());
    (void)log.writer().commit();
    ASSERT_TRUE(log.writer().write({body->data() + 1, 50, 0, body}));
    (void)log.writer().commit();
    EXPECT_FALSE(body->shared());
    EXPECT_EQ(receive(log), message{std::string(50, 'x')});
    body->release();
}

TEST(MessageQueueConflating, WakesASleeper) {
    message_queue log(0, keep_rule::latest_frame);
    ASSERT_TRUE(log.reader().prepare_wait_data());
    EXPECT_TRUE(send(log, {"a"}));
    EXPECT_FALSE(send(log, {"b"}));
    EXPECT_FALSE(log.reader().prepare_wait_data());
    EXPECT_EQ(receive(log), message{"b"});
    EXPECT_TRUE(log.reader().prepare_wait_data());
}

TEST(MessageQueueConflating, RollbackForgetsWhatIsNotCommitted) {
    message_queue log(0, keep_rule::latest_frame);
    send(log, {"old"});
    buffer *body = buffer::allocate(10);
    ASSERT_TRUE(log.writer().write({body->data(), 10, 0, body}));
    log.writer().rollback();
    EXPECT_FALSE(body->shared());
    body->release();
    EXPECT_EQ(receive(log), message{"old"});
}

// Receives `bytes`, which then stand at the front.
void bring(receive_window &window, const std::string &bytes) {
    const receive_window::room room = window.space(bytes.size());
    ASSERT_GE(room.log.size(), bytes.size());
    std::memcpy(room.log.data(), bytes.data(), bytes.size());
    window.received(bytes.size());
}

void accept(receive_window &window, const std::string &body, bool more) {
    const std::string bytes = wire_frame(body, more);
    bring(window, bytes);
    window.accept(bytes.size(), more);
}

void cut(receive_window &window, const std::string &body) {
    const std::string bytes = wire_frame(body, false, frame_flag::command);
    bring(window, bytes);
    window.cut(bytes.size());
}

TEST(MessageQueueCutting, CommandsBetweenFramesAreGone) {
    message_queue log;
    receive_window window(log.writer());
    cut(window, "first");
    accept(window, "a", false);
    cut(window, "between messages");
    accept(window, "b", true);
    cut(window, body_of(600));
    cut(window, "");
    accept(window, "c", false);
    (void)window.commit();
    EXPECT_EQ(receive(log), message{"a"});
    EXPECT_EQ(log.writer().depth(), 1U);
    EXPECT_EQ(receive(log), (message{"b", "c"}));
    EXPECT_EQ(log.writer().depth(), 0U);
    EXPECT_TRUE(log.reader().prepare_wait_data());
}

TEST(MessageQueueCutting, CommandsAloneAreNothingToRead) {
    message_queue log;
    receive_window window(log.writer());
    ASSERT_TRUE(log.reader().prepare_wait_data());
    for (int count = 0; count < 100; ++count) {
        cut(window, "command");
        EXPECT_FALSE(window.commit());
    }
    EXPECT_FALSE(log.reader().has_message());
    accept(window, "a", false);
    cut(window, "command");
    EXPECT_TRUE(window.commit());
    EXPECT_EQ(receive_all(log), std::vector<message>{{"a"}});
    EXPECT_FALSE(log.reader().has_message());
    EXPECT_TRUE(log.reader().prepare_wait_data());
}

// Frames that were received together are cut and accepted in place, and are whole.
TEST(MessageQueueCutting, FramesBehindCommandsMoveUp) {
    message_queue log;
    receive_window window(log.writer());
    std::string bytes;
    std::vector<message> expected;
    for (int count = 0; count < 20; ++count) {
        const std::string body = body_of(static_cast<std::size_t>(count));
        bytes += wire_frame("command", false, frame_flag::command) + wire_frame(body, false);
        expected.push_back({body});
    }
    const std::size_t command = wire_frame("command", false).size();
    ASSERT_LE(bytes.size(), window.space(bytes.size()).log.size());
    bring(window, bytes);
    for (const message &one : expected) {
        window.cut(command);
        window.accept(wire_frame(one[0], false).size(), false);
    }
    EXPECT_EQ(window.pending().size(), 0U);
    (void)window.commit();
    EXPECT_EQ(log.reader().bytes_waiting(), bytes.size() - expected.size() * command);
    EXPECT_EQ(receive_all(log), expected);
}

// ---- a writer that is throttled

const std::string quarter_mib = body_of(256 * 1024);

TEST(MessageQueuePacing, AReaderThatDoesNothingIsWaitedForOncePerMebibyte) {
    message_queue log;
    int waits = 0;
    for (int count = 0; count < 32; ++count) { // 8 MiB
        send(log, {quarter_mib});
        if (!log.writer().take_throttle_check())
            continue;
        ++waits;
        log.writer().throttle(count % 2 == 0);
    }
    EXPECT_GE(waits, 5);
    EXPECT_LE(waits, 8);
}

TEST(MessageQueuePacing, AWriterThatWasCaughtUpWithIsFarAheadAtSixteenBodiesAgain) {
    message_queue log;
    for (int round = 0; round < 3; ++round) {
        int ahead = 0;
        for (; !log.writer().take_throttle_check(); ++ahead)
            send(log, {quarter_mib});
        EXPECT_EQ(ahead, 16); // with their headers a little more
        log.writer().throttle(false);
        send(log, {quarter_mib});
        EXPECT_FALSE(log.writer().take_throttle_check());
        EXPECT_EQ(receive_all(log).size(), 17U);
    }
}

} // namespace
} // namespace zlink::message_queue_test
