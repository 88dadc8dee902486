// SPDX-License-Identifier: MPL-2.0
#include "queue/message_queue.hpp"

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

// Around every size where the way of a body changes: header forms, the first segments, by copy or by
// reference.
const std::size_t sizes[] = {0,    1,     2,     3,     63,    64,    127,   128,   254,  255,  256,
                             257,  400,   470,   478,   479,   480,   500,   501,   502,  503,  504,
                             511,  512,   513,   1000,  2000,  2048,  4096,  8190,  8191, 8192, 8193,
                             8194, 16384, 40000, 65527, 65535, 65536, 65537, 200000};

TEST(MessageQueue, IsEmptyAtFirst) {
    message_queue log;
    incoming_frame frame;
    EXPECT_FALSE(log.reader().read(frame));
    EXPECT_FALSE(log.reader().has_message());
    EXPECT_FALSE(log.writer().full());
    EXPECT_FALSE(log.writer().in_message());
    EXPECT_EQ(log.writer().depth(), 0U);
    EXPECT_TRUE(log.reader().prepare_wait_data());
    EXPECT_FALSE(log.reader().take_writer_wakeup());
    EXPECT_FALSE(log.writer().link().drops_oldest());
}

TEST(MessageQueue, KeepsEverySizeAsTheFirstMessage) {
    for (const std::size_t size : sizes) {
        message_queue log;
        send(log, {body_of(size)});
        EXPECT_EQ(receive(log), message{body_of(size)}) << size;
        EXPECT_FALSE(log.reader().has_message());
    }
}

TEST(MessageQueue, KeepsEverySizeBehindEveryOther) {
    for (const std::size_t first : sizes)
        for (const std::size_t second : sizes) {
            message_queue log;
            const std::vector<message> sent{{body_of(first)}, {body_of(second)}, {body_of(first, 1)}};
            for (const message &each : sent)
                send(log, each);
            ASSERT_EQ(receive_all(log), sent) << first << " " << second;
        }
}

// Messages that send_fast() and receive_few() or receive_plain() take go through; others go the other way.
bool send_fast(message_queue &log, const std::string &body) {
    const queue_writer::cached sent =
        log.writer().send_fast(reinterpret_cast<const std::uint8_t *>(body.data()), body.size());
    if (sent == queue_writer::cached::unfenced) {
        EXPECT_FALSE(log.writer().fence_and_wake());
    }
    return sent != queue_writer::cached::refused;
}
message receive_fast(message_queue &log) {
    std::string body(large_body, ' ');
    auto *to = reinterpret_cast<std::uint8_t *>(body.data());
    std::size_t size = log.reader().receive_few(to, body.size());
    if (size == queue_reader::refused)
        size = log.reader().receive_plain(to, body.size());
    return size == queue_reader::refused ? receive(log) : message{body.substr(0, size)};
}

TEST(MessageQueue, CarriesEverySizeOnTheCachedRoute) {
    for (const std::size_t first : sizes)
        for (const std::size_t second : sizes) {
            message_queue log;
            for (const std::size_t size : {first, second, first}) {
                const std::string body = body_of(size);
                if (size > large_body || !send_fast(log, body))
                    send(log, {body});
            }
            EXPECT_EQ(log.writer().depth(), 3U);
            for (const std::size_t size : {first, second, first})
                ASSERT_EQ(receive_fast(log), message{body_of(size)}) << first << " " << second;
            EXPECT_EQ(log.writer().depth(), 0U);
            EXPECT_FALSE(log.reader().has_message());
        }
}

TEST(MessageQueue, RefusesOnTheCachedRouteWhatIsMoreThanAFrame) {
    message_queue log;
    EXPECT_FALSE(send_fast(log, "there is no segment yet"));
    send(log, {"two", "frames"});
    send(log, {body_of(large_body + 1)});
    std::string room(large_body, ' ');
    auto *const nothing = reinterpret_cast<std::uint8_t *>(room.data());
    ASSERT_TRUE(log.reader().has_message());
    EXPECT_EQ(log.reader().receive_few(nothing, 0), queue_reader::refused);
    EXPECT_EQ(log.reader().receive_plain(nothing, 0), queue_reader::refused);
    EXPECT_EQ(receive(log), (message{"two", "frames"}));
    EXPECT_EQ(log.reader().receive_plain(nothing, 0), queue_reader::refused);
    EXPECT_EQ(receive(log), (message{body_of(large_body + 1)}));
    EXPECT_EQ(log.reader().receive_plain(nothing, 0), queue_reader::refused);
}

TEST(MessageQueue, RefusesOnTheCachedRouteWhatExceedsTheMark) {
    message_queue log(2);
    send(log, {"first"});
    EXPECT_TRUE(send_fast(log, "second"));
    EXPECT_FALSE(send_fast(log, "third"));
    EXPECT_EQ(receive_fast(log), message{"first"});
    EXPECT_FALSE(log.writer().full());
    EXPECT_TRUE(send_fast(log, "third"));
}

TEST(MessageQueue, CutsOnTheCachedRouteWhatHasNoRoom) {
    message_queue log;
    const std::string sent = body_of(40);
    for (int count = 0; count < 3; ++count)
        send(log, {sent});
    EXPECT_EQ(receive(log), message{sent}); // the first one also looks for a writer that waits
    for (const bool few : {true, false}) {
        std::string room(100, ' ');
        auto *to = reinterpret_cast<std::uint8_t *>(room.data());
        EXPECT_EQ(few ? log.reader().receive_few(to, 10) : log.reader().receive_plain(to, 10), sent.size());
        EXPECT_EQ(room, sent.substr(0, 10) + std::string(90, ' '));
    }
}

TEST(MessageQueue, WakesOnTheCachedRouteAReaderThatSleeps) {
    message_queue log;
    send(log, {"first"});
    EXPECT_EQ(receive(log), message{"first"});
    ASSERT_TRUE(log.reader().prepare_wait_data());
    const std::string body = "second";
    ASSERT_EQ(log.writer().send_fast(reinterpret_cast<const std::uint8_t *>(body.data()), body.size()),
              queue_writer::cached::unfenced);
    EXPECT_TRUE(log.writer().fence_and_wake());
    EXPECT_EQ(receive_fast(log), message{body});
}

TEST(MessageQueue, FillsSegmentsToTheLastByte) {
    // Whatever is left of the first segment, the next message goes where it belongs.
    for (std::size_t left = 0; left < 300; ++left) {
        message_queue log;
        const std::vector<message> sent{{body_of(200)},  {body_of(200 - left / 2)},
                                        {body_of(left)}, {body_of(left / 2)},
                                        {body_of(255)},  {body_of(256)}};
        for (const message &each : sent)
            send(log, each);
        ASSERT_EQ(receive_all(log), sent) << left;
    }
}

TEST(MessageQueue, TakesAnEmptyBodyWithoutData) {
    message_queue log;
    ASSERT_TRUE(log.writer().write({nullptr, 0, 0, nullptr}));
    EXPECT_FALSE(log.writer().commit());
    ASSERT_TRUE(log.writer().write({nullptr, 0, frame_flag::more, nullptr}));
    ASSERT_TRUE(log.writer().write({nullptr, 0, 0, nullptr}));
    EXPECT_FALSE(log.writer().commit());
    EXPECT_EQ(receive(log), message{""});
    EXPECT_EQ(receive(log), (message{"", ""}));
}

TEST(MessageQueue, SmallDataStaysUntilTheNextCall) {
    message_queue log;
    send(log, {"first"});
    send(log, {"second"});
    incoming_frame frame;
    ASSERT_TRUE(log.reader().read(frame));
    EXPECT_EQ(frame.owner, nullptr);
    EXPECT_FALSE(frame.constant);
    send(log, {body_of(30000)});
    EXPECT_EQ(std::string_view(reinterpret_cast<const char *>(frame.data), frame.size), "first");
}

TEST(MessageQueue, CommandsKeepTheirFlag) {
    for (const std::size_t size : {std::size_t{3}, std::size_t{300}, std::size_t{30000}}) {
        message_queue log;
        const std::string body = body_of(size);
        outgoing_frame command = frame_of(body);
        command.flags = frame_flag::command;
        ASSERT_TRUE(log.writer().write(command));
        EXPECT_FALSE(log.writer().commit());
        incoming_frame frame;
        ASSERT_TRUE(log.reader().read(frame));
        EXPECT_EQ(frame.flags, frame_flag::command);
        EXPECT_TRUE(frame.command());
        EXPECT_FALSE(frame.more());
        EXPECT_EQ(take_body(frame), body);
        EXPECT_EQ(log.writer().depth(), 0U);
    }
}

TEST(MessageQueue, LargeBodiesWithAnOwnerAreNotCopied) {
    message_queue log;
    buffer *body = buffer::allocate(large_body + 1);
    std::memset(body->data(), 'x', body->size());
    ASSERT_TRUE(log.writer().write({body->data(), body->size(), 0, body}));
    EXPECT_TRUE(body->shared());
    EXPECT_FALSE(log.writer().commit());
    incoming_frame frame;
    ASSERT_TRUE(log.reader().read(frame));
    EXPECT_EQ(frame.data, body->data());
    EXPECT_EQ(frame.owner, body);
    EXPECT_FALSE(frame.constant);
    frame.drop();
    EXPECT_FALSE(body->shared());
    body->release();
}

TEST(MessageQueue, SmallBodiesWithAnOwnerAreCopied) {
    message_queue log;
    buffer *body = buffer::allocate(large_body);
    ASSERT_TRUE(log.writer().write({body->data(), body->size(), 0, body}));
    EXPECT_FALSE(body->shared());
    body->release();
}

TEST(MessageQueue, LargeConstantBodiesAreNeitherCopiedNorOwned) {
    message_queue log;
    const std::string body = body_of(large_body + 1);
    outgoing_frame constant = frame_of(body);
    constant.constant = true;
    ASSERT_TRUE(log.writer().write(constant));
    EXPECT_FALSE(log.writer().commit());
    incoming_frame frame;
    ASSERT_TRUE(log.reader().read(frame));
    EXPECT_EQ(static_cast<const void *>(frame.data), body.data());
    EXPECT_EQ(frame.owner, nullptr);
    EXPECT_TRUE(frame.constant);
}

int freed = 0;
void count_free(void *, void *) {
    ++freed;
}

TEST(MessageQueue, ReleasesWhatNobodyRead) {
    freed = 0;
    std::string memory = body_of(20000);
    {
        message_queue log;
        for (int count = 0; count < 100; ++count) { // over many segments; the last ones stay uncommitted
            buffer *body = buffer::adopt(memory.data(), memory.size(), count_free, nullptr);
            ASSERT_TRUE(log.writer().write(frame_of(memory, count >= 95, body)));
            body->release();
            if (count < 95)
                (void)log.writer().commit();
        }
        for (int count = 0; count < 40; ++count)
            receive(log);
        EXPECT_EQ(freed, 40);
    }
    EXPECT_EQ(freed, 100);
}

// A lent body goes back when it has been read, or written, whatever its size.
TEST(MessageQueue, LentBodiesGoByReferenceAtEverySize) {
    for (const std::size_t size : {1U, 255U, 256U, 8192U, 8193U}) {
        freed = 0;
        const std::string memory = body_of(size);
        buffer *body = buffer::adopt(const_cast<char *>(memory.data()), size, count_free, nullptr);
        message_queue log;
        outgoing_frame lent = frame_of(memory, false, body);
        lent.flags |= frame_flag::lent;
        ASSERT_TRUE(log.writer().write(lent));
        body->release();
        (void)log.writer().commit();
        send(log, {"behind"});
        EXPECT_EQ(freed, 0) << size;
        incoming_frame frame;
        ASSERT_TRUE(log.reader().read(frame));
        EXPECT_EQ(frame.data, reinterpret_cast<const std::uint8_t *>(memory.data())) << size;
        EXPECT_EQ(frame.flags, 0);
        EXPECT_EQ(take_body(frame), memory);
        EXPECT_EQ(freed, 1) << size;
        EXPECT_EQ(receive(log), message{"behind"});
    }
}

TEST(MessageQueue, NothingIsSeenBeforeCommit) {
    message_queue log;
    write_uncommitted(log, {"one", body_of(9000), body_of(300)});
    EXPECT_TRUE(log.writer().in_message());
    EXPECT_FALSE(log.reader().has_message());
    EXPECT_EQ(log.writer().depth(), 0U);
    EXPECT_FALSE(log.writer().commit());
    EXPECT_FALSE(log.writer().in_message());
    EXPECT_EQ(log.writer().depth(), 1U);
    EXPECT_EQ(receive(log), (message{"one", body_of(9000), body_of(300)}));
}

TEST(MessageQueue, MultipartGoesOverSegmentEnds) {
    for (std::size_t part = 1; part < 1200; part = part * 5 / 4 + 1) {
        message_queue log;
        message parts;
        for (unsigned count = 0; count < 40; ++count)
            parts.push_back(body_of(part, count));
        send(log, {"before"});
        send(log, parts);
        send(log, {"behind"});
        EXPECT_EQ(receive_all(log), (std::vector<message>{{"before"}, parts, {"behind"}})) << part;
    }
}

TEST(MessageQueue, RollbackTakesBackTheUnfinishedMessageOnly) {
    for (std::size_t part = 1; part < 20000; part = part * 5 / 4 + 1)
        for (unsigned parts = 1; parts < 30; parts += 4) {
            message_queue log;
            send(log, {"before"});
            for (unsigned count = 0; count < parts; ++count)
                ASSERT_TRUE(log.writer().write(frame_of(body_of(part, count), true)));
            log.writer().rollback();
            EXPECT_FALSE(log.writer().in_message());
            send(log, {body_of(part, 99)});
            ASSERT_EQ(receive_all(log), (std::vector<message>{{"before"}, {body_of(part, 99)}}))
                << parts << " of " << part;
        }
}

TEST(MessageQueue, RollbackReleasesBodies) {
    freed = 0;
    std::string memory = body_of(20000);
    message_queue log;
    send(log, {"before"});
    for (int count = 0; count < 100; ++count) {
        buffer *body = buffer::adopt(memory.data(), memory.size(), count_free, nullptr);
        ASSERT_TRUE(log.writer().write(frame_of(memory, true, body)));
        body->release();
    }
    EXPECT_EQ(freed, 0);
    log.writer().rollback();
    EXPECT_EQ(freed, 100);
    send(log, {"behind"});
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"before"}, {"behind"}}));
}

// An empty segment is left behind when its first message is rolled back and the next frame is too big for it.
// There are two in a row when that happens again.
TEST(MessageQueue, ReadsOverEmptySegments) {
    for (const bool read_between : {false, true}) {
        message_queue log;
        std::vector<message> sent;
        if (read_between) {
            sent.push_back({body_of(255)});
            send(log, sent[0]);
            EXPECT_EQ(receive(log), sent[0]);
            sent.clear();
        }
        for (const std::size_t size : {std::size_t{10}, std::size_t{3000}, std::size_t{7000}}) {
            ASSERT_TRUE(log.writer().write(frame_of(body_of(size), true)));
            log.writer().rollback();
        }
        EXPECT_FALSE(log.reader().has_message());
        EXPECT_TRUE(log.reader().prepare_wait_data());
        sent.push_back({body_of(8192)});
        EXPECT_TRUE(send(log, sent[0]));
        EXPECT_EQ(receive_all(log), sent);
    }
}

TEST(MessageQueue, RollbackWithoutAMessageDoesNothing) {
    message_queue log;
    log.writer().rollback();
    send(log, {"kept"});
    log.writer().rollback();
    EXPECT_EQ(receive(log), message{"kept"});
}

TEST(MessageQueue, GoesOnForManySegments) {
    message_queue log;
    for (unsigned round = 0; round < 2000; ++round) {
        const message sent{body_of(round % 600, round), body_of(round % 37, round)};
        send(log, sent);
        if (round % 3 != 0)
            send(log, sent);
        ASSERT_EQ(receive(log), sent);
        if (round % 3 != 0) {
            ASSERT_EQ(receive(log), sent);
        }
    }
    EXPECT_FALSE(log.reader().has_message());
}

// A delimiter and the frame behind it are a message as if they had been written one by one.
TEST(MessageQueue, CarriesEverySizeBehindADelimiter) {
    for (const std::size_t first : sizes)
        for (const std::size_t second : sizes) {
            message_queue log;
            for (const std::size_t size : {first, second, first}) {
                const std::string body = body_of(size);
                if (log.writer().write_delimited(frame_of(body)))
                    EXPECT_FALSE(log.writer().commit());
                else
                    send(log, {"", body});
            }
            EXPECT_EQ(log.writer().depth(), 3U);
            for (const std::size_t size : {first, second, first}) {
                const message sent{"", body_of(size)};
                if (size == second) {
                    ASSERT_EQ(receive(log), sent) << first << " " << second;
                } else {
                    ASSERT_TRUE(log.reader().has_message() && log.reader().delimiter_is_next());
                    log.reader().pass_delimiter();
                    ASSERT_EQ(receive(log), message{body_of(size)}) << first << " " << second;
                }
            }
            EXPECT_FALSE(log.reader().has_message());
        }
}

TEST(MessageQueue, TakesOnlyADelimiterForOne) {
    for (const message &other :
         {message{"x", "body"}, message{""}, message{"body"}, message{body_of(300), "m"}}) {
        message_queue log;
        send(log, other);
        ASSERT_TRUE(log.reader().has_message());
        EXPECT_FALSE(log.reader().delimiter_is_next());
        EXPECT_EQ(receive(log), other);
    }
}

// In the middle of a message, and of a body that travels by reference, nothing is written.
TEST(MessageQueue, WritesADelimiterWhereAMessageBegins) {
    message_queue log;
    send(log, {"m"});
    EXPECT_FALSE(log.writer().write_delimited(frame_of(body_of(large_body + 1))));
    EXPECT_FALSE(log.writer().write_delimited(frame_of("one", true)));
    ASSERT_TRUE(log.writer().write(frame_of("id", true)));
    EXPECT_FALSE(log.writer().write_delimited(frame_of("body")));
    ASSERT_TRUE(log.writer().write(frame_of("body")));
    EXPECT_FALSE(log.writer().commit());
    EXPECT_EQ(receive(log), message{"m"});
    EXPECT_EQ(receive(log), (message{"id", "body"}));
}

// It pauses where it has read many messages one by one: nothing is lost, nor found where there is nothing.
TEST(MessageQueue, ATrailingReaderFindsEveryMessage) {
    message_queue log;
    log.reader().enable_backoff();
    for (unsigned round = 0; round < 300; ++round) {
        send(log, {body_of(round % 90, round)});
        ASSERT_EQ(receive(log), message{body_of(round % 90, round)});
        if (round % 100 == 0) {
            ASSERT_FALSE(log.reader().has_message());
            ASSERT_TRUE(log.reader().prepare_wait_data());
        }
    }
    EXPECT_FALSE(log.reader().has_message());
    EXPECT_EQ(log.writer().depth(), 0U);
}

// A reader that has found messages for long says so to the writer, and takes it back before it sleeps.
TEST(MessageQueue, AStreamEndsBeforeTheReaderSleeps) {
    enable_asymmetric_fence();
    message_queue log;
    log.reader().enable_backoff();
    for (int round = 0; round < 3; ++round) {
        for (int count = 0; count < 2000; ++count) {
            ASSERT_FALSE(send(log, {"m"})) << "nobody sleeps";
            ASSERT_EQ(receive(log), message{"m"});
        }
        write_uncommitted(log, {"m"});
        EXPECT_EQ(log.writer().commit_unfenced(), !has_asymmetric_fence()) << "the reader streams";
        ASSERT_EQ(receive(log), message{"m"});
        ASSERT_TRUE(log.reader().prepare_wait_data());
        EXPECT_TRUE(send(log, {"m"})) << "it is to be woken";
        ASSERT_EQ(receive(log), message{"m"});
        write_uncommitted(log, {"m"});
        EXPECT_TRUE(log.writer().commit_unfenced()) << "it may sleep at any time";
        ASSERT_EQ(receive(log), message{"m"});
    }
}

// A stream that has run dry is waited for before it ends: what comes meanwhile goes on with it.
TEST(MessageQueue, AStreamThatGoesOnNeedsNoWakeup) {
    enable_asymmetric_fence();
    message_queue log;
    log.reader().enable_backoff();
    for (int count = 0; count < 2000; ++count) {
        send(log, {"m"});
        ASSERT_EQ(receive(log), message{"m"});
    }
    send(log, {"m"});
    EXPECT_FALSE(log.reader().prepare_wait_data());
    write_uncommitted(log, {"m"});
    EXPECT_EQ(log.writer().commit_unfenced(), !has_asymmetric_fence());
    EXPECT_EQ(receive_all(log).size(), 2U);
}

} // namespace
} // namespace zlink::message_queue_test
