// SPDX-License-Identifier: MPL-2.0
#include "core/timers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <limits>
#include <vector>

namespace zlink::core {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The handlers that ran, in order, and the action of a handler on its set.
struct timer_script {
    timers set;
    std::vector<int> ran{};
    int to_cancel = 0;
    bool adds = false;
};

void record(int id, void *argument) {
    auto &script = *static_cast<timer_script *>(argument);
    script.ran.push_back(id);
    if (script.to_cancel != 0) {
        EXPECT_TRUE(script.set.cancel(std::exchange(script.to_cancel, 0)));
    }
    if (std::exchange(script.adds, false))
        script.set.add(0, record, argument, 100);
}

std::vector<int> ran_at(timer_script &script, runtime::time_ms now) {
    script.ran.clear();
    script.set.execute(now);
    return script.ran;
}

TEST(timers, run_at_their_times_and_again) {
    timer_script script;
    EXPECT_EQ(script.set.timeout_ms(0), -1);
    EXPECT_EQ(script.set.add(10, record, &script, 0), 1);
    EXPECT_EQ(script.set.add(25, record, &script, 0), 2);
    EXPECT_EQ(script.set.timeout_ms(3), 7);
    EXPECT_THAT(ran_at(script, 9), IsEmpty());
    EXPECT_THAT(ran_at(script, 10), ElementsAre(1));
    EXPECT_EQ(script.set.timeout_ms(10), 10);
    EXPECT_THAT(ran_at(script, 40), ElementsAre(1, 2)); // once, however late
    EXPECT_EQ(script.set.timeout_ms(40), 10);
    EXPECT_EQ(script.set.timeout_ms(60), 0);
}

TEST(timers, of_one_time_run_in_the_order_in_which_they_were_set) {
    timer_script script;
    for (int id = 1; id <= 3; ++id)
        EXPECT_EQ(script.set.add(10, record, &script, 0), id);
    EXPECT_TRUE(script.set.reset(1, 0));
    EXPECT_THAT(ran_at(script, 10), ElementsAre(2, 3, 1));
}

TEST(timers, with_interval_0_run_once_per_turn) {
    timer_script script;
    script.set.add(0, record, &script, 5);
    EXPECT_THAT(ran_at(script, 5), ElementsAre(1));
    EXPECT_THAT(ran_at(script, 5), ElementsAre(1));
    script.adds = true;
    EXPECT_THAT(ran_at(script, 100), ElementsAre(1)); // the new one has its first turn next
    EXPECT_THAT(ran_at(script, 100), ElementsAre(1, 2));
}

TEST(timers, are_changed_and_cancelled) {
    timer_script script;
    script.set.add(10, record, &script, 0);
    EXPECT_TRUE(script.set.set_interval(1, 50, 5));
    EXPECT_EQ(script.set.timeout_ms(5), 50);
    EXPECT_TRUE(script.set.reset(1, 20));
    EXPECT_EQ(script.set.timeout_ms(20), 50);
    EXPECT_TRUE(script.set.cancel(1));
    EXPECT_EQ(script.set.cancel(1).code(), EINVAL);
    EXPECT_TRUE(script.set.set_interval(1, 1, 0)); // without effect, until the next look
    EXPECT_TRUE(script.set.reset(1, 0));
    EXPECT_EQ(script.set.timeout_ms(0), -1);
    EXPECT_EQ(script.set.set_interval(1, 1, 0).code(), EINVAL);
    EXPECT_EQ(script.set.reset(1, 0).code(), EINVAL);
    EXPECT_EQ(script.set.add(10, record, &script, 0), 2); // ids are not used again
}

TEST(timers, may_be_cancelled_by_a_handler) {
    for (const int cancelled : {1, 2}) {
        timer_script script;
        script.set.add(10, record, &script, 0);
        script.set.add(10, record, &script, 0);
        script.to_cancel = cancelled;
        const std::vector<int> expected = cancelled == 1 ? std::vector{1, 2} : std::vector{1};
        EXPECT_EQ(ran_at(script, 10), expected);
        EXPECT_EQ(ran_at(script, 20), std::vector{3 - cancelled});
    }
}

TEST(timers, of_the_longest_interval_never_run) {
    timer_script script;
    script.set.add(std::numeric_limits<std::size_t>::max(), record, &script, 1000);
    EXPECT_GT(script.set.timeout_ms(1000), 1L << 40);
    EXPECT_THAT(ran_at(script, 1L << 60), IsEmpty());
}

} // namespace
} // namespace zlink::core
