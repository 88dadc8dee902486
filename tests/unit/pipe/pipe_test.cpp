// SPDX-License-Identifier: MPL-2.0
#include "pipe/pipe.hpp"

#include "unit/pipe/fake_stream_io.hpp"
#include "unit/queue/queue_tools.hpp"

namespace zlink::message_queue_test {
namespace {

// A thread's side without a thread: counts wakeups.
class counting_mailbox final : public mailbox {
  public:
    void wake() noexcept override { ++wakes; }
    int wakes = 0;
};

class recorder final : public pipe_owner {
  public:
    void on_pipe_event(pipe_end &end, std::uint32_t events) override {
        seen |= events;
        ++calls;
        last = &end;
        if (close_on_event)
            end.close();
    }
    std::uint32_t take() { return std::exchange(seen, 0); }
    std::uint32_t seen = 0;
    int calls = 0;
    pipe_end *last = nullptr;
    bool close_on_event = false;
};

class PipeTest : public testing::Test {
  protected:
    PipeTest() { make({0}, {0}); }
    void make(pipe::side first, pipe::side second) {
        std::shared_ptr<pipe> both = pipe::create(first, second);
        alive = both;
        a = &both->first();
        b = &both->second();
    }
    void attach_both() {
        EXPECT_EQ(a->attach(owner_a, box_a), 0U);
        EXPECT_EQ(b->attach(owner_b, box_b), 0U);
    }
    void send(pipe_end &from, const message &frames) {
        write_uncommitted(from.out(), frames);
        from.writer().commit();
    }
    message read(pipe_end &from) {
        message frames;
        incoming_frame frame;
        while (from.read(frame)) {
            frames.push_back(take_body(frame));
            if (!frame.more())
                break;
        }
        return frames;
    }
    void TearDown() override { EXPECT_TRUE(alive.expired()) << "the pipe outlives both ends"; }
    void close_both() {
        a->close();
        b->close();
        drain();
    }
    void drain() {
        while (box_a->ready.drain() || box_b->ready.drain()) {
        }
    }

    std::shared_ptr<counting_mailbox> box_a = std::make_shared<counting_mailbox>();
    std::shared_ptr<counting_mailbox> box_b = std::make_shared<counting_mailbox>();
    recorder owner_a;
    recorder owner_b;
    std::weak_ptr<pipe> alive;
    pipe_end *a = nullptr;
    pipe_end *b = nullptr;
};

TEST_F(PipeTest, CarriesMessagesBothWays) {
    attach_both();
    send(*a, {"to b", body_of(9000)});
    send(*b, {"to a"});
    EXPECT_EQ(read(*b), (message{"to b", body_of(9000)}));
    EXPECT_EQ(read(*a), message{"to a"});
    EXPECT_EQ(box_a->wakes + box_b->wakes, 0) << "nobody slept";
    close_both();
}

// A thread at end b waits for a body in memory of its own.
class PipeAwaitedTest : public PipeTest {
  protected:
    PipeAwaitedTest() {
        close_both();
        const pipe::side side{0, keep_rule::all, false, {.peer = pipe_peer::socket}};
        make(side, side);
        attach_both();
    }
    void await(std::size_t room, std::size_t envelope = 0) {
        memory.assign(room, '-');
        ASSERT_TRUE(b->prepare_wait_data());
        b->post_receive({{reinterpret_cast<std::uint8_t *>(memory.data()), room}, envelope});
    }
    [[nodiscard]] bool placed() const { return memory != std::string(memory.size(), '-'); }
    void TearDown() override {
        close_both();
        PipeTest::TearDown();
    }
    static constexpr std::size_t large = 200'000; // on any machine
    std::string memory;
};

TEST_F(PipeAwaitedTest, ABodyIsCopiedToWhereItIsAwaited) {
    await(large);
    const std::string body = body_of(large - 1);
    ASSERT_EQ(a->writer().send_last(frame_of(body)), 0);
    EXPECT_EQ(memory, body + "-");
    incoming_frame frame;
    ASSERT_TRUE(b->read(frame));
    EXPECT_EQ(static_cast<const void *>(frame.data), memory.data());
    EXPECT_FALSE(b->end_receive());
    EXPECT_EQ(take_body(frame), body);
    send(*a, {"next"});
    EXPECT_EQ(read(*b), message{"next"});
}

TEST_F(PipeAwaitedTest, WhatIsNotReadMovesOutOfTheMemory) {
    await(large);
    const std::string body = body_of(large);
    ASSERT_EQ(a->writer().send_last(frame_of(body)), 0);
    ASSERT_TRUE(placed());
    EXPECT_TRUE(b->end_receive());
    memory.assign(large, '!');
    EXPECT_EQ(read(*b), message{body});
}

TEST_F(PipeAwaitedTest, OnlyOneBodyThatFitsAndIsAwaitedThere) {
    await(large);
    ASSERT_EQ(a->writer().send_last(frame_of(body_of(large + 1))), 0);
    EXPECT_FALSE(placed()) << "too large";
    EXPECT_EQ(read(*b), message{body_of(large + 1)});
    b->end_receive();

    await(large, 2);
    ASSERT_EQ(a->writer().send_last(frame_of(body_of(large))), 0);
    EXPECT_FALSE(placed()) << "without a delimiter";
    EXPECT_EQ(read(*b), message{body_of(large)});
    b->end_receive();

    await(large, 2);
    ASSERT_TRUE(a->out().write(frame_of("", true)));
    ASSERT_EQ(a->writer().send_last(frame_of(body_of(large))), 0);
    ASSERT_EQ(a->writer().send_last(frame_of(body_of(large, 1))), 0);
    EXPECT_EQ(memory, body_of(large)) << "the first one, with a delimiter";
    EXPECT_EQ(read(*b), (message{"", body_of(large)}));
    EXPECT_EQ(read(*b), message{body_of(large, 1)});
    b->end_receive();

    ASSERT_TRUE(b->prepare_wait_data());
    ASSERT_EQ(a->writer().send_last(frame_of(body_of(large, 2))), 0);
    EXPECT_EQ(memory, body_of(large)) << "nobody waits";
    EXPECT_EQ(read(*b), message{body_of(large, 2)});
}

// As while the reader asks for a notification and has not seen yet that there is something.
TEST_F(PipeAwaitedTest, NothingLandsBehindWhatIsNotRead) {
    send(*a, {"first"});
    memory.assign(large, '-');
    b->post_receive({{reinterpret_cast<std::uint8_t *>(memory.data()), large}});
    ASSERT_EQ(a->writer().send_last(frame_of(body_of(large))), 0);
    EXPECT_FALSE(placed());
    EXPECT_FALSE(b->end_receive());
    EXPECT_EQ(read(*b), message{"first"});
    EXPECT_EQ(read(*b), message{body_of(large)});
}

TEST_F(PipeAwaitedTest, ABodyOfTheSendersOwnMemoryStaysThere) {
    await(large);
    buffer *owner = buffer::copy_of(reinterpret_cast<const std::uint8_t *>(body_of(large).data()), large);
    ASSERT_EQ(a->writer().send_last({owner->data(), large, 0, owner}), 0);
    owner->release();
    EXPECT_FALSE(placed());
    b->end_receive();
    EXPECT_EQ(read(*b), message{body_of(large)});
}

TEST_F(PipeTest, EndsThatNeverHadAnOwnerMayClose) {
    a->close();
    EXPECT_FALSE(alive.expired());
    b->close();
}

TEST_F(PipeTest, ReadableComesToASleeperOnce) {
    attach_both();
    ASSERT_TRUE(b->prepare_wait_data());
    send(*a, {"1"});
    send(*a, {"2"});
    EXPECT_EQ(box_b->wakes, 1);
    EXPECT_FALSE(box_b->ready.empty());
    EXPECT_TRUE(box_b->ready.drain());
    EXPECT_FALSE(box_b->ready.drain());
    EXPECT_EQ(owner_b.take(), pipe_event::readable);
    EXPECT_EQ(owner_b.calls, 1);
    EXPECT_EQ(owner_b.last, b);
    EXPECT_FALSE(b->prepare_wait_data());
    close_both();
}

TEST_F(PipeTest, WritableComesWhenThereIsRoom) {
    a->close();
    b->close();
    make({2}, {0});
    attach_both();
    send(*a, {"1"});
    send(*a, {"2"});
    ASSERT_TRUE(a->out().full());
    ASSERT_TRUE(a->out().prepare_wait_room());
    EXPECT_EQ(read(*b), message{"1"});
    EXPECT_TRUE(box_a->ready.drain());
    EXPECT_EQ(owner_a.take(), pipe_event::writable);
    EXPECT_FALSE(a->out().full());
    close_both();
}

TEST_F(PipeTest, GoingToSleepTellsTheWriter) {
    a->close();
    b->close();
    make({100}, {0});
    attach_both();
    for (int count = 0; count < 100; ++count)
        send(*a, {"m"});
    write_cursor cursor(b->in());
    ASSERT_TRUE(a->out().prepare_wait_room());
    EXPECT_EQ(write_all(cursor).size(), 300U);
    EXPECT_TRUE(b->prepare_wait_data());
    EXPECT_TRUE(box_a->ready.drain());
    EXPECT_EQ(owner_a.take(), pipe_event::writable);
    close_both();
}

TEST_F(PipeTest, EventsBeforeAttachAreTold) {
    ASSERT_EQ(a->attach(owner_a, box_a), 0U);
    ASSERT_TRUE(b->prepare_wait_data());
    send(*a, {"early"});
    a->introduce_to_peer(metadata_ref(new peer_metadata("id", {})), false);
    a->close();
    EXPECT_EQ(b->peer(), nullptr);
    EXPECT_EQ(b->attach(owner_b, box_b),
              pipe_event::readable | pipe_event::identified | pipe_event::peer_closed);
    EXPECT_TRUE(b->peer_closed());
    ASSERT_NE(b->peer(), nullptr);
    EXPECT_EQ(b->peer()->routing_id(), "id");
    EXPECT_FALSE(box_b->ready.drain());
    EXPECT_EQ(read(*b), message{"early"}) << "what was published can be read";
    b->close();
}

TEST_F(PipeTest, ClosingTellsThePeerAndTakesBackTheUnfinished) {
    attach_both();
    send(*a, {"whole"});
    write_uncommitted(a->out(), {"half"});
    ASSERT_TRUE(a->out().write(frame_of("more", true)));
    a->close();
    EXPECT_EQ(box_b->wakes, 1);
    EXPECT_TRUE(box_b->ready.drain());
    EXPECT_EQ(owner_b.take(), pipe_event::peer_closed);
    EXPECT_TRUE(b->peer_closed());
    EXPECT_EQ(read(*b), message{"whole"});
    EXPECT_TRUE(read(*b).empty());
    b->close();
}

TEST_F(PipeTest, NothingFollowsTheOwnClose) {
    attach_both();
    ASSERT_TRUE(a->prepare_wait_data());
    send(*b, {"queued for a"});
    a->close();
    EXPECT_TRUE(box_a->ready.drain()) << "it was in the queue";
    EXPECT_EQ(owner_a.calls, 0);
    b->close();
    drain();
    EXPECT_EQ(owner_a.calls, 0);
    EXPECT_EQ(owner_b.calls, 0);
}

TEST_F(PipeTest, AnEndThatIsQueuedStaysUntilItsQueueIsDrained) {
    attach_both();
    ASSERT_TRUE(a->prepare_wait_data());
    send(*b, {"m"});
    a->close();
    b->close();
    EXPECT_FALSE(alive.expired());
    EXPECT_TRUE(box_a->ready.drain());
    EXPECT_FALSE(alive.expired()) << "b still has to hear of a's close";
    EXPECT_TRUE(box_b->ready.drain());
}

TEST_F(PipeTest, MayBeClosedInItsOwnEvent) {
    attach_both();
    owner_b.close_on_event = true;
    owner_a.close_on_event = true;
    ASSERT_TRUE(b->prepare_wait_data());
    send(*a, {"m"});
    EXPECT_TRUE(box_b->ready.drain());
    EXPECT_FALSE(alive.expired());
    EXPECT_TRUE(box_a->ready.drain());
    EXPECT_EQ(owner_a.take(), pipe_event::peer_closed);
}

TEST_F(PipeTest, OneOwnerMayCloseTheOthersInAnEvent) {
    // b and c hang on one mailbox; b's event closes both while c is in the same batch.
    std::shared_ptr<pipe> other = pipe::create({0}, {0});
    const std::weak_ptr<pipe> other_alive = other;
    pipe_end &d = other->first();
    pipe_end &c = other->second();
    other.reset();
    attach_both();
    struct closer final : pipe_owner {
        void on_pipe_event(pipe_end &, std::uint32_t) override {
            for (pipe_end *each : ends)
                each->close();
        }
        std::vector<pipe_end *> ends;
    } both;
    recorder owner_d;
    EXPECT_EQ(d.attach(owner_d, box_a), 0U);
    EXPECT_EQ(c.attach(both, box_b), 0U);
    both.ends = {&c, b};
    ASSERT_TRUE(c.prepare_wait_data());
    ASSERT_TRUE(b->prepare_wait_data());
    send(d, {"m"});
    send(*a, {"m"});
    EXPECT_TRUE(box_b->ready.drain());
    EXPECT_EQ(owner_b.calls, 0);
    d.close();
    a->close();
    drain();
    EXPECT_TRUE(other_alive.expired());
}

TEST_F(PipeTest, IntroductionsReachThePeer) {
    attach_both();
    a->introduce_to_peer(metadata_ref(new peer_metadata("first", {{"Socket-Type", "PAIR"}})), false);
    EXPECT_EQ(b->peer(), nullptr) << "not before the event";
    EXPECT_TRUE(box_b->ready.drain());
    EXPECT_EQ(owner_b.take(), pipe_event::identified);
    ASSERT_NE(b->peer(), nullptr);
    EXPECT_STREQ(b->peer()->find("Socket-Type"), "PAIR");
    EXPECT_EQ(b->peer()->find("Identity"), nullptr);
    send(*a, {"m"});
    incoming_frame frame;
    ASSERT_TRUE(b->read(frame));
    EXPECT_EQ(frame.metadata, b->peer());

    a->introduce_to_peer(metadata_ref(new peer_metadata("second", {})), true);
    a->introduce_to_peer(metadata_ref(new peer_metadata("third", {})), true);
    EXPECT_TRUE(box_b->ready.drain());
    EXPECT_EQ(owner_b.take(), pipe_event::identified | pipe_event::restarted);
    EXPECT_EQ(b->peer()->routing_id(), "third");
    close_both();
}

TEST_F(PipeTest, AnIntroductionThatNobodyHearsIsReleased) {
    attach_both();
    b->close();
    a->introduce_to_peer(metadata_ref(new peer_metadata("late", {})), false);
    a->close();
    drain();
}

TEST_F(PipeTest, AMailboxOutlivesItsThreadsSide) {
    attach_both();
    const std::weak_ptr<counting_mailbox> box = box_b;
    b->close();
    box_b = std::make_shared<counting_mailbox>();
    EXPECT_FALSE(box.expired());
    a->close();
    drain();
    EXPECT_TRUE(box.expired());
}

TEST_F(PipeTest, ConflatingSideKeepsTheNewest) {
    a->close();
    b->close();
    make({0, keep_rule::latest_frame}, {0});
    attach_both();
    ASSERT_TRUE(b->prepare_wait_data());
    send(*a, {"1"});
    send(*a, {"2"});
    EXPECT_EQ(box_b->wakes, 1);
    EXPECT_EQ(read(*b), message{"2"});
    send(*b, {"1"});
    send(*b, {"2"});
    EXPECT_EQ(read(*a), message{"1"});
    close_both();
}

// ---- a sender that is throttled

class PipeWriteLeaseTest : public PipeTest {
  protected:
    PipeWriteLeaseTest() {
        attach_both();
        a->slot().io = &io;
        a->writer().allow_direct(direct_writing::unless_burst);
        a->writer().allow_lease(true);
        io.written = b;
    }
    void TearDown() override {
        close_both();
        PipeTest::TearDown();
    }
    static constexpr int bodies = 4; // of a quarter of a MiB
    void send_large(int quarters_of_mib = 1) {
        for (int count = 0; count < quarters_of_mib * bodies; ++count)
            send(*a, {body});
    }

    const std::string body = body_of(64 * 1024);
    fake_stream_io io;
};

TEST_F(PipeWriteLeaseTest, WritesInItsPlace) {
    send_large(3);
    EXPECT_EQ(io.leased_writes, 0) << "not throttled";
    send_large(2);
    EXPECT_EQ(io.begun, 1);
    EXPECT_FALSE(b->in().has_message());
    const int before = io.leased_writes;
    send_large(10);
    EXPECT_EQ(io.leased_writes, before + 10 * bodies) << "with every body from then on";
    EXPECT_EQ(io.begun, 1);
}

TEST_F(PipeWriteLeaseTest, SmallMessagesAreWrittenByTheSegment) {
    send_large(5);
    const int before = io.leased_writes;
    for (int count = 0; count < 1024; ++count)
        send(*a, {body_of(1000)});
    EXPECT_GE(io.leased_writes, before + 12);
    EXPECT_LE(io.leased_writes, before + 20);
}

TEST_F(PipeWriteLeaseTest, EndsWhenTheThreadDoesSomethingElse) {
    send_large(5);
    a->writer().release_lease();
    EXPECT_EQ(io.ended, 1);
    a->writer().release_lease();
    EXPECT_EQ(io.ended, 1);
    const int before = io.leased_writes;
    send_large(3);
    EXPECT_EQ(io.leased_writes, before);
    send_large(2);
    EXPECT_EQ(io.begun, 2) << "throttled again";
}

TEST_F(PipeWriteLeaseTest, EndsWhenTheIoThreadTakesItBack) {
    send_large(5);
    io.allows_write_lease = io.takes_all = false;
    send_large(1);
    const int before = io.leased_writes;
    send_large(2);
    EXPECT_EQ(io.leased_writes, before);
    EXPECT_EQ(io.ended, 0);
}

TEST_F(PipeWriteLeaseTest, EndsWhereTheStreamTakesNothing) {
    io.takes_all = false;
    send_large(5);
    EXPECT_EQ(io.begun, 1);
    EXPECT_EQ(io.ended, 1);
    io.takes_all = true;
    a->writer().release_lease();
    EXPECT_EQ(io.ended, 1);
}

TEST_F(PipeWriteLeaseTest, EndsWithThePipe) {
    send_large(5);
    a->close();
    EXPECT_EQ(io.ended, 1);
}

TEST_F(PipeWriteLeaseTest, IsForThoseWhoMay) {
    a->writer().allow_lease(false);
    send_large(6);
    a->writer().allow_lease(true);
    a->writer().allow_direct(direct_writing::never);
    send_large(6);
    EXPECT_EQ(io.leased_writes, 0);
}

TEST_F(PipeWriteLeaseTest, LeavesAnIoThreadAloneThatIsAtWork) {
    const std::lock_guard at_work(a->slot().mutex);
    send_large(12);
    EXPECT_EQ(io.leased_writes, 0);
}

} // namespace
} // namespace zlink::message_queue_test
