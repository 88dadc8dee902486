// SPDX-License-Identifier: MPL-2.0
#include "queue/write_cursor.hpp"

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

// Several segments, references at their beginning, in their middle and at their end, multipart over segment
// ends.
std::vector<message> mixed_messages() {
    return {{"a"},
            {""},
            {"b", body_of(300), ""},
            {body_of(255), body_of(100)},
            {body_of(large_body + 1)},
            {"c"},
            {"d", body_of(large_body + 3, 1), "e"},
            {body_of(large_body + 2, 2), body_of(large_body + 5, 3)},
            {body_of(700), body_of(700, 1), body_of(700, 2), body_of(700, 3)},
            {"f", body_of(large_body + 1, 4)},
            {body_of(large_body, 5)},
            {"end"}};
}

void send_all(message_queue &to, const std::vector<message> &messages) {
    for (const message &each : messages)
        send(to, each);
}

TEST(Gather, IsEmptyAtFirst) {
    message_queue log;
    write_cursor cursor(log.reader());
    byte_range piece;
    EXPECT_EQ(cursor.ranges({&piece, 1}, 1000), 0U);
    cursor.rewind();
    EXPECT_EQ(cursor.ranges({&piece, 1}, 1000), 0U);
    EXPECT_TRUE(log.reader().prepare_wait_data());
}

TEST(Gather, GivesEverySizeAsOnTheWire) {
    for (const unsigned size :
         {0U, 1U, 255U, 256U, 500U, 511U, 512U, 8191U, 8192U, 8193U, 65535U, 65536U, 300000U}) {
        message_queue log;
        write_cursor cursor(log.reader());
        send(log, {"before"});
        send(log, {body_of(size), body_of(size)});
        send(log, {"behind"});
        EXPECT_EQ(write_all(cursor),
                  wire_all(std::vector<message>{{"before"}, {body_of(size), body_of(size)}, {"behind"}}));
    }
}

TEST(Gather, AskingAgainGivesTheSame) {
    message_queue log;
    write_cursor cursor(log.reader());
    send_all(log, mixed_messages());
    std::vector<byte_range> first(100);
    std::vector<byte_range> second(100);
    const std::size_t count = cursor.ranges(first, 1 << 20);
    ASSERT_EQ(cursor.ranges(second, 1 << 20), count);
    for (std::size_t index = 0; index < count; ++index) {
        EXPECT_EQ(first[index].data, second[index].data);
        EXPECT_EQ(first[index].size, second[index].size);
    }
    EXPECT_EQ(write_all(cursor), wire_all(mixed_messages()));
}

TEST(Gather, CreditsEachLargeMessageWhenItIsWritten) {
    message_queue log(3);
    write_cursor cursor(log.reader());
    for (unsigned count = 0; count < 3; ++count)
        send(log, {"head", body_of(large_body + 1, count)});
    ASSERT_TRUE(log.writer().full());
    for (int written = 0; written < 3; ++written) {
        std::vector<byte_range> pieces(2);
        ASSERT_EQ(cursor.ranges(pieces, 1 << 20), 2U);
        cursor.advance(pieces[0].size + pieces[1].size - 1);
        EXPECT_EQ(log.writer().depth(), 3U) << "all but a byte";
        cursor.advance(1);
        EXPECT_EQ(log.writer().depth(), 2U);
        EXPECT_EQ(cursor.in_batch(), written != 2);
        send(log, {"one more", body_of(large_body + 1)});
    }
    cursor.rewind();
    EXPECT_TRUE(log.writer().full());
    write_all(cursor);
    EXPECT_TRUE(log.reader().prepare_wait_data());
}

TEST(Gather, StopsNearTheMost) {
    message_queue log;
    write_cursor cursor(log.reader());
    for (int count = 0; count < 100; ++count)
        send(log, {body_of(20000)});
    std::vector<byte_range> pieces(300);
    EXPECT_EQ(cursor.ranges(pieces, 1), 1U);
    std::size_t total = 0;
    const std::size_t count = cursor.ranges(pieces, 100000);
    for (std::size_t index = 0; index < count; ++index)
        total += pieces[index].size;
    EXPECT_GE(total, 100000U);
    EXPECT_LT(total, 130000U);
    EXPECT_EQ(cursor.ranges({pieces.data(), 3}, 1 << 30), 3U);
}

TEST(Gather, LargeBodiesStandAlone) {
    message_queue log;
    write_cursor cursor(log.reader());
    buffer *body = buffer::allocate(20000);
    std::memset(body->data(), 'x', body->size());
    send(log, {"before"});
    ASSERT_TRUE(log.writer().write({body->data(), body->size(), 0, body}));
    (void)log.writer().commit();
    std::vector<byte_range> pieces(8);
    ASSERT_EQ(cursor.ranges(pieces, 1 << 20), 2U);
    EXPECT_EQ(pieces[0].size, 2 + 6 + 9U);
    EXPECT_EQ(pieces[1].data, body->data());
    EXPECT_EQ(pieces[1].size, body->size());
    cursor.advance(17);
    EXPECT_TRUE(body->shared());
    cursor.advance(19999);
    EXPECT_TRUE(body->shared());
    cursor.advance(1);
    EXPECT_FALSE(body->shared()) << "released as soon as it is written";
    body->release();
}

TEST(Gather, LentBodiesGoBackWhenTheyAreWritten) {
    static int freed;
    freed = 0;
    message_queue log;
    write_cursor cursor(log.reader());
    std::string memory = "lent";
    buffer *body = buffer::adopt(
        memory.data(), memory.size(), [](void *, void *) { ++freed; }, nullptr);
    outgoing_frame lent = frame_of(memory, true, body);
    lent.flags |= frame_flag::lent;
    ASSERT_TRUE(log.writer().write(lent));
    body->release();
    ASSERT_TRUE(log.writer().write(frame_of("last")));
    (void)log.writer().commit();
    std::vector<byte_range> pieces(8);
    ASSERT_EQ(cursor.ranges(pieces, 1 << 20), 3U);
    EXPECT_EQ(std::string(reinterpret_cast<const char *>(pieces[0].data), pieces[0].size),
              std::string("\3\0\0\0\0\0\0\0\4", 9))
        << "a long header, and MORE";
    EXPECT_EQ(static_cast<const void *>(pieces[1].data), memory.data());
    EXPECT_EQ(freed, 0);
    cursor.advance(9 + 4 + 2 + 4);
    EXPECT_EQ(freed, 1);
    EXPECT_FALSE(log.reader().has_message());
}

TEST(Gather, WritesMayBeOfAnySize) {
    const std::string expected = wire_all(mixed_messages());
    for (std::size_t step = 1; step <= expected.size(); step = step < 40 ? step + 1 : step * 9 / 8)
        for (const std::size_t pieces : {1U, 2U, 64U}) {
            message_queue log;
            write_cursor cursor(log.reader());
            send_all(log, mixed_messages());
            ASSERT_EQ(write_all(cursor, step, pieces), expected) << step << " bytes, " << pieces << " pieces";
            ASSERT_EQ(log.writer().depth(), 0U);
            ASSERT_TRUE(log.reader().prepare_wait_data());
        }
}

TEST(Gather, CreditsAWholeBatchOfSmallMessages) {
    message_queue log(12);
    write_cursor cursor(log.reader());
    const std::vector<message> small(12, {"head", body_of(700)});
    send_all(log, small);
    ASSERT_TRUE(log.writer().full());
    ASSERT_TRUE(log.writer().prepare_wait_room());
    const std::size_t size = wire_all(small).size();
    ASSERT_EQ(write_part(cursor, size - 1, 64).size(), size - 1);
    EXPECT_EQ(log.writer().depth(), 12U);
    EXPECT_TRUE(log.writer().full());
    EXPECT_FALSE(log.reader().take_writer_wakeup());
    ASSERT_EQ(write_part(cursor, 1).size(), 1U);
    EXPECT_EQ(log.writer().depth(), 0U);
    EXPECT_FALSE(log.writer().full());
    EXPECT_TRUE(log.reader().take_writer_wakeup());
    EXPECT_FALSE(log.reader().take_writer_wakeup());
}

TEST(Gather, ABatchIsWhatWasCommittedWhenItBegan) {
    message_queue log;
    write_cursor cursor(log.reader());
    send(log, {"a"});
    ASSERT_EQ(write_part(cursor, 1).size(), 1U);
    send(log, {"b"});
    EXPECT_EQ(write_part(cursor, 100), wire({"a"}).substr(1));
    EXPECT_EQ(log.writer().depth(), 1U);
    EXPECT_FALSE(log.reader().prepare_wait_data());
    EXPECT_EQ(write_part(cursor, 100), wire({"b"}));
    EXPECT_EQ(log.writer().depth(), 0U);
    EXPECT_TRUE(log.reader().prepare_wait_data());
}

TEST(Gather, DoesNotGiveWhatIsNotCommitted) {
    message_queue log;
    write_cursor cursor(log.reader());
    send(log, {"a"});
    write_uncommitted(log, {"b", body_of(9000), body_of(800)});
    EXPECT_EQ(write_all(cursor), wire({"a"}));
    EXPECT_TRUE(log.reader().prepare_wait_data());
    log.writer().rollback();
    write_uncommitted(log, {body_of(9001), body_of(9002)});
    EXPECT_EQ(write_all(cursor), "");
    EXPECT_TRUE(log.writer().commit());
    EXPECT_EQ(write_all(cursor), wire({body_of(9001), body_of(9002)}));
}

TEST(Gather, GoesOverEmptySegments) {
    message_queue log;
    write_cursor cursor(log.reader());
    send(log, {"a"});
    EXPECT_EQ(write_all(cursor), wire({"a"}));
    for (const std::size_t size : {10U, 3000U, 7000U}) {
        write_uncommitted(log, {body_of(size), ""}); // its bytes stay, and look like a message
        log.writer().rollback();
    }
    const message over_two_segments(8, body_of(8192));
    send(log, over_two_segments);
    // In one step from before the empty segments to the second segment of the message, which begins behind
    // them.
    EXPECT_EQ(write_part(cursor, 50000).size(), 50000U);
    cursor.rewind();
    EXPECT_EQ(write_all(cursor), wire(over_two_segments));
}

// The bytes to be sent again begin with the first message that did not go out whole.
std::string rest_from(const std::vector<message> &messages, std::size_t written) {
    std::size_t end = 0;
    std::size_t first = 0;
    while (first < messages.size() && (end += wire(messages[first]).size()) <= written)
        ++first;
    return wire_all(
        std::vector<message>(messages.begin() + static_cast<std::ptrdiff_t>(first), messages.end()));
}

TEST(Gather, RewindsToTheFirstMessageNotWrittenWhole) {
    const std::vector<message> messages = mixed_messages();
    const std::size_t size = wire_all(messages).size();
    for (std::size_t written = 0; written < size; ++written) {
        message_queue log(100);
        write_cursor cursor(log.reader());
        send_all(log, messages);
        ASSERT_EQ(write_part(cursor, written, 64).size(), written);
        cursor.rewind();
        ASSERT_EQ(write_all(cursor), rest_from(messages, written)) << written;
        ASSERT_EQ(log.writer().depth(), 0U);
        ASSERT_TRUE(log.reader().prepare_wait_data());
    }
}

TEST(Gather, RewindsAfterSmallWrites) {
    const std::vector<message> messages = mixed_messages();
    const std::size_t size = wire_all(messages).size();
    for (std::size_t step = 1; step < 20000; step = step * 3 + 1)
        for (std::size_t written = step; written < size; written += std::max(step, size / 97)) {
            message_queue log;
            write_cursor cursor(log.reader());
            send_all(log, messages);
            std::size_t done = 0;
            while (done < written)
                done += write_part(cursor, std::min(step, written - done)).size();
            cursor.rewind();
            ASSERT_EQ(write_all(cursor, step), rest_from(messages, written)) << written << " by " << step;
        }
}

TEST(Gather, RewindsAgainAndAgain) {
    std::vector<message> messages = mixed_messages();
    message_queue log;
    write_cursor cursor(log.reader());
    send_all(log, messages);
    for (std::size_t cut = 1; !messages.empty(); cut = cut % 11000 * 2 + 1) {
        const std::string written = write_part(cursor, cut, 64);
        ASSERT_EQ(written, wire_all(messages).substr(0, cut));
        cursor.rewind();
        std::size_t end = 0;
        while (!messages.empty() && (end += wire(messages[0]).size()) <= cut)
            messages.erase(messages.begin());
        send(log, {"more"}); // belongs to the next batch
        messages.push_back({"more"});
        if (cut > 10000)
            break;
    }
    EXPECT_EQ(write_all(cursor), wire_all(messages));
    EXPECT_EQ(log.writer().depth(), 0U);
}

TEST(Gather, SegmentsGoBackWhileABatchIsUnderWay) {
    message_queue log;
    write_cursor cursor(log.reader());
    std::vector<buffer *> bodies;
    for (int count = 0; count < 100; ++count) {
        buffer *body = buffer::allocate(20000);
        std::memset(body->data(), 'x', body->size());
        ASSERT_TRUE(log.writer().write({body->data(), body->size(), frame_flag::more, body}));
        bodies.push_back(body);
        const std::string tail = body_of(3000);
        ASSERT_TRUE(log.writer().write(frame_of(tail)));
        (void)log.writer().commit();
    }
    const std::size_t one = 9 + 20000 + 9 + 3000;
    ASSERT_EQ(write_part(cursor, 80 * one, 200).size(), 80 * one);
    int released = 0;
    for (const buffer *body : bodies)
        released += body->shared() ? 0 : 1;
    EXPECT_GT(released, 50) << "bodies of segments that were passed";
    EXPECT_LE(released, 80);
    EXPECT_EQ(log.writer().depth(), 100U) << "credit comes with the whole batch";
    cursor.rewind();
    EXPECT_EQ(write_all(cursor).size(), 20 * one);
    for (buffer *body : bodies) {
        EXPECT_FALSE(body->shared());
        body->release();
    }
}

TEST(Gather, MayStream) {
    enable_asymmetric_fence();
    message_queue log;
    write_cursor cursor(log.reader());
    log.reader().expect_busy();
    for (int count = 0; count < 2000; ++count) {
        ASSERT_FALSE(send(log, {"m"})) << "nobody sleeps";
        write_all(cursor);
    }
    write_uncommitted(log, {"m"});
    EXPECT_EQ(log.writer().commit_unfenced(), !has_asymmetric_fence());
    write_all(cursor);
    ASSERT_TRUE(log.reader().prepare_wait_data());
    EXPECT_TRUE(send(log, {"m"})) << "it is to be woken";
}

} // namespace
} // namespace zlink::message_queue_test
