// SPDX-License-Identifier: MPL-2.0
#include "base/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace zlink {
namespace {

TEST(random_generator, gives_one_sequence_for_one_seed) {
    random_generator one(42);
    random_generator same(42);
    random_generator other(43);
    bool differs = false;
    for (int round = 0; round < 100; ++round) {
        const std::uint64_t number = one.next();
        EXPECT_EQ(number, same.next());
        differs = differs || number != other.next();
    }
    EXPECT_TRUE(differs);
}

// The reference values of SplitMix64 for seed 0.
TEST(random_generator, is_split_mix) {
    random_generator generator(0);
    EXPECT_EQ(generator.next(), 0xe220a8397b1dcdafU);
    EXPECT_EQ(generator.next(), 0x6e789e6aa1b965f4U);
}

TEST(random_generator, stays_below_its_bound_and_reaches_all_of_it) {
    random_generator generator(7);
    std::set<std::uint32_t> seen;
    for (int round = 0; round < 1000; ++round) {
        seen.insert(generator.below(5));
    }
    EXPECT_EQ(seen, (std::set<std::uint32_t>{0, 1, 2, 3, 4}));
    EXPECT_EQ(generator.below(0), 0U);
    EXPECT_EQ(generator.below(1), 0U);
}

TEST(random_seed, differs_between_calls) {
    std::set<std::uint64_t> seen;
    for (int round = 0; round < 1000; ++round) {
        seen.insert(random_seed());
    }
    EXPECT_EQ(seen.size(), 1000U);
}

} // namespace
} // namespace zlink
