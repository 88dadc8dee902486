// SPDX-License-Identifier: MPL-2.0
// A reader that streams and then sleeps, again and again, at the moment when the writer commits without a
// fence: no wakeup is lost.
#include <array>
#include <atomic>
#include <chrono>
#include <random>
#include <semaphore>
#include <thread>

#include "base/processors.hpp"
#include "queue/message_queue.hpp"
#include "stress/stress_tools.hpp"

namespace zlink::stress {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint64_t burst = 1200; // long enough for a stream that is worth its end

// The two threads tell each other this beside the queue.
struct rendezvous {
    std::counting_semaphore<> wakeups{0};
    std::atomic<std::uint64_t> begun{0}; // bursts that were written but for their last message
    std::atomic<std::uint64_t> seen{0};  // messages that the reader had when it found no more
    std::atomic<std::uint64_t> sleeps{0};
    std::atomic<std::uint64_t> wrong{0};
};

void read_bursts(queue_reader &from, rendezvous &with, std::uint64_t rounds) {
    incoming_frame frame;
    std::uint64_t received = 0;
    from.enable_backoff();
    for (std::uint64_t round = 1; round <= rounds; ++round) {
        while (with.begun.load() < round)
            std::this_thread::yield();
        while (received < round * burst) {
            while (from.read(frame))
                with.wrong += holds(frame.data, frame.size, received++) ? 0U : 1U;
            with.seen.store(received);
            if (received < round * burst && from.prepare_wait_data()) {
                ++with.sleeps;
                with.wakeups.acquire();
            }
        }
    }
}

// Returns false if the reader has not read them, though it has had the time.
bool are_seen(const rendezvous &with, std::uint64_t messages) {
    const auto end = clock::now() + std::chrono::seconds(10);
    for (; with.seen.load() < messages; std::this_thread::yield())
        if (clock::now() > end)
            return false;
    return true;
}

void pass_time(std::chrono::nanoseconds some) {
    const auto end = clock::now() + some;
    while (clock::now() < end)
        ;
}

class burst_writer {
  public:
    burst_writer(queue_writer &to, rendezvous &with) : to_(to), with_(with) {}

    // Returns false if a wakeup was lost.
    bool write_burst() {
        for (std::uint64_t number = 1; number < burst; ++number)
            send();
        ++with_.begun;
        if (!are_seen(with_, sent_))
            return false;
        pass_time(std::chrono::nanoseconds(random_() % most_ns)); // the reader is about to sleep
        send();
        return are_seen(with_, sent_);
    }

  private:
    static constexpr std::uint64_t most_ns = 4096;

    void send() {
        fill(body_.data(), body_.size(), sent_++);
        EXPECT_TRUE(to_.write({body_.data(), body_.size(), 0, nullptr}));
        if (to_.commit())
            with_.wakeups.release();
    }

    queue_writer &to_;
    rendezvous &with_;
    std::minstd_rand random_;
    std::uint64_t sent_ = 0;
    std::array<std::uint8_t, 16> body_{};
};

TEST(StreamStress, TheLastMessageBeforeASleepIsSeen) {
    const std::uint64_t rounds = scaled(10000);
    enable_asymmetric_fence();
    message_queue log;
    rendezvous meeting;
    std::thread reader(read_bursts, std::ref(log.reader()), std::ref(meeting), rounds);
    burst_writer writer(log.writer(), meeting);
    for (std::uint64_t round = 0; round < rounds; ++round)
        if (!writer.write_burst()) {
            ADD_FAILURE() << "a wakeup was lost in burst " << round;
            meeting.wakeups.release();
        }
    reader.join();
    EXPECT_EQ(meeting.wrong.load(), 0U);
    EXPECT_TRUE(meeting.sleeps.load() > 0 || !several_processors())
        << "the reader has yielded, and was served";
}

} // namespace
} // namespace zlink::stress
