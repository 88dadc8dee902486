// SPDX-License-Identifier: MPL-2.0
#include "base/system_calls.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>
#include <pthread.h>
#include <string>
#include <sys/epoll.h>
#include <sys/uio.h>

namespace zlink {
namespace {

class SystemCalls : public ::testing::Test {
  protected:
    SystemCalls() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
    ~SystemCalls() override {
        for (const int end : ends_)
            if (end >= 0)
                ::close(end);
    }
    std::array<int, 2> ends_{-1, -1};
    std::array<char, 16> got_{};
};

TEST_F(SystemCalls, SendAndReceive) {
    EXPECT_EQ(system_calls::send(ends_[0], "abc", 3, MSG_NOSIGNAL), 3);
    EXPECT_EQ(system_calls::receive(ends_[1], got_.data(), got_.size(), 0), 3);
    EXPECT_STREQ(got_.data(), "abc");
}

TEST_F(SystemCalls, SendAndReceivePieces) {
    std::string first = "ab";
    std::string second = "cde";
    std::array<iovec, 2> pieces{{{first.data(), first.size()}, {second.data(), second.size()}}};
    msghdr message{};
    message.msg_iov = pieces.data();
    message.msg_iovlen = pieces.size();
    EXPECT_EQ(system_calls::send(ends_[0], static_cast<const msghdr &>(message), MSG_NOSIGNAL), 5);
    std::array<iovec, 2> places{{{got_.data(), 4}, {got_.data() + 8, 4}}};
    message.msg_iov = places.data();
    EXPECT_EQ(system_calls::receive(ends_[1], message, MSG_DONTWAIT), 5);
    EXPECT_EQ(std::string(got_.data(), 4), "abcd");
    EXPECT_EQ(got_[8], 'e');
}

TEST_F(SystemCalls, ReadAndWrite) {
    EXPECT_EQ(system_calls::write(ends_[0], "xy", 2), 2);
    EXPECT_EQ(system_calls::read(ends_[1], got_.data(), 1), 1);
    EXPECT_EQ(got_[0], 'x');
}

TEST_F(SystemCalls, ErrorsAreNegativeNumbers) {
    EXPECT_EQ(system_calls::receive(ends_[0], got_.data(), got_.size(), MSG_DONTWAIT), -EAGAIN);
    ::close(std::exchange(ends_[1], -1));
    EXPECT_EQ(system_calls::send(ends_[0], "a", 1, MSG_NOSIGNAL), -EPIPE);
    EXPECT_EQ(system_calls::read(-1, got_.data(), 1), -EBADF);
    EXPECT_EQ(system_calls::write(-1, "a", 1), -EBADF);
    EXPECT_EQ(system_calls::receive(ends_[0], got_.data(), got_.size(), MSG_DONTWAIT), 0);
}

TEST_F(SystemCalls, LookAtEpoll) {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event asked{};
    asked.events = EPOLLIN;
    asked.data.fd = ends_[1];
    ASSERT_EQ(::epoll_ctl(epoll, EPOLL_CTL_ADD, ends_[1], &asked), 0);
    std::array<epoll_event, 2> found{};
    EXPECT_EQ(system_calls::look_at_epoll(epoll, found.data(), 2), 0);
    EXPECT_EQ(system_calls::write(ends_[0], "x", 1), 1);
    EXPECT_EQ(system_calls::look_at_epoll(epoll, found.data(), 2), 1);
    EXPECT_EQ(found[0].data.fd, ends_[1]);
    ::close(epoll);
}

// A thread that is to be cancelled comes through all of them.
TEST_F(SystemCalls, AreNoPointsOfCancellation) {
    bool through = false;
    const auto work = [&] {
        pthread_cancel(pthread_self());
        EXPECT_EQ(system_calls::send(ends_[0], "ab", 2, MSG_NOSIGNAL), 2);
        EXPECT_EQ(system_calls::receive(ends_[1], got_.data(), 1, 0), 1);
        EXPECT_EQ(system_calls::read(ends_[1], got_.data(), 1), 1);
        EXPECT_EQ(system_calls::write(ends_[1], "c", 1), 1);
        through = true;
    };
    using work_type = decltype(work);
    pthread_t thread{};
    const auto run = [](void *argument) -> void * {
        (*static_cast<work_type *>(argument))();
        return nullptr;
    };
    ASSERT_EQ(pthread_create(&thread, nullptr, run, const_cast<void *>(static_cast<const void *>(&work))), 0);
    pthread_join(thread, nullptr);
    EXPECT_TRUE(through);
}

} // namespace
} // namespace zlink
