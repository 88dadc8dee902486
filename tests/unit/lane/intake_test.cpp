// SPDX-License-Identifier: MPL-2.0
#include "lane/intake.hpp"

#include <random>

#include "unit/lane/lane_tools.hpp"

namespace zlink::lane_test {
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

TEST(Intake, TakesPiecesOfEverySize) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    for (std::size_t step = 1; step <= bytes.size() * 2; step = step < 600 ? step + 1 : step * 9 / 8) {
        lane log;
        receiver from_network(log);
        from_network.feed(bytes, step);
        ASSERT_EQ(log.depth(), messages.size());
        ASSERT_EQ(receive_all(log), messages) << step;
        ASSERT_EQ(log.depth(), 0U);
    }
}

TEST(Intake, TakesEverySplitIntoTwo) {
    const std::vector<message> messages{
        {"a", body_of(300)}, {body_of(9000)}, {body_of(8500), "b"}, {body_of(600)}};
    const std::string bytes = wire_all(messages);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
        lane log;
        receiver from_network(log);
        from_network.feed(std::string_view(bytes).substr(0, cut));
        from_network.feed(std::string_view(bytes).substr(cut));
        ASSERT_EQ(receive_all(log), messages) << cut;
    }
}

// A caller waits with memory for a body, gives up after each piece, and uses its memory for something else.
TEST(Intake, NothingIsLostWithTheMemoryThatWasOffered) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    for (const std::size_t landing_size : {8500U, 20000U, 200000U})
        for (std::size_t step = 1; step <= bytes.size() * 2; step = step < 20 ? step + 1 : step * 9 / 8) {
            lane log;
            lane_detail::landed_body landed;
            receiver from_network(log, &landed);
            std::vector<std::uint8_t> landing(landing_size);
            for (std::size_t at = 0; at < bytes.size(); at += step) {
                from_network.intake().offer({landing});
                from_network.feed(std::string_view(bytes).substr(at, step));
                from_network.intake().settle();
                log.settle(landed);
                std::fill(landing.begin(), landing.end(), std::uint8_t{0xEE});
            }
            ASSERT_EQ(receive_all(log), messages) << landing_size << ", " << step;
        }
}

TEST(Intake, ABodyIsReceivedWhereItIsWanted) {
    lane log;
    lane_detail::landed_body landed;
    receiver from_network(log, &landed);
    std::vector<std::uint8_t> landing(30000);
    const std::string body = body_of(20000);
    const std::string bytes = wire({body}) + wire({"next"});
    incoming_frame frame;
    for (std::size_t begun = 0; begun <= 4000; begun += 100) { // before the memory is offered
        from_network.feed(std::string_view(bytes).substr(0, begun));
        from_network.intake().offer({landing});
        from_network.feed(std::string_view(bytes).substr(begun));
        ASSERT_TRUE(log.read(frame));
        EXPECT_EQ(frame.data, landing.data()) << begun;
        EXPECT_EQ(take_body(frame), body);
        from_network.intake().settle();
        log.settle(landed); // it was read: nothing is to be done
        ASSERT_EQ(receive(log), message{"next"});
    }
    from_network.intake().offer({std::span(landing).first(19999)}); // too little
    from_network.feed(bytes);
    from_network.intake().settle();
    ASSERT_TRUE(log.read(frame));
    EXPECT_NE(frame.data, landing.data());
    EXPECT_EQ(take_body(frame), body);
}

TEST(Intake, LargeMessagesLikeEachOtherAreExpectedToGoOn) {
    lane log;
    receiver from_network(log);
    const std::vector<message> alike{{"", body_of(20000)}, {"", body_of(20000, 1)}};
    const std::size_t header = wire({"", ""}).size() - 2 + 9;
    from_network.feed(wire(alike[0]), 5000);
    EXPECT_TRUE(expected_room(from_network).body.empty());
    from_network.feed(wire(alike[1]), 5000);
    EXPECT_EQ(expected_room(from_network).front.size(), header);
    EXPECT_EQ(expected_room(from_network).body.size(), 20000U);
    EXPECT_EQ(receive_all(log), alike);
    from_network.feed(wire(alike[0]));
    EXPECT_FALSE(from_network.intake().filling_body()) << "all of it came at once";
    from_network.feed(wire({"another"}));
    EXPECT_TRUE(expected_room(from_network).body.empty());
    EXPECT_EQ(receive_all(log), (std::vector<message>{alike[0], {"another"}}));
}

// Memory of a caller, in which a message of 20000 bytes has landed as often as it takes to expect another
// one.
class ExpectedLanding : public ::testing::Test {
  protected:
    ExpectedLanding() {
        for (int round = 0; round < 2; ++round)
            EXPECT_EQ(pass(wire({body})), landing.data());
    }
    // Where the body of the next message is after these bytes.
    const std::uint8_t *pass(const std::string &bytes) {
        from_network.intake().offer({landing});
        from_network.feed(bytes);
        incoming_frame frame;
        EXPECT_TRUE(log.read(frame));
        from_network.intake().settle();
        log.settle(landed);
        const std::uint8_t *const at = frame.data;
        received = take_body(frame);
        return at;
    }
    const std::uint8_t *expected_at() {
        from_network.intake().offer({landing});
        const std::uint8_t *const at = expected_room(from_network).body.data();
        from_network.intake().settle();
        return at;
    }

    const std::string body = body_of(20000);
    lane log;
    lane_detail::landed_body landed;
    receiver from_network{log, &landed};
    std::vector<std::uint8_t> landing = std::vector<std::uint8_t>(30000);
    std::string received;
};

TEST_F(ExpectedLanding, TheBodyIsReceivedWhereItIsWanted) {
    EXPECT_EQ(expected_at(), landing.data());
    EXPECT_EQ(pass(wire({body})), landing.data());
    EXPECT_EQ(received, body);
}

TEST_F(ExpectedLanding, ItIsNotWhereTheCallerHasClearedWhatItGives) {
    std::fill(landing.begin(), landing.end(), std::uint8_t{0});
    EXPECT_NE(expected_at(), landing.data());
}

TEST_F(ExpectedLanding, ItIsNotWhereAnotherMessageStands) {
    std::fill(landing.begin() + 15000, landing.end(), std::uint8_t{0x77});
    EXPECT_NE(expected_at(), landing.data());
}

TEST_F(ExpectedLanding, ItIsWhereTheCallerHasBegunAnotherMessage) {
    std::fill_n(landing.begin(), 16, std::uint8_t{0x77});
    EXPECT_EQ(expected_at(), landing.data());
}

// What looked like nothing is not taken for the message: a caller may have cleared its memory.
TEST_F(ExpectedLanding, ZerosAreNoTraceOfAMessage) {
    for (int round = 0; round < 2; ++round)
        EXPECT_EQ(pass(wire({std::string(20000, '\0')})), landing.data());
    EXPECT_NE(expected_at(), landing.data());
}

TEST_F(ExpectedLanding, AnotherMessageLeavesTheBeginningOfTheMemoryAlone) {
    std::fill_n(landing.begin(), 64, std::uint8_t{0x77});
    for (const std::string &other : {wire({"short"}), wire({"", body}), wire({body_of(300)})}) {
        EXPECT_NE(pass(other + wire({body})), landing.data());
        EXPECT_EQ(std::count(landing.begin(), landing.begin() + 64, std::uint8_t{0x77}), 64);
        receive_all(log);
        for (int round = 0; round < 2; ++round)
            pass(wire({body}));
        std::fill_n(landing.begin(), 64, std::uint8_t{0x77});
    }
}

// Rows of messages like each other, broken by others and by commands, in pieces of any size, while a caller
// offers its memory now and then, clears it now and then, and reads now and then.
class AnyRow {
  public:
    explicit AnyRow(unsigned seed) : random_(seed) {
        from_network_.always_buffer = large_body;
        while (messages_.size() < 60)
            add_row();
    }
    void pass() {
        for (std::size_t at = 0; at < bytes_.size();) {
            const bool offers = one_in(2);
            if (offers)
                from_network_.intake().offer({landing_, one_in(3) ? 2U : 0U});
            const std::size_t size = next_piece(at);
            from_network_.feed(std::string_view(bytes_).substr(at, size));
            at += size;
            if (one_in(2) && log_.has_message())
                received_.push_back(receive(log_));
            if (offers) {
                from_network_.intake().settle();
                log_.settle(landed_);
            }
            if (one_in(8))
                std::fill(landing_.begin(), landing_.end(), std::uint8_t{0});
        }
        for (message &each : receive_all(log_))
            received_.push_back(std::move(each));
    }
    [[nodiscard]] bool all_came() const { return received_ == messages_; }

  private:
    std::size_t below(std::size_t end) { return random_() % end; }
    bool one_in(std::size_t count) { return below(count) == 0; }
    // Often to the end of a message: what follows it comes by itself then, or with what is behind it.
    std::size_t next_piece(std::size_t at) {
        const auto end = std::upper_bound(ends_.begin(), ends_.end(), at);
        if (end != ends_.end() && !one_in(4))
            return *end - at;
        return 1 + below(one_in(3) ? 100 : 50000);
    }
    void add_row() {
        constexpr std::size_t sizes[] = {0, 3, 255, 256, 8192, 8193, 9000, 20000, 20000, 30000, 40000};
        const std::size_t size = sizes[below(std::size(sizes))];
        const std::size_t form = below(6);
        for (std::size_t left = 1 + below(5); left != 0; --left) {
            const std::string body = body_of(size, static_cast<unsigned>(messages_.size()));
            messages_.push_back(form == 0   ? message{"", body}
                                : form == 1 ? message{body, "x"}
                                : form == 2 ? message{"head", body}
                                            : message{body});
            bytes_ += wire(messages_.back());
            if (one_in(10))
                bytes_ += wire_frame(body_of(below(300)), false, frame_flag::command);
            ends_.push_back(bytes_.size());
        }
    }

    std::minstd_rand random_;
    std::vector<message> messages_, received_;
    std::string bytes_;
    std::vector<std::size_t> ends_; // of messages
    lane log_;
    lane_detail::landed_body landed_;
    receiver from_network_{log_, &landed_};
    std::vector<std::uint8_t> landing_ = std::vector<std::uint8_t>(35000);
};

TEST(Intake, RowsOfAnythingArriveAsTheyWereSent) {
    for (unsigned seed = 1; seed <= 400; ++seed) {
        AnyRow row(seed);
        row.pass();
        ASSERT_TRUE(row.all_came()) << seed;
    }
}

TEST(Intake, NothingIsExpectedOfAFullLane) {
    lane log(2);
    receiver from_network(log);
    from_network.feed(wire({body_of(20000)}) + wire({body_of(20000)}), 5000);
    EXPECT_TRUE(expected_room(from_network).body.empty());
    receive_all(log);
    EXPECT_EQ(expected_room(from_network).body.size(), 20000U);
}

TEST(Intake, ABodyBehindAnotherMessageDoesNotLieWhereThatOneIsWanted) {
    lane log;
    lane_detail::landed_body landed;
    receiver from_network(log, &landed);
    std::vector<std::uint8_t> landing(30000);
    from_network.intake().offer({landing});
    from_network.feed(wire({"first"}) + wire({body_of(20000)}), 700);
    EXPECT_EQ(std::count(landing.begin(), landing.end(), 0), 30000);
    from_network.intake().settle();
    log.settle(landed);
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"first"}, {body_of(20000)}}));
}

// The frames before it have to be the envelope that was told of, and it has to be the last.
TEST(Intake, ABodyBehindItsEnvelopeIsReceivedWhereItIsWanted) {
    const std::string body = body_of(20000);
    const std::vector<std::pair<message, bool>> cases{{{"", body}, true},
                                                      {{body}, false},
                                                      {{"x", body}, false},
                                                      {{"", "", body}, false},
                                                      {{"", body, "more"}, false}};
    std::vector<std::uint8_t> landing(30000);
    for (const auto &[parts, lands] : cases) {
        lane log;
        lane_detail::landed_body landed;
        receiver from_network(log, &landed);
        from_network.intake().offer({landing, 2});
        from_network.feed(wire(parts));
        incoming_frame frame;
        bool there = false;
        for (const std::string &part : parts) {
            ASSERT_TRUE(log.read(frame));
            there |= frame.data == landing.data();
            EXPECT_EQ(take_body(frame), part);
        }
        EXPECT_EQ(there, lands);
        from_network.intake().settle();
        log.settle(landed);
    }
}

TEST(Intake, TheLostConnectionsBodyLeavesTheMemoryThatWasOffered) {
    lane log;
    lane_detail::landed_body landed;
    receiver from_network(log, &landed);
    std::vector<std::uint8_t> landing(30000);
    from_network.intake().offer({landing});
    from_network.feed(std::string_view(wire({body_of(20000)})).substr(0, 15000));
    from_network.reset();
    from_network.intake().settle();
    log.settle(landed);
    from_network.feed(wire({body_of(10000, 3)}));
    EXPECT_EQ(receive(log), message{body_of(10000, 3)});
}

TEST(Intake, ReaderMayFollowClosely) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    for (const std::size_t step : {1U, 7U, 100U, 511U, 5000U, 70000U}) {
        lane log;
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

TEST(Intake, ManySmallMessagesCrossChunks) {
    std::vector<message> messages;
    for (unsigned count = 0; count < 3000; ++count)
        messages.push_back({body_of(count % 300, count)});
    const std::string bytes = wire_all(messages);
    for (const std::size_t step : {13U, 1000U, 4096U, 1000000U}) {
        lane log;
        receiver from_network(log);
        from_network.feed(bytes, step);
        ASSERT_EQ(receive_all(log), messages);
    }
}

TEST(Intake, LargeBodiesArriveInBuffersOfTheirSize) {
    lane log;
    receiver from_network(log);
    from_network.feed(wire({body_of(100000)}), 4000);
    incoming_frame frame;
    ASSERT_TRUE(log.read(frame));
    ASSERT_NE(frame.owner, nullptr);
    EXPECT_EQ(frame.owner->size(), 100000U);
    EXPECT_EQ(take_body(frame), body_of(100000));
}

// Whatever stands behind one large body, the header of the next one and its reference find room.
TEST(Intake, LargeBodiesFollowEachOtherOverChunkEnds) {
    for (std::size_t before = 0; before < 520; before += 3)
        for (const std::size_t step : {509U, 9100U, 1000000U}) {
            std::vector<message> messages{{body_of(before / 2)}, {body_of(before - before / 2)}};
            for (unsigned count = 0; count < 60; ++count)
                messages.push_back({body_of(large_body + 1 + count, count)});
            lane log;
            receiver from_network(log);
            from_network.feed(wire_all(messages), step);
            ASSERT_EQ(receive_all(log), messages) << before << " " << step;
        }
}

TEST(Intake, ABodyThatIsAllHereMayHaveABuffer) {
    for (const std::size_t step : {1000000U, 30000U, 9000U}) {
        const std::vector<message> messages = mixed_messages();
        lane log;
        receiver from_network(log);
        from_network.always_buffer = large_body;
        from_network.feed(wire({body_of(60000)}) + wire_all(messages) + wire_all(messages), step);
        EXPECT_EQ(receive(log), message{body_of(60000)});
        for (const message &each : messages)
            ASSERT_EQ(receive(log), each);
        ASSERT_EQ(receive_all(log), messages);
    }
}

TEST(Intake, NothingIsSeenBeforePublish) {
    lane log;
    receiver from_network(log);
    from_network.publish_each_turn = false;
    from_network.feed(wire({"a"}) + wire({"b", "c"}) + wire_frame("half", true));
    EXPECT_FALSE(log.has_message());
    ASSERT_TRUE(log.try_idle());
    EXPECT_TRUE(from_network.intake().publish());
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"a"}, {"b", "c"}}));
    EXPECT_TRUE(log.try_idle());
    EXPECT_FALSE(from_network.intake().publish()) << "half a message is none";
    from_network.feed(wire_frame("whole", false));
    EXPECT_TRUE(from_network.intake().publish());
    EXPECT_EQ(receive_all(log), (std::vector<message>{{"half", "whole"}}));
}

TEST(Intake, FullCountsWhatIsNotPublished) {
    lane log(2);
    receiver from_network(log);
    from_network.publish_each_turn = false;
    EXPECT_FALSE(from_network.intake().full());
    from_network.feed(wire({"a"}));
    EXPECT_FALSE(from_network.intake().full());
    from_network.feed(wire({"b", "c"}));
    EXPECT_TRUE(from_network.intake().full());
    (void)from_network.intake().publish();
    EXPECT_TRUE(from_network.intake().full());
    receive(log);
    EXPECT_FALSE(from_network.intake().full());
}

std::string ping(std::size_t size) {
    return wire_frame(body_of(size), false, frame_flag::command);
}

TEST(Intake, CommandsLeaveNoTrace) {
    for (std::size_t step = 1; step < 3000; step += step < 50 ? 1 : 97) {
        lane log;
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
        ASSERT_EQ(log.depth(), 0U);
        ASSERT_TRUE(log.try_idle());
        from_network.feed(ping(1) + wire({"last"}), step);
        ASSERT_EQ(receive_all(log), std::vector<message>{{"last"}});
    }
}

// Skipped frames at the end of a chunk, with what follows going to the next one, and the loss of the
// connection in every place.
TEST(Intake, SkippedFramesSurviveChunkEndsAndResets) {
    for (std::size_t before = 0; before < 700; before += 7)
        for (const std::size_t cut : {2U, 10U, 300U, 9000U, 20000U}) {
            lane log;
            receiver from_network(log);
            from_network.publish_each_turn = false;
            from_network.feed(wire({body_of(before / 3)}) + ping(before / 3));
            const std::string rest = ping(before / 3) + wire({body_of(20000), "x"});
            from_network.feed(std::string_view(rest).substr(0, cut), 400);
            (void)from_network.intake().publish();
            from_network.reset();
            from_network.feed(wire({body_of(400), "y"}));
            (void)from_network.intake().publish();
            ASSERT_EQ(receive_all(log), (std::vector<message>{{body_of(before / 3)}, {body_of(400), "y"}}))
                << before << " " << cut;
        }
}

TEST(Intake, ResetForgetsTheUnfinished) {
    const std::vector<message> messages = mixed_messages();
    const std::string bytes = wire_all(messages);
    for (std::size_t cut = 0; cut < bytes.size(); cut = cut < 2000 ? cut + 1 : cut + 211) {
        lane log;
        receiver from_network(log);
        from_network.feed(std::string_view(bytes).substr(0, cut), 3000);
        from_network.reset();
        EXPECT_TRUE(from_network.intake().pending().empty());
        EXPECT_FALSE(from_network.intake().filling_body());
        EXPECT_FALSE(log.in_message());
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

TEST(Intake, EndsInTheMiddleOfABody) {
    lane log;
    receiver from_network(log);
    from_network.feed(wire({"a", body_of(50000)}).substr(0, 30000), 5000);
    EXPECT_TRUE(from_network.intake().filling_body());
}

TEST(Intake, SaysWhenThereIsNoMemory) {
    lane log;
    lane_intake intake(log);
    const lane_intake::room room = intake.space(0);
    ASSERT_GE(room.log.size(), 9U);
    std::memset(room.log.data(), 0, 9);
    intake.received(9);
    EXPECT_FALSE(intake.begin_body(9, SIZE_MAX, false));
    EXPECT_EQ(intake.pending().size(), 9U);
    EXPECT_FALSE(intake.filling_body());
    EXPECT_TRUE(intake.space(std::size_t{1} << 33).log.empty());
    EXPECT_EQ(intake.pending().size(), 9U);
}

} // namespace
} // namespace zlink::lane_test
