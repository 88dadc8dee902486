// SPDX-License-Identifier: MPL-2.0
#include "connections/log_rate.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace zlink::connections {
namespace {

TEST(log_rate, admits_so_many_a_second_of_each_kind) {
    log_rate rate;
    for (std::uint64_t second : {7U, 8U})
        for (std::size_t kind : {0U, 3U}) {
            for (std::uint64_t i = 0; i < log_rate::most_per_second; ++i)
                EXPECT_TRUE(rate.admits(kind, second));
            EXPECT_FALSE(rate.admits(kind, second));
        }
    EXPECT_EQ(rate.take_left_out(8), 4U);
}

TEST(log_rate, says_once_a_second_how_many_were_left_out) {
    log_rate rate;
    EXPECT_EQ(rate.take_left_out(1), 0U);
    rate.leave_out(5);
    EXPECT_EQ(rate.take_left_out(1), 5U);
    rate.leave_out(2);
    EXPECT_EQ(rate.take_left_out(1), 0U);
    EXPECT_EQ(rate.take_left_out(2), 2U);
    EXPECT_EQ(rate.take_left_out(3), 0U);
}

TEST(log_rate, counts_each_event_of_several_threads_once) {
    log_rate rate;
    constexpr std::uint64_t threads = 4, events = 5'000;
    std::atomic<std::uint64_t> admitted{0};
    std::vector<std::thread> all;
    for (std::uint64_t i = 0; i < threads; ++i)
        all.emplace_back([&] {
            for (std::uint64_t event = 0; event < events; ++event)
                admitted += rate.admits(1, event / 1'000) ? 1U : 0U;
        });
    for (std::thread &one : all)
        one.join();
    EXPECT_EQ(admitted + rate.take_left_out(9), threads * events);
}

} // namespace
} // namespace zlink::connections
