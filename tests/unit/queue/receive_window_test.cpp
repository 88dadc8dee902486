// SPDX-License-Identifier: MPL-2.0
#include "queue/queue_writer.hpp"

#include <cstring>

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

std::vector<message> mixed_messages() {
    return {{"a"},
            {""},
            {"b", body_of(300), ""},
            {body_of(large_body + 1)},
            {body_of(large_body + 1, 1)},
            {"c"},
            {"d", body_of(20000, 2), "e"},
            {body_of(20000, 3), body_of(20001, 4)},
            {body_of(700), body_of(700, 1), body_of(700, 2), body_of(700, 3)},
            {body_of(large_body, 5)},
            {"f", body_of(large_body + 1, 6)},
            {body_of(100000, 7)},
            {body_of(30000, 8)},
            {body_of(30000, 9)},
            {body_of(30000, 10)},
            {body_of(30000, 11)},
            {"g"},
            {"", body_of(9000, 12)},
            {"", body_of(9000, 13)},
            {"", body_of(9000, 14)},
            {"h", body_of(9000, 15)},
            {"", body_of(9000, 16)},
            {"", body_of(9000, 17)},
            {body_of(9000, 18), "i"},
            {body_of(9000, 19)},
            {body_of(9000, 20)},
            {body_of(9001, 21)},
            {"end"}};
}

TEST(ReceiveWindow, TakesPiecesOfEverySize) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    for (std::size_t step = 1; step <= bytes.size() * 2; step = step < 600 ? step + 1 : step * 9 / 8) {
        message_queue log;
        receiver from_network(log);
        from_network.feed(bytes, step);
        ASSERT_EQ(log.writer().depth(), messages.size());
        ASSERT_EQ(receive_all(log), messages) << step;
        ASSERT_EQ(log.writer().depth(), 0U);
    }
}

TEST(ReceiveWindow, TakesEverySplitIntoTwo) {
    const std::vector<message> messages{
        {"a", body_of(300)}, {body_of(9000)}, {body_of(8500), "b"}, {body_of(600)}};
    const std::string bytes = wire_all(messages);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        message_queue log;
        receiver from_network(log);
        from_network.feed(std::string_view(bytes).substr(0, cut));
        from_network.feed(std::string_view(bytes).substr(cut));
        ASSERT_EQ(receive_all(log), messages) << cut;
    }
}

// A caller waits with memory for a body, gives up after each piece, and uses its memory for something else.
TEST(ReceiveWindow, NothingIsLostWithTheMemoryThatWasOffered) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    // Every byte of the offered memory is overwritten after each step: much memory takes few steps.
    for (const auto &[posted_size, first_step] :
         {std::pair<std::size_t, std::size_t>{8500, 1}, {20000, 1}, {200000, 40}})
        for (std::size_t step = first_step; step <= bytes.size() * 2;
             step = step < 20 ? step + 1 : step * 9 / 8) {
            message_queue log;
            queue_detail::placed_payload placed;
            receiver from_network(log, &placed);
            std::vector<std::uint8_t> posted(posted_size);
            for (std::size_t at = 0; at < bytes.size(); at += step) {
                from_network.window().post_receive({posted});
                from_network.feed(std::string_view(bytes).substr(at, step));
                from_network.window().end_receive();
                log.reader().end_receive(placed);
                // Not std::fill, which is slow under the thread sanitizer.
                std::memset(posted.data(), 0xEE, posted.size());
            }
            ASSERT_EQ(receive_all(log), messages) << posted_size << ", " << step;
        }
}

TEST(ReceiveWindow, ABodyIsReceivedWhereItIsWanted) {
    message_queue log;
    queue_detail::placed_payload placed;
    receiver from_network(log, &placed);
    std::vector<std::uint8_t> posted(30000);
    const std::string body = body_of(20000);
    const std::string bytes = wire({body}) + wire({"next"});
    incoming_frame frame;
    for (std::size_t begun = 0; begun <= 4000; begun += 100) { // before the memory is offered
        from_network.feed(std::string_view(bytes).substr(0, begun));
        from_network.window().post_receive({posted});
        from_network.feed(std::string_view(bytes).substr(begun));
        ASSERT_TRUE(log.reader().read(frame));
        EXPECT_EQ(frame.data, posted.data()) << begun;
        EXPECT_EQ(take_body(frame), body);
        from_network.window().end_receive();
        log.reader().end_receive(placed); // it was read: nothing is to be done
        ASSERT_EQ(receive(log), message{"next"});
    }
    from_network.window().post_receive({std::span(posted).first(19999)}); // too little
    from_network.feed(bytes);
    from_network.window().end_receive();
    ASSERT_TRUE(log.reader().read(frame));
    EXPECT_NE(frame.data, posted.data());
    EXPECT_EQ(take_body(frame), body);
}

TEST(ReceiveWindow, ABodyBehindAnotherMessageDoesNotLieWhereThatOneIsWanted) {
    message_queue log;
    queue_detail::placed_payload placed;
    receiver from_network(log, &placed);
    std::vector<std::uint8_t> posted(30000);
    from_network.window().post_receive({posted});
    from_network.feed(wire({"first"}) + wire({body_of(20000)}), 700);
    EXPECT_EQ(std::count(posted.begin(), posted.end(), 0), 30000);
    from_network.window().end_receive();
    log.reader().end_receive(placed);
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"first"}, {body_of(20000)}}));
}

// The frames before it have to be the envelope that was told of, and it has to be the last.
TEST(ReceiveWindow, ABodyBehindItsEnvelopeIsReceivedWhereItIsWanted) {
    const std::string body = body_of(20000);
    const std::vector<std::pair<message, bool>> cases{{{"", body}, true},
                                                      {{body}, false},
                                                      {{"x", body}, false},
                                                      {{"", "", body}, false},
                                                      {{"", body, "more"}, false}};
    std::vector<std::uint8_t> posted(30000);
    for (const auto &[parts, lands] : cases) {
        message_queue log;
        queue_detail::placed_payload placed;
        receiver from_network(log, &placed);
        from_network.window().post_receive({posted, 2});
        from_network.feed(wire(parts));
        incoming_frame frame;
        bool there = false;
        for (const std::string &part : parts) {
            ASSERT_TRUE(log.reader().read(frame));
            there |= frame.data == posted.data();
            EXPECT_EQ(take_body(frame), part);
        }
        EXPECT_EQ(there, lands);
        from_network.window().end_receive();
        log.reader().end_receive(placed);
    }
}

TEST(ReceiveWindow, TheLostConnectionsBodyLeavesTheMemoryThatWasOffered) {
    message_queue log;
    queue_detail::placed_payload placed;
    receiver from_network(log, &placed);
    std::vector<std::uint8_t> posted(30000);
    from_network.window().post_receive({posted});
    from_network.feed(std::string_view(wire({body_of(20000)})).substr(0, 15000));
    from_network.reset();
    from_network.window().end_receive();
    log.reader().end_receive(placed);
    from_network.feed(wire({body_of(10000, 3)}));
    EXPECT_EQ(receive(log), message{body_of(10000, 3)});
}

TEST(ReceiveWindow, ReaderMayFollowClosely) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    for (const std::size_t step : {1U, 7U, 100U, 511U, 5000U, 70000U}) {
        message_queue log;
        receiver from_network(log);
        std::vector<message> received;
        for (int round = 0; round < 5; ++round)
            for (std::size_t at = 0; at < bytes.size(); at += step) {
                from_network.feed(std::string_view(bytes).substr(at, step));
                for (message &each : receive_all(log))
                    received.push_back(std::move(each));
            }
        ASSERT_EQ(received.size(), 5 * messages.size());
        for (std::size_t index = 0; index < received.size(); ++index)
            ASSERT_EQ(received[index], messages[index % messages.size()]);
    }
}

TEST(ReceiveWindow, ManySmallMessagesCrossSegments) {
    std::vector<message> messages;
    for (unsigned count = 0; count < 3000; ++count)
        messages.push_back({body_of(count % 300, count)});
    const std::string bytes = wire_all(messages);
    for (const std::size_t step : {13U, 1000U, 4096U, 1000000U}) {
        message_queue log;
        receiver from_network(log);
        from_network.feed(bytes, step);
        ASSERT_EQ(receive_all(log), messages);
    }
}

TEST(ReceiveWindow, LargeBodiesArriveInBuffersOfTheirSize) {
    message_queue log;
    receiver from_network(log);
    from_network.feed(wire({body_of(100000)}), 4000);
    incoming_frame frame;
    ASSERT_TRUE(log.reader().read(frame));
    ASSERT_NE(frame.owner, nullptr);
    EXPECT_EQ(frame.owner->size(), 100000U);
    EXPECT_EQ(take_body(frame), body_of(100000));
}

// Whatever stands behind one large body, the header of the next one and its reference find room.
TEST(ReceiveWindow, LargeBodiesFollowEachOtherOverSegmentEnds) {
    for (std::size_t before = 0; before < 520; before += 3)
        for (const std::size_t step : {509U, 9100U, 1000000U}) {
            std::vector<message> messages{{body_of(before / 2)}, {body_of(before - before / 2)}};
            for (unsigned count = 0; count < 60; ++count)
                messages.push_back({body_of(large_body + 1 + count, count)});
            message_queue log;
            receiver from_network(log);
            from_network.feed(wire_all(messages), step);
            ASSERT_EQ(receive_all(log), messages) << before << " " << step;
        }
}

TEST(ReceiveWindow, ABodyThatIsAllHereMayHaveABuffer) {
    for (const std::size_t step : {1000000U, 30000U, 9000U}) {
        const std::vector<message> messages = mixed_messages();
        message_queue log;
        receiver from_network(log);
        from_network.always_buffer = large_body;
        from_network.feed(wire({body_of(60000)}) + wire_all(messages) + wire_all(messages), step);
        EXPECT_EQ(receive(log), message{body_of(60000)});
        for (const message &each : messages)
            ASSERT_EQ(receive(log), each);
        ASSERT_EQ(receive_all(log), messages);
    }
}

TEST(ReceiveWindow, NothingIsSeenBeforeCommit) {
    message_queue log;
    receiver from_network(log);
    from_network.commit_each_turn = false;
    from_network.feed(wire({"a"}) + wire({"b", "c"}) + wire_frame("half", true));
    EXPECT_FALSE(log.reader().has_message());
    ASSERT_TRUE(log.reader().prepare_wait_data());
    EXPECT_TRUE(from_network.window().commit());
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"a"}, {"b", "c"}}));
    EXPECT_TRUE(log.reader().prepare_wait_data());
    EXPECT_FALSE(from_network.window().commit()) << "half a message is none";
    from_network.feed(wire_frame("whole", false));
    EXPECT_TRUE(from_network.window().commit());
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"half", "whole"}}));
}

TEST(ReceiveWindow, FullCountsWhatIsNotCommitted) {
    message_queue log(2);
    receiver from_network(log);
    from_network.commit_each_turn = false;
    EXPECT_FALSE(from_network.window().full());
    from_network.feed(wire({"a"}));
    EXPECT_FALSE(from_network.window().full());
    from_network.feed(wire({"b", "c"}));
    EXPECT_TRUE(from_network.window().full());
    (void)from_network.window().commit();
    EXPECT_TRUE(from_network.window().full());
    receive(log);
    EXPECT_FALSE(from_network.window().full());
}

std::string ping(std::size_t size) {
    return wire_frame(body_of(size), false, frame_flag::command);
}

TEST(ReceiveWindow, CommandsLeaveNoTrace) {
    for (std::size_t step = 1; step < 3000; step += step < 50 ? 1 : 97) {
        message_queue log;
        receiver from_network(log);
        std::string bytes;
        std::vector<message> messages;
        for (unsigned count = 0; count < 20; ++count) {
            bytes += ping(count * 11) + wire_frame("a", true) + ping(3) + ping(600) +
                     wire_frame(body_of(count * 50), false) + ping(7) + wire({body_of(9000, count)});
            messages.push_back({"a", body_of(count * 50)});
            messages.push_back({body_of(9000, count)});
        }
        from_network.feed(bytes + ping(10), step);
        ASSERT_EQ(receive_all(log), messages) << step;
        ASSERT_EQ(log.writer().depth(), 0U);
        ASSERT_TRUE(log.reader().prepare_wait_data());
        from_network.feed(ping(1) + wire({"last"}), step);
        ASSERT_EQ(receive_all(log), std::vector<message>{{"last"}});
    }
}

// Skipped frames at the end of a segment, with what follows going to the next one, and the loss of the
// connection in every place.
TEST(ReceiveWindow, SkippedFramesSurviveSegmentEndsAndResets) {
    for (std::size_t before = 0; before < 700; before += 7)
        for (const std::size_t cut : {2U, 10U, 300U, 9000U, 20000U}) {
            message_queue log;
            receiver from_network(log);
            from_network.commit_each_turn = false;
            from_network.feed(wire({body_of(before / 3)}) + ping(before / 3));
            const std::string rest = ping(before / 3) + wire({body_of(20000), "x"});
            from_network.feed(std::string_view(rest).substr(0, cut), 400);
            (void)from_network.window().commit();
            from_network.reset();
            from_network.feed(wire({body_of(400), "y"}));
            (void)from_network.window().commit();
            ASSERT_EQ(receive_all(log), (std::vector<message>{{body_of(before / 3)}, {body_of(400), "y"}}))
                << before << " " << cut;
        }
}

TEST(ReceiveWindow, ResetForgetsTheUnfinished) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    for (std::size_t cut = 0; cut < bytes.size(); cut = cut < 2000 ? cut + 1 : cut + 211) {
        message_queue log;
        receiver from_network(log);
        from_network.feed(std::string_view(bytes).substr(0, cut), 3000);
        from_network.reset();
        EXPECT_TRUE(from_network.window().pending().empty());
        EXPECT_FALSE(from_network.window().filling_body());
        EXPECT_FALSE(log.writer().in_message());
        from_network.feed(bytes, 3000);
        std::vector<message> received = receive_all(log);
        ASSERT_GE(received.size(), messages.size());
        const auto again = received.end() - static_cast<std::ptrdiff_t>(messages.size());
        ASSERT_EQ(std::vector<message>(again, received.end()), messages) << cut;
        received.erase(again, received.end());
        ASSERT_EQ(received,
                  std::vector<message>(messages.begin(),
                                       messages.begin() + static_cast<std::ptrdiff_t>(received.size())));
    }
}

TEST(ReceiveWindow, EndsInTheMiddleOfABody) {
    message_queue log;
    receiver from_network(log);
    from_network.feed(wire({"a", body_of(50000)}).substr(0, 30000), 5000);
    EXPECT_TRUE(from_network.window().filling_body());
}

TEST(ReceiveWindow, SaysWhenThereIsNoMemory) {
    message_queue log;
    receive_window window(log.writer());
    const receive_window::room room = window.space(0);
    ASSERT_GE(room.log.size(), 9U);
    std::memset(room.log.data(), 0, 9);
    window.received(9);
    EXPECT_FALSE(window.begin_body(9, SIZE_MAX, false));
    EXPECT_EQ(window.pending().size(), 9U);
    EXPECT_FALSE(window.filling_body());
    EXPECT_TRUE(window.space(std::size_t{1} << 33).log.empty());
    EXPECT_EQ(window.pending().size(), 9U);
}

} // namespace
} // namespace zlink::message_queue_test
