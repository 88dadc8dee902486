// SPDX-License-Identifier: MPL-2.0
#include "connections/connection_limit.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace zlink::connections {
namespace {

TEST(connection_limit, has_so_many_places) {
    const auto limit = std::make_shared<connection_limit>(2);
    auto first = connection_limit::take(limit);
    {
        const auto second = connection_limit::take(limit);
        EXPECT_TRUE(first && second);
        EXPECT_FALSE(connection_limit::take(limit));
    }
    auto third = connection_limit::take(limit);
    EXPECT_TRUE(third);
    auto moved = std::move(third);
    EXPECT_FALSE(connection_limit::take(limit));
    first = std::move(moved); // one of the two is given back when `moved` ends
    EXPECT_TRUE(first);
}

TEST(connection_limit, of_0_is_none) {
    const auto limit = std::make_shared<connection_limit>(0);
    std::vector<connection_limit::place> places;
    for (int i = 0; i < 1000; ++i) {
        places.push_back(connection_limit::take(limit));
        EXPECT_TRUE(places.back());
    }
}

TEST(connection_limit, holds_for_several_threads) {
    const auto limit = std::make_shared<connection_limit>(3);
    std::atomic<int> held{0};
    std::vector<std::thread> all;
    for (int thread = 0; thread < 4; ++thread)
        all.emplace_back([&] {
            for (int i = 0; i < 10'000; ++i)
                if (const auto place = connection_limit::take(limit)) {
                    EXPECT_LE(++held, 3);
                    --held;
                }
        });
    for (std::thread &one : all)
        one.join();
    std::vector<connection_limit::place> places;
    for (int i = 0; i < 3; ++i)
        places.push_back(connection_limit::take(limit));
    EXPECT_TRUE(places.back());
    EXPECT_FALSE(connection_limit::take(limit));
}

} // namespace
} // namespace zlink::connections
