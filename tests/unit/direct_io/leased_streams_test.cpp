// SPDX-License-Identifier: MPL-2.0
// Whose a stream is while its socket is asked without waiting.
#include "direct_io/leased_streams.hpp"

#include <array>
#include <gtest/gtest.h>
#include <poll.h>

#include "unit/pipe/fake_stream_io.hpp"

namespace zlink::direct_io {
namespace {

using message_queue_test::fake_stream_io;

class leased_streams_test : public testing::Test {
  protected:
    leased_streams_test() : both_(pipe::create({0}, {0})) {
        both_->first().slot().io = &io;
        streams.add(both_->first());
    }
    ~leased_streams_test() override {
        both_->first().close();
        both_->second().close();
    }
    std::size_t sleep() {
        std::array<pollfd, leased_streams::most_watched> watched{};
        const std::size_t count = streams.begin_wait(watched);
        streams.end_wait({watched.data(), count});
        return count;
    }

    void leave() { both_->first().slot().io = nullptr; }

    static constexpr int some_epoll = 0; // which the stream does not use
    fake_stream_io io;
    poll_groups sets;
    leased_streams streams{sets};

  private:
    std::shared_ptr<pipe> both_;
};

TEST_F(leased_streams_test, a_thread_that_asks_in_vain_gives_the_stream_back) {
    EXPECT_EQ(sleep(), 1U);
    for (int looks = 0; looks < 3; ++looks) {
        EXPECT_TRUE(io.with_application) << looks;
        streams.look();
    }
    EXPECT_FALSE(io.with_application);
    EXPECT_EQ(sleep(), 0U) << "asked for again at once";
}

TEST_F(leased_streams_test, an_event_loop_watches_the_stream) {
    for (int waits = 0; waits < 3; ++waits) {
        streams.watch_in(some_epoll);
        EXPECT_TRUE(io.watched_in_loop);
    }
    EXPECT_EQ(io.asked, 1);
}

// It gets the stream for each message, and loses it before the next one.
TEST_F(leased_streams_test, an_event_loop_with_rare_messages_asks_less_and_less_often) {
    for (int waits = 0; waits < 1000; ++waits) {
        streams.watch_in(some_epoll);
        io.with_application = false; // revoked
    }
    EXPECT_LT(io.asked, 20);
    EXPECT_GT(io.asked, 5);
}

// Else a loop would hear of bytes that an I/O thread reads.
TEST_F(leased_streams_test, an_event_loop_does_not_watch_what_it_may_not_read) {
    streams.watch_in(some_epoll);
    streams.disable();
    streams.watch_in(some_epoll);
    EXPECT_FALSE(io.watched_in_loop);
}

// As one does that polls and then takes messages until there are none, while they come as fast.
TEST_F(leased_streams_test, a_thread_that_finds_what_it_asks_for_keeps_the_stream) {
    EXPECT_EQ(sleep(), 1U);
    for (int looks = 0; looks < 100; ++looks) {
        streams.look();
        streams.found();
    }
    EXPECT_TRUE(io.with_application);
    EXPECT_EQ(io.reads, 100);
}

TEST_F(leased_streams_test, vain_looks_count_from_the_last_message_on) {
    EXPECT_EQ(sleep(), 1U);
    streams.look();
    streams.look();
    streams.found();
    streams.look();
    streams.look();
    EXPECT_TRUE(io.with_application);
    streams.look();
    EXPECT_FALSE(io.with_application);
}

// As zmq_poll() does with the same socket twice.
TEST_F(leased_streams_test, a_stream_that_goes_between_two_sleeps_ends_both) {
    std::array<pollfd, leased_streams::most_watched> watched{};
    EXPECT_EQ(streams.begin_wait(watched), 1U);
    leave();
    EXPECT_EQ(streams.begin_wait(watched), 0U);
    streams.end_wait({watched.data(), 1});
    streams.end_wait({});
}

} // namespace
} // namespace zlink::direct_io
