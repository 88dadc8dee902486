// SPDX-License-Identifier: MPL-2.0
#include "runtime/adaptive_spin.hpp"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "base/processors.hpp"

namespace zlink::runtime {
namespace {

const auto nothing = [] {};

// How often each of so many spins in vain looked.
std::vector<int> looks_in_vain(adaptive_spin &tested, int spins) {
    std::vector<int> counted;
    for (int spin = 0; spin < spins; ++spin) {
        int looks = 0;
        EXPECT_FALSE(tested.spin(
            [&] {
                ++looks;
                return false;
            },
            nothing));
        counted.push_back(looks);
    }
    return counted;
}

// The number of sleeps from one try to the next.
std::vector<int> gaps(const std::vector<int> &looks) {
    std::vector<int> found;
    int sleeps = 0;
    for (const int count : looks) {
        ++sleeps;
        if (count != 0)
            found.push_back(std::exchange(sleeps, 0));
    }
    return found;
}

class adaptive_spin_test : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!several_processors())
            GTEST_SKIP() << "with one processor nobody spins";
    }
    adaptive_spin tested_;
};

TEST_F(adaptive_spin_test, what_arrives_is_found) {
    int looks = 0;
    EXPECT_TRUE(tested_.spin([&] { return ++looks == 3; }, nothing));
    EXPECT_EQ(looks, 3);
}

TEST_F(adaptive_spin_test, tries_in_vain_become_rare) {
    EXPECT_EQ(gaps(looks_in_vain(tested_, 200)), (std::vector<int>{1, 1, 1, 1, 2, 4, 8, 16, 32, 64, 64}));
}

TEST_F(adaptive_spin_test, one_that_is_won_begins_again) {
    (void)looks_in_vain(tested_, 4 + 2 + 4 + 7);
    EXPECT_TRUE(tested_.spin([] { return true; }, nothing)); // the eighth since the last try
    EXPECT_EQ(gaps(looks_in_vain(tested_, 9)), (std::vector<int>{1, 1, 1, 2, 4}));
}

} // namespace
} // namespace zlink::runtime
