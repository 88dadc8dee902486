// SPDX-License-Identifier: MPL-2.0
#include "zmtp/heartbeat.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace zlink::zmtp {
namespace {

// Runs the timers up to `until`, and returns the times of PINGs; closed_at is `never` when it stays open.
struct run_result {
    std::vector<std::int64_t> pings;
    std::int64_t closed_at = heartbeat::never;
};
run_result run(heartbeat &beat, std::int64_t until) {
    run_result result;
    while (beat.next_deadline() <= until) {
        const std::int64_t now = beat.next_deadline();
        const heartbeat_actions actions = beat.on_timer(now);
        EXPECT_TRUE(actions.send_ping != actions.close);
        EXPECT_EQ(actions.missed, actions.close); // the peer has named no TTL
        if (actions.close) {
            result.closed_at = now;
            return result;
        }
        result.pings.push_back(now);
    }
    return result;
}

TEST(heartbeat, off_means_no_deadline) {
    heartbeat beat({}, 1000);
    EXPECT_EQ(beat.next_deadline(), heartbeat::never);
    EXPECT_FALSE(beat.on_timer(1'000'000).send_ping);
    EXPECT_FALSE(beat.on_timer(1'000'000).close);
}

TEST(heartbeat, silence_closes_one_interval_after_the_first_ping_by_default) {
    heartbeat beat({.interval_ms = 200}, 1000);
    const run_result result = run(beat, 5000);
    EXPECT_EQ(result.pings, (std::vector<std::int64_t>{1200}));
    EXPECT_EQ(result.closed_at, 1400);
}

TEST(heartbeat, pings_go_on_while_a_longer_timeout_runs_from_the_first_unanswered) {
    heartbeat beat({.interval_ms = 200, .timeout_ms = 1000}, 0);
    const run_result result = run(beat, 5000);
    EXPECT_EQ(result.pings, (std::vector<std::int64_t>{200, 400, 600, 800, 1000}));
    EXPECT_EQ(result.closed_at, 1200);
}

TEST(heartbeat, any_traffic_cancels_the_timeout) {
    heartbeat beat({.interval_ms = 200}, 0);
    for (std::int64_t now = 0; now < 5000; now += 200) {
        EXPECT_EQ(run(beat, now + 250).closed_at, heartbeat::never);
        beat.on_traffic(now + 250);
    }
}

TEST(heartbeat, timeout_of_zero_never_closes) {
    heartbeat beat({.interval_ms = 100, .timeout_ms = 0}, 0);
    const run_result result = run(beat, 10'000);
    EXPECT_EQ(result.closed_at, heartbeat::never);
    EXPECT_EQ(result.pings.size(), 100U);
}

TEST(heartbeat, timeout_shorter_than_the_interval) {
    heartbeat beat({.interval_ms = 1000, .timeout_ms = 50}, 0);
    const run_result result = run(beat, 5000);
    EXPECT_EQ(result.pings, (std::vector<std::int64_t>{1000}));
    EXPECT_EQ(result.closed_at, 1050);
}

TEST(heartbeat, ttl_of_the_peer_runs_from_its_last_sign_of_life) {
    heartbeat beat({}, 0);
    beat.on_ping(5, 1000);
    EXPECT_EQ(beat.next_deadline(), 1500);
    EXPECT_FALSE(beat.on_timer(1499).close);
    beat.on_traffic(1400);
    EXPECT_FALSE(beat.on_timer(1500).close);
    EXPECT_EQ(beat.next_deadline(), 1900);
    EXPECT_TRUE(beat.on_timer(1900).close);
}

TEST(heartbeat, silence_beyond_the_ttl_of_the_peer_is_no_missed_answer) {
    heartbeat beat({.interval_ms = 300, .timeout_ms = 300}, 0);
    beat.on_ping(4, 0);
    EXPECT_TRUE(beat.on_timer(300).send_ping);
    const heartbeat_actions early = beat.on_timer(400);
    EXPECT_TRUE(early.close);
    EXPECT_FALSE(early.missed);
    EXPECT_TRUE(beat.on_timer(600).missed) << "both are due";
}

TEST(heartbeat, last_ttl_counts_and_zero_lifts_it) {
    heartbeat beat({}, 0);
    beat.on_ping(5, 0);
    beat.on_ping(10, 0);
    EXPECT_EQ(beat.next_deadline(), 1000);
    beat.on_ping(0, 100);
    EXPECT_EQ(beat.next_deadline(), heartbeat::never);
}

TEST(heartbeat, ttl_is_rounded_down_to_deciseconds_and_capped) {
    EXPECT_EQ(heartbeat({.ttl_ms = 99}, 0).ttl_deciseconds(), 0);
    EXPECT_EQ(heartbeat({.ttl_ms = 2599}, 0).ttl_deciseconds(), 25);
    EXPECT_EQ(heartbeat({.ttl_ms = 6'553'599}, 0).ttl_deciseconds(), 65'535);
    EXPECT_EQ(heartbeat({.ttl_ms = 100'000'000}, 0).ttl_deciseconds(), 65'535);
}

TEST(heartbeat, late_timer_sends_one_ping_not_those_missed) {
    heartbeat beat({.interval_ms = 100, .timeout_ms = 0}, 0);
    EXPECT_TRUE(beat.on_timer(1050).send_ping);
    EXPECT_EQ(beat.next_deadline(), 1150);
}

} // namespace
} // namespace zlink::zmtp
