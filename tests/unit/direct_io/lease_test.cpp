// SPDX-License-Identifier: MPL-2.0
// The states of a lease, as its lender and its holder change them.
#include "direct_io/lease.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace zlink::direct_io {
namespace {

TEST(lease_test, a_request_is_told_once) {
    lease one;
    EXPECT_TRUE(one.ask());
    EXPECT_FALSE(one.ask());
    EXPECT_TRUE(one.is_wanted());
    EXPECT_FALSE(one.is_granted());
}

TEST(lease_test, a_refused_holder_may_ask_again) {
    lease one;
    (void)one.ask();
    one.refuse();
    EXPECT_FALSE(one.is_wanted());
    EXPECT_TRUE(one.ask());
}

TEST(lease_test, is_held_from_the_grant_until_the_release) {
    lease one;
    (void)one.ask();
    one.grant();
    EXPECT_TRUE(one.is_held());
    EXPECT_FALSE(one.is_wanted());
    one.release();
    EXPECT_FALSE(one.is_held());
    EXPECT_TRUE(one.is_granted()) << "until the lender has revoked it";
    one.revoke();
    EXPECT_FALSE(one.is_granted());
}

// Else a loop would hear of bytes that an I/O thread reads.
TEST(lease_test, a_loop_hears_of_the_stream_until_the_lease_ends) {
    const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
    const int readable = ::eventfd(1, EFD_CLOEXEC);
    const auto hears = [epoll] {
        pollfd looked{epoll, POLLIN, 0};
        return ::poll(&looked, 1, 0) == 1;
    };
    lease one;
    EXPECT_FALSE(one.watch_in(epoll, readable)) << "it is not held";
    for (const bool by_holder : {true, false}) {
        (void)one.ask();
        one.grant();
        EXPECT_TRUE(one.watch_in(epoll, readable));
        EXPECT_TRUE(one.watch_in(epoll, readable)) << "it is there already";
        EXPECT_TRUE(hears());
        if (by_holder)
            one.release();
        else
            one.revoke();
        EXPECT_FALSE(hears());
        one.revoke();
    }
    ::close(readable);
    ::close(epoll);
}

TEST(lease_test, a_release_without_a_lease_changes_nothing) {
    lease one;
    one.release();
    EXPECT_FALSE(one.is_granted());
    (void)one.ask();
    one.release();
    EXPECT_TRUE(one.is_wanted());
}

TEST(lease_test, a_request_after_the_release_outlasts_the_revocation) {
    lease one;
    one.grant();
    one.release();
    EXPECT_TRUE(one.ask());
    EXPECT_TRUE(one.is_granted());
    one.revoke();
    EXPECT_FALSE(one.is_granted());
    EXPECT_TRUE(one.is_wanted());
}

TEST(lease_test, a_request_after_the_release_can_be_refused) {
    lease one;
    one.grant();
    one.release();
    (void)one.ask();
    one.refuse();
    EXPECT_TRUE(one.is_granted());
    EXPECT_FALSE(one.is_held());
    EXPECT_FALSE(one.is_wanted());
}

TEST(lease_test, lasts_while_it_is_used) {
    lease one;
    one.grant();
    for (int checks = 0; checks < 100; ++checks) {
        one.use();
        EXPECT_EQ(one.check(), lease_use::in_use);
    }
    EXPECT_EQ(one.check(), lease_use::expired);
}

TEST(lease_test, with_a_number_of_checks_expires_although_it_is_used) {
    lease one;
    one.grant(3);
    for (int checks = 1; checks < 3; ++checks) {
        one.use();
        EXPECT_EQ(one.check(), lease_use::in_use) << checks;
    }
    one.use();
    EXPECT_EQ(one.check(), lease_use::expired);
    one.revoke();
    one.grant(3);
    one.use();
    EXPECT_EQ(one.check(), lease_use::in_use);
}

TEST(lease_test, a_holder_that_sleeps_tells_when_it_wakes) {
    lease one;
    one.grant();
    one.begin_sleep();
    EXPECT_EQ(one.check(), lease_use::asleep);
    EXPECT_TRUE(one.is_held());
    EXPECT_TRUE(one.end_sleep());
    EXPECT_FALSE(one.end_sleep());
    EXPECT_EQ(one.check(), lease_use::expired);
}

TEST(lease_test, a_short_sleep_between_two_checks_is_not_told) {
    lease one;
    one.grant();
    one.begin_sleep();
    EXPECT_FALSE(one.end_sleep());
}

TEST(lease_test, a_revocation_does_not_end_the_sleep) {
    lease one;
    one.grant();
    one.begin_sleep();
    one.revoke();
    EXPECT_TRUE(one.is_slept_on());
    EXPECT_FALSE(one.end_sleep());
    EXPECT_FALSE(one.is_slept_on());
    EXPECT_FALSE(one.is_granted());
}

} // namespace
} // namespace zlink::direct_io
