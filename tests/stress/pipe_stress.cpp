// SPDX-License-Identifier: MPL-2.0
// Two threads and a pipe, with real sleep. Every message arrives in order, and no wakeup is lost. That holds
// at every high-water mark, by reading and by gathering, in one direction and in both.
#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "pipe/pipe.hpp"
#include "queue/write_cursor.hpp"
#include "stress/stress_tools.hpp"

namespace zlink::stress {
namespace {

// One thread's end of a pipe. Used by that thread alone.
class party final : public pipe_owner {
  public:
    void take(pipe_end &end, unsigned seed) {
        end_ = &end;
        random_.seed(seed);
        (void)end.attach(*this, box_);
    }
    void on_pipe_event(pipe_end &, std::uint32_t) override {}

    // Sends the next message; sleeps while there is no room.
    void send() {
        while (end_->out().full())
            if (end_->out().prepare_wait_room())
                rest();
        write_message();
        end_->writer().commit();
    }
    // Reads one message if there is one.
    bool try_receive() {
        incoming_frame frame;
        if (!end_->read(frame))
            return false;
        bool more = true;
        while (more) {
            wrong_ += holds(frame.data, frame.size, received_) ? 0U : 1U;
            frame.drop();
            more = frame.more();
            if (more && !end_->read(frame)) {
                ADD_FAILURE() << "half a message";
                return false;
            }
        }
        ++received_;
        return true;
    }
    void receive() {
        while (!try_receive())
            if (end_->prepare_wait_data())
                rest();
    }
    void rest() {
        if (!box_->ready.drain())
            box_->sleep();
        box_->ready.drain();
    }
    void end_turn() { box_->ready.drain(); }
    void leave() {
        end_->close();
        end_ = nullptr;
        while (box_->attached != 0) // the other side may be about to push
            if (!box_->ready.drain())
                std::this_thread::yield();
    }

    pipe_end &end() { return *end_; }
    [[nodiscard]] std::uint64_t received() const { return received_; }
    [[nodiscard]] std::uint64_t wrong() const { return wrong_; }
    [[nodiscard]] std::uint64_t sent() const { return sent_; }

  private:
    void write_message() {
        std::uint64_t frames = random_() % 8 == 0 ? 1 + random_() % 3 : 1;
        if (random_() % 64 == 0) { // begins, and thinks better of it
            write_frame(true, sent_ + 1);
            if (random_() % 2 == 0)
                write_frame(true, sent_ + 2);
            end_->out().rollback();
        }
        while (frames-- != 0)
            write_frame(frames != 0, sent_);
        ++sent_;
    }
    void write_frame(bool more, std::uint64_t number) {
        const std::size_t size = random_() % 32 == 0 ? 8 + random_() % 12000 : 8 + random_() % 100;
        const std::uint8_t flags = more ? frame_flag::more : std::uint8_t{0};
        if (size > large_body && number % 2 == 0) {
            buffer *body = buffer::allocate(size);
            fill(body->data(), size, number);
            EXPECT_TRUE(end_->out().write({body->data(), size, flags, body}));
            body->release();
            return;
        }
        fill(scratch_.data(), size, number);
        EXPECT_TRUE(end_->out().write({scratch_.data(), size, flags, nullptr}));
    }

    std::shared_ptr<sleeping_mailbox> box_ = std::make_shared<sleeping_mailbox>();
    pipe_end *end_ = nullptr;
    std::minstd_rand random_;
    std::uint64_t sent_ = 0;
    std::uint64_t received_ = 0;
    std::uint64_t wrong_ = 0;
    std::vector<std::uint8_t> scratch_ = std::vector<std::uint8_t>(12200);
};

struct two_parties {
    explicit two_parties(int mark) : both(pipe::create({mark}, {mark})), alive(both) {
        enable_asymmetric_fence();
        first.take(both->first(), 1);
        second.take(both->second(), 2);
        both->second().in().enable_backoff(); // as between sockets
        both->first().in().expect_busy();
        both.reset();
    }
    ~two_parties() {
        first.leave();
        second.leave();
        EXPECT_TRUE(alive.expired());
    }
    std::shared_ptr<pipe> both;
    std::weak_ptr<pipe> alive;
    party first;
    party second;
};

class PipeStress : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Marks, PipeStress, testing::Values(1, 2, 3, 1000, 0));

TEST_P(PipeStress, OneDirection) {
    const std::uint64_t count = scaled(30000);
    two_parties parties(GetParam());
    std::thread writer([&] {
        for (std::uint64_t number = 0; number < count; ++number)
            parties.first.send();
    });
    while (parties.second.received() < count)
        parties.second.receive();
    writer.join();
    EXPECT_EQ(parties.second.wrong(), 0U);
}

// Both send and receive at once: who cannot send receives meanwhile.
TEST_P(PipeStress, BothDirections) {
    const std::uint64_t count = scaled(20000);
    two_parties parties(GetParam());
    const auto work = [count](party &me) {
        while (me.sent() < count) {
            while (me.end().out().full()) {
                if (me.try_receive())
                    continue;
                if (me.end().out().prepare_wait_room() && me.end().prepare_wait_data())
                    me.rest();
            }
            me.send();
        }
        while (me.received() < count)
            me.receive();
    };
    std::thread other(work, std::ref(parties.first));
    work(parties.second);
    other.join();
    EXPECT_EQ(parties.first.wrong() + parties.second.wrong(), 0U);
}

// Ping-pong: both sleep and wake for every message.
TEST_P(PipeStress, RoundTrips) {
    const std::uint64_t count = scaled(10000);
    two_parties parties(GetParam());
    std::thread echo([&] {
        for (std::uint64_t number = 0; number < count; ++number) {
            parties.second.receive();
            parties.second.send();
        }
    });
    for (std::uint64_t number = 0; number < count; ++number) {
        parties.first.send();
        parties.first.receive();
    }
    echo.join();
    EXPECT_EQ(parties.first.wrong() + parties.second.wrong(), 0U);
}

// Counts the messages of a byte stream of ZMTP frames that comes in pieces of any size.
class stream_counter {
  public:
    void feed(const std::uint8_t *data, std::size_t size) {
        while (size != 0) {
            if (body_left_ == 0)
                header_byte(*data++, size);
            const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(size, body_left_));
            body_left_ -= taken;
            data += taken;
            size -= taken;
            end_of_body();
        }
    }
    [[nodiscard]] std::uint64_t messages() const { return messages_; }

  private:
    void header_byte(std::uint8_t byte, std::size_t &size) {
        --size;
        header_[have_++] = byte;
        if (have_ == ((header_[0] & frame_flag::large) != 0 ? 9U : 2U)) {
            body_left_ = have_ == 2 ? header_[1] : load_big_endian_64(&header_[1]);
            whole_header_ = true;
        }
    }
    void end_of_body() {
        if (!whole_header_ || body_left_ != 0)
            return;
        messages_ += (header_[0] & frame_flag::more) == 0 ? 1U : 0U;
        have_ = 0;
        whole_header_ = false;
    }
    std::array<std::uint8_t, 9> header_{};
    std::size_t have_ = 0;
    bool whole_header_ = false;
    std::uint64_t body_left_ = 0;
    std::uint64_t messages_ = 0;
};

// The reader is a connection: credit comes in batches, and the last of it before the reader sleeps.
TEST_P(PipeStress, Gathering) {
    const std::uint64_t count = scaled(30000);
    two_parties parties(GetParam());
    std::thread writer([&] {
        for (std::uint64_t number = 0; number < count; ++number)
            parties.first.send();
    });
    write_cursor cursor(parties.second.end().in());
    stream_counter counter;
    std::minstd_rand random(3);
    std::array<byte_range, 8> pieces;
    while (counter.messages() < count) {
        const std::size_t found = cursor.ranges(pieces, 4096);
        if (found == 0) {
            if (parties.second.end().prepare_wait_data())
                parties.second.rest();
            continue;
        }
        std::size_t written = 0;
        for (std::size_t index = 0; index < found; ++index) {
            const bool cut = random() % 4 == 0;
            const std::size_t taken = cut ? random() % pieces[index].size : pieces[index].size;
            counter.feed(pieces[index].data, taken);
            written += taken;
            if (cut)
                break;
        }
        cursor.advance(written);
        parties.second.end().after_read();
    }
    writer.join();
    EXPECT_EQ(counter.messages(), count);
}

// Ends that are attached, used and closed at the same time, in every order.
TEST(PipeLives, AttachAndCloseRace) {
    const std::uint64_t rounds = scaled(3000);
    std::array<std::atomic<pipe_end *>, 2> hand{};
    const auto live = [&hand, rounds](std::size_t side) {
        std::minstd_rand random(static_cast<unsigned>(side));
        for (std::uint64_t round = 0; round < rounds; ++round) {
            pipe_end *end = nullptr;
            while ((end = hand[side].exchange(nullptr)) == nullptr)
                std::this_thread::yield();
            if (random() % 8 == 0) {
                end->close();
                continue;
            }
            party me;
            me.take(*end, static_cast<unsigned>(round));
            if (random() % 2 == 0)
                end->introduce_to_peer(metadata_ref(new peer_metadata("id", {})), random() % 2 == 0);
            for (auto count = random() % 6; count != 0; --count) {
                me.send();
                me.try_receive();
                (void)end->prepare_wait_data();
            }
            while (!end->peer_closed() && random() % 4 != 0)
                me.end_turn();
            me.leave();
        }
    };
    std::thread first(live, 0U);
    std::thread second(live, 1U);
    std::vector<std::weak_ptr<pipe>> all;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::shared_ptr<pipe> both = pipe::create({0}, {0});
        all.push_back(both);
        for (std::size_t side = 0; side < 2; ++side) {
            while (hand[side].load() != nullptr)
                std::this_thread::yield();
            hand[side].store(side == 0 ? &both->first() : &both->second());
        }
    }
    first.join();
    second.join();
    for (const std::weak_ptr<pipe> &each : all)
        EXPECT_TRUE(each.expired());
}

} // namespace
} // namespace zlink::stress
