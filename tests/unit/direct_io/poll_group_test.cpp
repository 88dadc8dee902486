// SPDX-License-Identifier: MPL-2.0
// Who reads the streams of a set: its I/O thread, or the application's, which is the test's.
#include "direct_io/poll_group.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "unit/pipe/fake_stream_io.hpp"

namespace zlink::direct_io {
namespace {

// A stream that the I/O thread empties byte by byte.
class fake_connection final : public pipe_owner {
  public:
    fake_connection() : pipe_(pipe::create({0}, {0})) {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_.data()), 0);
        pipe_->first().slot().io = &io;
        pipe_->second().attach(*this, box_);
        member = {&pipe_->second(), &pipe_->first(), ends_[0]};
    }
    ~fake_connection() {
        pipe_->first().close();
        pipe_->second().close();
        while (box_->attached != 0)
            box_->ready.drain();
        ::close(ends_[0]);
        if (ends_[1] >= 0)
            hang_up();
    }
    fake_connection(const fake_connection &) = delete;
    fake_connection &operator=(const fake_connection &) = delete;

    void on_pipe_event(pipe_end &, std::uint32_t events) override {
        if (events != pipe_event::stream_readable)
            return;
        ++reads;
        char byte = 0;
        (void)::read(ends_[0], &byte, 1);
    }
    void take() const {
        char byte = 0;
        EXPECT_EQ(::read(ends_[0], &byte, 1), 1);
    }
    void hang_up() { ::close(std::exchange(ends_[1], -1)); }
    void send() const { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }

    message_queue_test::fake_stream_io io;
    group_member member{};
    std::atomic<int> reads{0}; // by the I/O thread

  private:
    struct unwoken final : mailbox {
        void wake() noexcept override {}
    };
    std::shared_ptr<pipe> pipe_;
    std::shared_ptr<unwoken> box_ = std::make_shared<unwoken>();
    std::array<int, 2> ends_{};
};

class poll_group_test : public testing::Test {
  protected:
    poll_group_test() : set(std::make_shared<poll_group>(thread, false)) {
        EXPECT_TRUE(thread.start({}));
        on_thread([&] { EXPECT_TRUE(set->add(one.member) && set->add(other.member)); });
    }
    ~poll_group_test() override {
        on_thread([&] {
            set->remove(one.member);
            set->remove(other.member);
        });
        thread.stop();
    }
    void on_thread(const std::function<void()> &work) {
        std::promise<void> done;
        thread.post([&] {
            work();
            done.set_value();
        });
        done.get_future().wait();
    }
    static bool eventually(const std::function<bool()> &condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline)
                return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }
    // Asks until the set is the application's. Its descriptor; the thread sleeps on it from then on.
    int ask() {
        int descriptor = -1;
        EXPECT_TRUE(eventually([&] { return (descriptor = set->begin_wait()) >= 0; }));
        return descriptor;
    }
    static bool readable(int descriptor) {
        pollfd watched{descriptor, POLLIN, 0};
        return ::poll(&watched, 1, 0) == 1;
    }

    runtime::io_thread thread;
    fake_connection one;
    fake_connection other;
    std::shared_ptr<poll_group> set;
};

TEST_F(poll_group_test, is_read_by_its_thread_until_it_is_asked_for) {
    EXPECT_FALSE(set->read());
    one.send();
    EXPECT_TRUE(eventually([&] { return one.reads == 1; }));
    other.send();
    other.send();
    EXPECT_TRUE(eventually([&] { return other.reads == 2; }));
    EXPECT_EQ(one.reads, 1);
}

TEST_F(poll_group_test, one_that_sleeps_on_it_reads_it) {
    const int descriptor = ask();
    EXPECT_FALSE(readable(descriptor));
    other.send();
    EXPECT_TRUE(readable(descriptor));
    EXPECT_TRUE(set->read());
    EXPECT_EQ(other.io.reads, 1);
    EXPECT_EQ(one.io.reads, 0);
    EXPECT_TRUE(set->read()) << "it stays the application's";
    EXPECT_EQ(other.io.reads, 2) << "until it is empty";
    other.take();
    EXPECT_TRUE(set->read());
    EXPECT_EQ(other.io.reads, 2);
    EXPECT_EQ(other.reads, 0);
    set->end_wait(false);
}

TEST_F(poll_group_test, what_is_given_back_is_read_by_the_thread) {
    (void)ask();
    set->end_wait(false);
    one.send();
    set->release_lease();
    EXPECT_TRUE(eventually([&] { return one.reads == 1; }));
    EXPECT_FALSE(set->read());
    (void)ask();
    EXPECT_TRUE(set->read());
    set->end_wait(false);
}

TEST_F(poll_group_test, is_taken_back_from_one_that_stays_away) {
    (void)ask();
    EXPECT_TRUE(set->read());
    set->end_wait(false);
    one.send();
    EXPECT_TRUE(eventually([&] { return one.reads == 1; }));
    EXPECT_FALSE(set->read());
}

TEST_F(poll_group_test, is_left_to_one_that_sleeps) {
    const int descriptor = ask();
    std::this_thread::sleep_for(std::chrono::milliseconds(400)); // the looks have ended
    one.send();
    EXPECT_TRUE(readable(descriptor));
    set->end_wait(true);
    EXPECT_EQ(one.io.reads, 1);
    EXPECT_TRUE(eventually([&] { return one.reads == 1; })) << "and looked after from then on";
}

TEST_F(poll_group_test, a_muted_stream_waits) {
    on_thread([&] { set->pause(one.member); });
    one.send();
    other.send();
    EXPECT_TRUE(eventually([&] { return other.reads == 1; }));
    EXPECT_EQ(one.reads, 0);
    on_thread([&] { EXPECT_TRUE(set->watch(one.member)); });
    EXPECT_TRUE(eventually([&] { return one.reads == 1; }));
}

TEST_F(poll_group_test, a_muted_stream_does_not_tell_of_its_end) {
    on_thread([&] { set->pause(one.member); });
    one.send();
    one.hang_up();
    const int descriptor = ask();
    EXPECT_FALSE(readable(descriptor));
    set->end_wait(false);
    on_thread([&] { EXPECT_TRUE(set->watch(one.member)); });
    EXPECT_TRUE(eventually([&] { return set->read() ? one.io.reads != 0 : one.reads == 1; }));
    on_thread([&] { set->pause(one.member); }); // its end is not read here
}

TEST_F(poll_group_test, an_empty_one_may_be_asked_for_again_when_it_is_not) {
    (void)ask();
    set->end_wait(false);
    on_thread([&] {
        set->remove(one.member);
        set->remove(other.member);
    });
    EXPECT_FALSE(set->read());
    EXPECT_EQ(set->begin_wait(), -1);
    on_thread([] {}); // the call was heard
    on_thread([&] { EXPECT_TRUE(set->add(one.member) && set->add(other.member)); });
    one.send();
    EXPECT_TRUE(eventually([&] { return one.reads == 1; }));
    (void)ask();
    EXPECT_TRUE(set->read());
    set->end_wait(false);
}

TEST_F(poll_group_test, a_stream_that_leaves_is_not_read) {
    (void)ask();
    on_thread([&] { set->remove(one.member); });
    one.send();
    EXPECT_TRUE(set->read());
    set->end_wait(false);
    EXPECT_EQ(one.io.reads, 0);
    on_thread([&] { EXPECT_TRUE(set->add(one.member)); });
    EXPECT_TRUE(eventually([&] { return set->read() ? one.io.reads != 0 : one.reads == 1; }));
}

} // namespace
} // namespace zlink::direct_io
