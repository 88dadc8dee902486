// SPDX-License-Identifier: MPL-2.0
#include "patterns/routing_table.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace zlink::patterns {
namespace {

using namespace std::string_literals;

TEST(routing_table, finds_what_was_put_in_and_nothing_else) {
    routing_table<int> table;
    int one = 1, two = 2;
    EXPECT_EQ(table.find("a"), nullptr);
    EXPECT_EQ(table.erase("a"), nullptr);
    EXPECT_TRUE(table.insert("a", &one));
    EXPECT_FALSE(table.insert("a", &two));
    EXPECT_TRUE(table.insert("a\0"s, &two));
    EXPECT_EQ(table.find("a"), &one);
    EXPECT_EQ(table.find("a\0"s), &two);
    EXPECT_EQ(table.find("\0a"s), nullptr);
    EXPECT_EQ(table.size(), 2U);
    EXPECT_EQ(table.erase("a"), &one);
    EXPECT_EQ(table.find("a"), nullptr);
    EXPECT_EQ(table.find("a\0"s), &two);
}

TEST(routing_table, ids_of_every_length_live_together) {
    routing_table<int> table;
    std::map<std::string, int> values;
    for (std::size_t size = 1; size <= 255; ++size) {
        for (const char fill : {'\0', 'x', '\xff'}) {
            const std::string id(size, fill);
            EXPECT_TRUE(table.insert(id, &values[id]));
        }
    }
    for (auto &[id, value] : values) {
        ASSERT_EQ(table.find(id), &value);
    }
}

// Few ids in a small table: chains of probes are long, wrap around the end, and have holes made in them.
TEST(routing_table, agrees_with_a_naive_model_under_random_operations) {
    random_generator random(11);
    for (std::uint64_t key = 0; key < 50; ++key) {
        routing_table<int> table(key);
        std::map<std::string, int *> model;
        std::vector<int> values(64);
        std::string asked = "nobody"; // the last one, which the table may remember
        const auto expect_asked = [&] {
            const auto found = model.find(asked);
            ASSERT_EQ(table.find(asked), found != model.end() ? found->second : nullptr);
        };
        for (int step = 0; step < 3000; ++step) {
            const std::size_t number = random.below(40);
            const std::string id =
                (number % 3 == 0 ? std::string(20, 'p') : "\0id"s) + std::to_string(number);
            if (random.below(2) == 0) {
                ASSERT_EQ(table.insert(id, &values[number]), model.emplace(id, &values[number]).second);
            } else {
                const auto found = model.find(id);
                ASSERT_EQ(table.erase(id), found != model.end() ? found->second : nullptr);
                model.erase(id);
            }
            ASSERT_EQ(table.size(), model.size());
            expect_asked();
            if (random.below(3) == 0)
                asked = id;
            expect_asked();
        }
        for (std::size_t number = 0; number < 40; ++number) {
            const std::string id =
                (number % 3 == 0 ? std::string(20, 'p') : "\0id"s) + std::to_string(number);
            const auto found = model.find(id);
            ASSERT_EQ(table.find(id), found != model.end() ? found->second : nullptr);
        }
    }
}

} // namespace
} // namespace zlink::patterns
