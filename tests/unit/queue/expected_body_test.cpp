// SPDX-License-Identifier: MPL-2.0
// Rows of large messages like each other, of which the next one is expected to be another (decision 17).
#include "queue/queue_writer.hpp"

#include <random>

#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

TEST(ExpectedBody, LargeMessagesLikeEachOtherAreExpectedToGoOn) {
    message_queue log;
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
    EXPECT_FALSE(from_network.window().filling_body()) << "all of it came at once";
    from_network.feed(wire({"another"}));
    EXPECT_TRUE(expected_room(from_network).body.empty());
    EXPECT_EQ(receive_all(log), (std::vector<message>{alike[0], {"another"}}));
}

// Memory of a caller, in which a message of 20000 bytes has landed as often as it takes to expect another
// one.
class ExpectedPostedReceive : public ::testing::Test {
  protected:
    ExpectedPostedReceive() {
        for (int round = 0; round < 2; ++round)
            EXPECT_EQ(pass(wire({body})), posted.data());
    }
    // Where the body of the next message is after these bytes.
    const std::uint8_t *pass(const std::string &bytes) {
        from_network.window().post_receive({posted});
        from_network.feed(bytes);
        incoming_frame frame;
        EXPECT_TRUE(log.reader().read(frame));
        from_network.window().end_receive();
        log.reader().end_receive(placed);
        const std::uint8_t *const at = frame.data;
        received = take_body(frame);
        return at;
    }
    const std::uint8_t *expected_at() {
        from_network.window().post_receive({posted});
        const std::uint8_t *const at = expected_room(from_network).body.data();
        from_network.window().end_receive();
        return at;
    }

    const std::string body = body_of(20000);
    message_queue log;
    queue_detail::placed_payload placed;
    receiver from_network{log, &placed};
    std::vector<std::uint8_t> posted = std::vector<std::uint8_t>(30000);
    std::string received;
};

TEST_F(ExpectedPostedReceive, TheBodyIsReceivedWhereItIsWanted) {
    EXPECT_EQ(expected_at(), posted.data());
    EXPECT_EQ(pass(wire({body})), posted.data());
    EXPECT_EQ(received, body);
}

TEST_F(ExpectedPostedReceive, ItIsNotWhereTheCallerHasClearedWhatItGives) {
    std::fill(posted.begin(), posted.end(), std::uint8_t{0});
    EXPECT_NE(expected_at(), posted.data());
}

TEST_F(ExpectedPostedReceive, ItIsNotWhereAnotherMessageStands) {
    std::fill(posted.begin() + 15000, posted.end(), std::uint8_t{0x77});
    EXPECT_NE(expected_at(), posted.data());
}

TEST_F(ExpectedPostedReceive, ItIsWhereTheCallerHasBegunAnotherMessage) {
    std::fill_n(posted.begin(), 16, std::uint8_t{0x77});
    EXPECT_EQ(expected_at(), posted.data());
}

// Bytes that are all zero are not taken for the message: a caller may have cleared its memory.
TEST_F(ExpectedPostedReceive, ZerosAreNoTraceOfAMessage) {
    for (int round = 0; round < 2; ++round)
        EXPECT_EQ(pass(wire({std::string(20000, '\0')})), posted.data());
    EXPECT_NE(expected_at(), posted.data());
}

TEST_F(ExpectedPostedReceive, AnotherMessageLeavesTheBeginningOfTheMemoryAlone) {
    std::fill_n(posted.begin(), 64, std::uint8_t{0x77});
    for (const std::string &other : {wire({"short"}), wire({"", body}), wire({body_of(300)})}) {
        EXPECT_NE(pass(other + wire({body})), posted.data());
        EXPECT_EQ(std::count(posted.begin(), posted.begin() + 64, std::uint8_t{0x77}), 64);
        receive_all(log);
        for (int round = 0; round < 2; ++round)
            pass(wire({body}));
        std::fill_n(posted.begin(), 64, std::uint8_t{0x77});
    }
}

// Rows of messages of one size, broken by others and by commands, in pieces of any size. Now and then a
// caller posts its buffer, clears it, or reads.
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
                from_network_.window().post_receive({posted_, one_in(3) ? 2U : 0U});
            const std::size_t size = next_piece(at);
            from_network_.feed(std::string_view(bytes_).substr(at, size));
            at += size;
            if (one_in(2) && log_.reader().has_message())
                received_.push_back(receive(log_));
            if (offers) {
                from_network_.window().end_receive();
                log_.reader().end_receive(placed_);
            }
            if (one_in(8))
                std::fill(posted_.begin(), posted_.end(), std::uint8_t{0});
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
    message_queue log_;
    queue_detail::placed_payload placed_;
    receiver from_network_{log_, &placed_};
    std::vector<std::uint8_t> posted_ = std::vector<std::uint8_t>(35000);
};

TEST(ExpectedBody, RowsOfAnythingArriveAsTheyWereSent) {
    for (unsigned seed = 1; seed <= 400; ++seed) {
        AnyRow row(seed);
        row.pass();
        ASSERT_TRUE(row.all_came()) << seed;
    }
}

TEST(ExpectedBody, NothingIsExpectedOfAFullMessageQueue) {
    message_queue log(2);
    receiver from_network(log);
    from_network.feed(wire({body_of(20000)}) + wire({body_of(20000)}), 5000);
    EXPECT_TRUE(expected_room(from_network).body.empty());
    receive_all(log);
    EXPECT_EQ(expected_room(from_network).body.size(), 20000U);
}

} // namespace
} // namespace zlink::message_queue_test
