// SPDX-License-Identifier: MPL-2.0
#include "base/brief_yield.hpp"

#include <gtest/gtest.h>

namespace zlink {
namespace {

constexpr std::int64_t ms = 1'000'000;

TEST(yield_limits, leave_short_yields_alone) {
    yield_limits limits;
    EXPECT_FALSE(limits.leaves_out(0));
    for (int yield = 0; limits.measures(); ++yield) {
        ASSERT_LT(yield, 100);
        limits.measured(1'000, 0, yield);
    }
    EXPECT_FALSE(limits.leaves_out(1));
    limits.suspect();
    EXPECT_TRUE(limits.measures());
}

TEST(yield_limits, leave_out_yields_while_other_programs_run) {
    yield_limits limits;
    limits.measured(3 * ms, 2 * ms, 10 * ms);
    EXPECT_TRUE(limits.leaves_out(11 * ms));
    EXPECT_FALSE(limits.leaves_out(10 * ms + yield_limits::shortest_pause));
    EXPECT_TRUE(limits.measures());
    limits.measured(3 * ms, 0, 200 * ms); // still so: twice as long
    EXPECT_TRUE(limits.leaves_out(200 * ms + yield_limits::shortest_pause));
    EXPECT_FALSE(limits.leaves_out(200 * ms + 2 * yield_limits::shortest_pause));
}

TEST(yield_limits, keep_long_yields_to_threads_of_the_process) {
    yield_limits limits;
    limits.measured(8 * ms, 8 * ms, 10 * ms);
    EXPECT_FALSE(limits.leaves_out(11 * ms));
    limits.measured(8 * ms, 15 * ms, 20 * ms);
    EXPECT_FALSE(limits.leaves_out(21 * ms));
}

TEST(yield_limits, bound_the_pause_and_begin_again_after_it) {
    yield_limits limits;
    std::int64_t now = 0;
    for (int times = 0; times < 20; ++times) {
        limits.measured(3 * ms, 0, now);
        EXPECT_FALSE(limits.leaves_out(now + yield_limits::longest_pause));
        now += yield_limits::longest_pause;
    }
    limits.measured(1'000, 0, now); // the processor is free
    limits.measured(3 * ms, 0, now);
    EXPECT_TRUE(limits.leaves_out(now));
    EXPECT_FALSE(limits.leaves_out(now + yield_limits::shortest_pause));
}

TEST(brief_yield, returns) {
    for (int times = 0; times < 1000; ++times)
        brief_yield();
}

} // namespace
} // namespace zlink
