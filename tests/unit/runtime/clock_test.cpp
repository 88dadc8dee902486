// SPDX-License-Identifier: MPL-2.0
#include "runtime/clock.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace {

using zlink::runtime::deadline_after;
using zlink::runtime::never;
using zlink::runtime::now_ms;

TEST(Clock, DeadlinesLieBehindTheirTimeout) {
    const auto before = now_ms();
    const auto deadline = deadline_after(1000);
    EXPECT_GE(deadline, before + 1000);
    EXPECT_LE(deadline, now_ms() + 1000);
}

TEST(Clock, NegativeTimeoutsNeverEnd) {
    EXPECT_EQ(deadline_after(-1), never);
}

TEST(Clock, TimeoutsBeyondTheEndOfTimeNeverEnd) {
    EXPECT_EQ(deadline_after(std::numeric_limits<std::int64_t>::max()), never);
    EXPECT_EQ(deadline_after(never - 1), never);
}

} // namespace
